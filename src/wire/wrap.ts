import type { Engine } from "../engine.ts";
import { wrapReply } from "../wrapped.ts";
import type { AnyEndpoint, Call, Outcome, Reply } from "./endpoint.ts";
import { int, text } from "./field.ts";
import { envelope } from "./style.ts";

/** The members of `wrap_info`. */
export const wrapInfo = {
  token: text.required("The wrapping token: it opens the reply once."),
  accessor: text.required("Names the token in logs; opens nothing."),
  ttl: int.required("How long the reply waits, seconds."),
  creation_time: text.required("When it was wrapped, RFC 3339."),
  creation_path: text.required("Path of the call whose reply it is."),
} as const;

/** A call that was answered, and how long its reply is wanted behind a token. */
export interface Answered {
  readonly target: { readonly ca: Engine; readonly mount: string; readonly path: string };
  readonly call: Call;
  readonly endpoint: AnyEndpoint;
  readonly requestId: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The reply as the handler gave it; `outcome` has it as the call's dialect prints it. */
  readonly data: unknown;
  readonly outcome: Outcome;
  /** Seconds. */
  readonly ttl: number;
  /** What the log is told. */
  readonly note: Record<string, string | number | boolean>;
}

/**
 * The answer to a call that asks for response wrapping (details A 1.6): `plain` where there is nothing to wrap, because it is no envelope, has no data, or
 * is given to everybody, else an envelope whose `wrap_info` stands for it.
 */
export async function replyWrapped(answered: Answered, plain: Reply): Promise<Reply> {
  const { target, call, endpoint, requestId, data, input, outcome, ttl, note } = answered;
  // some endpoints of wrapping itself have styles of their own
  if (endpoint.style !== envelope || plain.status !== 200 || data === undefined || data === null) return plain;
  if (!(await hasToken(answered))) {
    // otherwise everybody could fill the store
    const warning = "the reply is public and was not wrapped: wrapping needs a valid token";
    return envelope.reply({ ...outcome, warnings: [...outcome.warnings, warning] }, call, endpoint, requestId);
  }
  const form = { format: input["format"], private_key_format: input["private_key_format"] };
  const { warnings, lease } = outcome;
  const info = await wrapReply(target.ca, { endpoint: endpoint.id, path: target.mount + target.path, data, warnings, lease, form }, ttl);
  Object.assign(note, { wrap_accessor: info.accessor, wrap_ttl: ttl });
  return envelope.reply({ data: null, warnings, lease: undefined, wrapInfo: info }, call, endpoint, requestId);
}

/** Whether a known token, or the process itself, asks; where a token is demanded it has been. */
async function hasToken({ target, call, endpoint }: Answered): Promise<boolean> {
  if (endpoint.access !== "open" || call.identity) return true;
  return call.token !== undefined && (await target.ca.ports.authenticate(call.token)) !== undefined;
}
