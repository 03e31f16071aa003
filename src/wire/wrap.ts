import { parseDuration } from "../base/duration.ts";
import { CaError } from "../base/errors.ts";
import { systemTtl } from "../engine/new-mount.ts";
import { infoWith, newWrapping, wrapReply, type WrappedReply, type Wrapping } from "./wrapped.ts";
import type { Identity } from "../engine/ports.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { Call, Reply } from "./call.ts";
import type { CallerReply, Outcome, RoutedCall } from "./endpoint.ts";
import { int, text } from "./field.ts";
import { printedBy } from "./shape.ts";
import { envelope } from "./style.ts";

/** The members of `wrap_info`. */
export const wrapInfo = {
  token: text.required("Wrapping token, which can be unwrapped once."),
  accessor: text.required("Accessor of the token, for logs. It cannot unwrap the response."),
  ttl: int.required("Lifetime of the token in seconds."),
  creation_time: text.required("Time at which the response was wrapped, RFC 3339."),
  creation_path: text.required("Path of the request whose response was wrapped."),
  wrapped_accessor: text.optional(
    "Accessor of the token or AppRole secret ID that was wrapped; absent for other responses.",
  ),
} as const;

/**
 * Parses the requested TTL of a wrapping token and returns it in seconds. Returns undefined for ""
 * and 0, which do not request wrapping. Throws `malformed` if the duration is invalid, negative,
 * below a second or above 768 hours.
 */
export function parseWrapTtl(header: string): number | undefined {
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
  // rejects fractions of a second, which must not silently disable wrapping
  if (seconds === 0 && /[1-9]/.test(header)) refuse("it must be at least one second");
  if (seconds > systemTtl) refuse(`it must be at most ${systemTtl} seconds`);
  return seconds === 0 ? undefined : seconds;
}

/** A call that requests wrapping. */
interface WrapRequest {
  readonly routed: RoutedCall;
  readonly input: Readonly<Record<string, unknown>>;
  /** TTL of the wrapping token in seconds. */
  readonly ttl: number;
  /** Store context in which the wrapped response is stored. */
  readonly sys: StoreContext;
  /** Parts of the response that the handler has added so far. */
  readonly effects: Beside;
  /** Warnings about request members that have no effect. */
  readonly ignored: readonly string[];
}
/** The functions that wrap the response to a call. */
export interface ReplyWrapping extends WrapRequest {
  readonly wrapReply: NonNullable<CallerReply["wrapReply"]>;
  /** The response that the handler stored before its commit, if any. */
  readonly early: EarlyReply;
}
interface EarlyReply {
  wrapping?: Wrapping;
  /** The stored response as JSON. */
  reply?: string;
}
/** The parts of a response that is to be wrapped. */
interface Answer {
  /** The data as the handler returned it. `outcome` contains it in the dialect of the call. */
  readonly data: unknown;
  readonly outcome: Outcome;
  /**
   * Description of what the call issued. If the response cannot be wrapped, the error contains it.
   */
  readonly trace: string | undefined;
  /** Fields of the log event. */
  readonly fields: Record<string, string | number | boolean>;
  authenticate(): Promise<Identity | undefined>;
}
/** The parts of a response other than its data. */
type Beside = Pick<Outcome, "warnings" | "lease" | "auth">;

function storedReply(
  { routed: { endpoint, target }, input }: WrapRequest,
  data: unknown,
  { warnings, lease, auth }: Beside,
): WrappedReply {
  const form = printedBy(endpoint.reply, input);
  return {
    endpoint: endpoint.id,
    type: target.type,
    path: target.mount + target.path,
    data,
    warnings,
    lease,
    auth,
    form,
  };
}

/** Returns functions that wrap the response to a call, before or after its commit. */
export function replyWrapping(request: WrapRequest): ReplyWrapping {
  const early: EarlyReply = {};
  const wrapReply: ReplyWrapping["wrapReply"] = async (
    data,
    more = { warnings: [], lease: undefined },
  ) => {
    const { effects, ignored, routed, ttl } = request;
    const reply = storedReply(request, data, {
      warnings: [...ignored, ...effects.warnings, ...more.warnings],
      lease: more.lease ?? effects.lease,
      auth: more.auth ?? effects.auth,
    });
    early.wrapping ??= await newWrapping(routed.target.on.sys, reply.path, ttl);
    await early.wrapping.store(reply);
    early.reply = JSON.stringify(reply);
  };
  return { ...request, early, wrapReply };
}

/**
 * Returns the response to a call that requests wrapping (A 1.6): an envelope with `wrap_info`, or
 * `plain` if there is nothing to wrap because the response has no envelope, has no data, or is
 * public.
 */
export async function wrapRendered(
  wrapping: ReplyWrapping,
  { data, outcome, fields, trace, authenticate }: Answer,
  plain: Reply,
): Promise<Reply> {
  const { routed, ttl } = wrapping;
  const { call, endpoint } = routed;
  const { style } = endpoint;
  // responses in other styles, such as those of some wrapping endpoints, are not wrapped
  if ((style !== envelope && style.contents !== "auth") || plain.status >= 300) return plain;
  if (!outcome.auth && (data === undefined || data === null)) return plain;
  // a login has already issued its token, and a required token has already been verified
  if (!outcome.auth && endpoint.access === "open" && (await authenticate()) === undefined) {
    // if the response were wrapped, anonymous callers could fill the store
    const warning = "the response is public and was not wrapped: wrapping requires a valid token";
    return envelope.reply({ ...outcome, warnings: [...outcome.warnings, warning] }, routed);
  }
  const info = await wrapped(wrapping, storedReply(wrapping, data ?? null, outcome)).catch(
    (error: unknown) => {
      throw unwrappable(error, call, trace);
    },
  );
  Object.assign(fields, { wrap_accessor: info.accessor, wrap_ttl: ttl });
  return envelope.reply(
    { data: null, warnings: outcome.warnings, lease: undefined, status: 200, wrapInfo: info },
    routed,
  );
}

async function wrapped({ ttl, sys, early }: ReplyWrapping, reply: WrappedReply) {
  const { wrapping } = early;
  if (!wrapping) return wrapReply(sys, reply, ttl);
  // a failure is ignored, because the response stored earlier contains everything that cannot be
  // recomputed
  if (JSON.stringify(reply) !== early.reply) await wrapping.store(reply).catch(() => undefined);
  return infoWith(wrapping.info, reply);
}

/** Returns the error for a response that could not be wrapped although the change was committed. */
function unwrappable(error: unknown, { method }: Call, trace: string | undefined): unknown {
  if (!(error instanceof CaError) || method === "GET" || method === "LIST") return error;
  const issued = trace === undefined ? "" : `; ${trace}`;
  return new CaError(
    error.code,
    `the request was carried out, but its response could not be wrapped: ${error.message}${issued}`,
    { cause: error },
  );
}
