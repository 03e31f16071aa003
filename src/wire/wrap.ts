import { parseDuration } from "../base/duration.ts";
import { CaError } from "../base/errors.ts";
import { systemTtl } from "../engine/new-mount.ts";
import { infoWith, newWrapping, wrapReply, type KeptReply, type Wrapping } from "./wrapped.ts";
import type { Identity } from "../engine/ports.ts";
import type { Unit } from "../engine/unit.ts";
import type { Call, Reply } from "./call.ts";
import type { Asked, Caller, Outcome } from "./endpoint.ts";
import { int, text } from "./field.ts";
import { printedBy } from "./shape.ts";
import { envelope } from "./style.ts";

/** The members of `wrap_info`. */
export const wrapInfo = {
  token: text.required("The wrapping token, which unwraps the reply once."),
  accessor: text.required("Identifies the token in logs; it cannot unwrap the reply."),
  ttl: int.required("Lifetime of the token, seconds."),
  creation_time: text.required("When it was wrapped, RFC 3339."),
  creation_path: text.required("Path of the request whose reply was wrapped."),
  wrapped_accessor: text.optional(
    "Accessor of the token or AppRole secret id that was wrapped; absent for other replies.",
  ),
} as const;

/**
 * Seconds for which a header wants the reply behind a token; `undefined` for "" and 0: no wrapping.
 * Throws `malformed` for what is no duration, for a negative one, for one below a second, and above
 * 768 h.
 */
export function wrapTtl(header: string): number | undefined {
  const refuse = (why: string): never => {
    throw new CaError("malformed", `invalid wrapping TTL: ${why}`);
  };
  let seconds = 0;
  try {
    seconds = parseDuration(header.trim()) ?? 0;
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    refuse(error.message);
  }
  // whoever asks for half a second wants no plain reply
  if (seconds === 0 && /[1-9]/.test(header)) refuse("it must be at least one second");
  if (seconds > systemTtl) refuse(`it must be at most ${systemTtl} seconds`);
  return seconds === 0 ? undefined : seconds;
}

/** A call whose reply is wanted behind a token. */
export interface Wanted {
  readonly asked: Asked;
  readonly input: Readonly<Record<string, unknown>>;
  /** Seconds. */
  readonly ttl: number;
  /** Keeps the reply, where nothing was kept before. */
  readonly sys: Unit;
  who(): Promise<Identity | undefined>;
}
/** A reply that is behind its token before the call is answered. */
export interface Wrapped {
  wrapping?: Wrapping;
  /** As JSON. */
  reply?: string;
}
/** The call's answer. */
export interface Answer {
  /** The reply as the handler gave it; `outcome` has it as the call's dialect prints it. */
  readonly data: unknown;
  readonly outcome: Outcome;
  /** What its caller must learn of what was done even where the reply is lost. */
  readonly trace: string | undefined;
  /** What the log is told. */
  readonly note: Record<string, string | number | boolean>;
}
/** What stands beside a reply. */
type Beside = Pick<Outcome, "warnings" | "lease" | "auth">;

function keptReply(
  { asked: { endpoint, place }, input }: Wanted,
  data: unknown,
  { warnings, lease, auth }: Beside,
): KeptReply {
  const form = printedBy(endpoint.reply, input);
  return {
    endpoint: endpoint.id,
    type: place.type,
    path: place.mount + place.path,
    data,
    warnings,
    lease,
    auth,
    form,
  };
}

/**
 * What a handler keeps its reply by before it commits. `beside`: what stands beside the reply so
 * far.
 */
export const keeperOf =
  (wanted: Wanted, kept: Wrapped, beside: () => Beside): NonNullable<Caller["keep"]> =>
  async (data, more = { warnings: [], lease: undefined }) => {
    const { warnings, lease, auth } = beside();
    const reply = keptReply(wanted, data, {
      warnings: [...warnings, ...more.warnings],
      lease: more.lease ?? lease,
      auth: more.auth ?? auth,
    });
    kept.wrapping ??= await newWrapping(wanted.asked.place.on.sys, reply.path, wanted.ttl);
    await kept.wrapping.keep(reply);
    kept.reply = JSON.stringify(reply);
  };

/**
 * The answer to a call that asks for response wrapping (A 1.6): `plain` where there is nothing to
 * wrap, because it is no envelope, has no data, or is given to everybody, else an envelope whose
 * `wrap_info` stands for it.
 */
export async function replyWrapped(
  wanted: Wanted,
  kept: Wrapped,
  { data, outcome, note, trace }: Answer,
  plain: Reply,
): Promise<Reply> {
  const { asked, ttl } = wanted;
  const { call, endpoint } = asked;
  const { style } = endpoint;
  // some endpoints of wrapping itself have styles of their own
  if ((style !== envelope && style.holds !== "auth") || plain.status >= 300) return plain;
  if (!outcome.auth && (data === undefined || data === null)) return plain;
  // whoever has logged in is known
  if (!outcome.auth && !(await hasToken(wanted))) {
    // otherwise everybody could fill the store
    const warning = "the reply is public and was not wrapped: wrapping requires a valid token";
    return envelope.reply({ ...outcome, warnings: [...outcome.warnings, warning] }, asked);
  }
  const info = await wrapped(wanted, kept, keptReply(wanted, data ?? null, outcome)).catch(
    (error: unknown) => {
      throw unwrappable(error, call, trace);
    },
  );
  Object.assign(note, { wrap_accessor: info.accessor, wrap_ttl: ttl });
  return envelope.reply(
    { data: null, warnings: outcome.warnings, lease: undefined, status: 200, wrapInfo: info },
    asked,
  );
}

async function wrapped({ ttl, sys }: Wanted, { wrapping, reply: held }: Wrapped, reply: KeptReply) {
  if (!wrapping) return wrapReply(sys, reply, ttl);
  // what was kept is all that could not be had again: without what was said later it is better than
  // no reply
  if (JSON.stringify(reply) !== held) await wrapping.keep(reply).catch(() => undefined);
  return infoWith(wrapping.info, reply);
}

/** What was done is done: whoever is refused the reply must learn of it. */
function unwrappable(error: unknown, { method }: Call, trace: string | undefined): unknown {
  if (!(error instanceof CaError) || method === "GET" || method === "LIST") return error;
  const issued = trace === undefined ? "" : `; ${trace}`;
  return new CaError(
    error.code,
    `the request was carried out, but its reply could not be wrapped: ${error.message}${issued}`,
    { cause: error },
  );
}

/** Whether a known token, or the process itself, asks; where a token is demanded it has been. */
const hasToken = async ({ asked, who }: Wanted): Promise<boolean> =>
  asked.endpoint.access !== "open" || (await who()) !== undefined;
