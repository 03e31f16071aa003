import { acmeTypeOf, CaError, statusOfRefusal, type Subproblem } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Call, Reply } from "../../wire/call.ts";
import type { Asked, Outcome, RawReply, Refused, Style } from "../../wire/endpoint.ts";
import { mediaTypeOf, plain } from "../../wire/style.ts";
import { newNonce } from "../jws/nonce.ts";
import { jwsAlgorithms } from "../jws/signature.ts";
import { aimOf, type Directory, isEnabled } from "./directory.ts";

/** Media type of the requests (RFC 8555 section 6.2). */
export const joseType = "application/jose+json";
const problemType = "application/problem+json";
/** What the error types of ACME begin with. */
export const errorPrefix = "urn:ietf:params:acme:error:";

/** A link of a reply (RFC 8288). */
export interface Link {
  readonly rel: "index" | "up";
  readonly url: string;
}
const linkText = ({ url, rel }: Link): string => `<${url}>;rel="${rel}"`;

/**
 * Headers of every reply: a fresh nonce, and one link. To the directory unless said (B 5.2, D 5).
 */
export const acmeHeaders = (
  nonce: string,
  directory: Directory,
  link: Link = { rel: "index", url: directory.url("/directory") },
): Readonly<Record<string, string>> => ({ "replay-nonce": nonce, link: linkText(link) });

const subproblem = ({ code, detail, identifier }: Subproblem) => ({
  type: errorPrefix + acmeTypeOf(code),
  detail,
  ...(identifier ? { identifier } : {}),
});
/** A refusal as a problem document (B 5.12); a defect says nothing of itself. */
export function problemOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof CaError))
    return { type: `${errorPrefix}serverInternal`, detail: "internal error" };
  return {
    type: errorPrefix + acmeTypeOf(error.code),
    detail: error.message,
    ...(error.subproblems.length > 0 ? { subproblems: error.subproblems.map(subproblem) } : {}),
    // what may be used instead has to stand there (RFC 8555 section 6.2)
    ...(error.code === "bad_signature_algorithm"
      ? { algorithms: error.algorithms ?? jwsAlgorithms }
      : {}),
  };
}

/**
 * The headers of a refusal, a fresh nonce among them, where the mount can be asked for one. No link
 * where it does not know its own address.
 */
async function headersOf({ place, call }: Refused): Promise<Readonly<Record<string, string>>> {
  // the style is given only to endpoints of mounts
  const ca = place?.on as Mount;
  const config = await ca.config();
  if (!isEnabled(ca, config)) throw new CaError("acme_disabled", "");
  const { directory } = aimOf(config, place?.path ?? call.path);
  const nonce = await newNonce(ca, config, directory.prefix);
  return config.cluster.path === "" ? { "replay-nonce": nonce } : acmeHeaders(nonce, directory);
}
/** The same, or why nothing of ACME is here at all. */
async function headersOrAbsence(
  error: unknown,
  asked: Refused,
): Promise<Readonly<Record<string, string>> | CaError> {
  if (error instanceof CaError && error.code === "no_route") return error;
  try {
    return await headersOf(asked);
  } catch (why) {
    // what else keeps the mount from being read stands in the refusal itself
    return why instanceof CaError && why.code === "acme_disabled" ? why : {};
  }
}

/** Every refusal carries a fresh nonce, so that the next request needs no other to fetch one. */
async function refuse(error: unknown, asked: Refused): Promise<Reply> {
  const own = await headersOrAbsence(error, asked);
  if (own instanceof CaError) return plain.refuse(own, asked);
  const told = error instanceof CaError ? error : undefined;
  const wait = told?.code === "busy" ? { "retry-after": String(told.retryAfter) } : {};
  return {
    status: told ? statusOfRefusal(told.code, false) : 500,
    headers: {
      "content-type": problemType,
      "cache-control": "no-store",
      "x-request-id": asked.requestId,
      ...wait,
      ...own,
      ...told?.headers,
    },
    body: JSON.stringify(problemOf(error)),
  };
}

async function read({ call, body }: Asked): Promise<Readonly<Record<string, unknown>>> {
  if (call.method === "GET") return {};
  demandJose(call);
  return { jws: await body() };
}
function demandJose(call: Call): void {
  if (mediaTypeOf(call.header("content-type")) !== joseType)
    throw new CaError("unsupported_media", `send Content-Type: ${joseType}`);
}

const isRaw = (data: unknown): data is RawReply =>
  typeof data === "object" && data !== null && "bytes" in data && "type" in data;
function reply({ data, status, headers }: Outcome): Reply {
  const own = { "cache-control": "no-store", ...headers };
  if (data === undefined) return { status, headers: own, body: null };
  const [type, body] = isRaw(data)
    ? [data.type, data.bytes]
    : ["application/json", JSON.stringify(data)];
  return { status, headers: { "content-type": type, ...own }, body };
}

/** Requests and replies of ACME (RFC 8555 section 6): JWS and problem documents. */
export const acmeStyle = {
  name: "plain",
  accepts: { POST: joseType },
  whole: "jws",
  refusesAs: problemType,
  done: 200,
  otherMethods: "method not allowed: read this with POST and an empty payload",
  read,
  reply,
  refuse,
} as const satisfies Style;
