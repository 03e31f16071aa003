import { clusterConfig } from "../../pki/rows/settings.ts";
import { CaError, statusOfRefusal } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Call, Reply } from "../../wire/call.ts";
import type { RoutedCall, Outcome, RawReply, RefusedCall, Style } from "../../wire/endpoint.ts";
import { mediaTypeOf, plain } from "../../wire/style.ts";
import { newNonce } from "./nonce.ts";
import { AcmeProblem, problemDocument } from "./problem.ts";
import { type DirectoryRequest, aimOf, type Directory, isEnabled } from "./directory.ts";

/** Media type of ACME requests (RFC 8555 section 6.2). */
const joseType = "application/jose+json";
const problemType = "application/problem+json";

/** A link in a response (RFC 8288). */
export interface Link {
  readonly rel: "index" | "up";
  readonly url: string;
}
const linkText = ({ url, rel }: Link): string => `<${url}>;rel="${rel}"`;

/**
 * Returns the headers of a response: a fresh nonce if given, and one link, by default to the
 * directory (B 5.2, D 5).
 */
export const acmeHeaders = (
  nonce: string | undefined,
  directory: Directory,
  link: Link = { rel: "index", url: directory.url("/directory") },
): Readonly<Record<string, string>> => ({
  ...(nonce === undefined ? {} : { "replay-nonce": nonce }),
  link: linkText(link),
});

/**
 * Reports whether a request is a GET of the directory or of renewal information. These responses
 * carry no Replay-Nonce (RFC 8555 section 6.5), because clients cache them and would reuse the
 * nonce.
 */
const isPlainRead = ({ method }: Call, { suffix }: DirectoryRequest): boolean =>
  method === "GET" && /^\/(?:directory$|renewal-info\/)/.test(suffix);

/**
 * Returns the headers of an error response: a fresh nonce, except for plain reads, and a link,
 * unless the mount's own URL is not configured.
 */
async function headersOf({ target, call }: RefusedCall): Promise<Readonly<Record<string, string>>> {
  // only endpoints of mounts use this style
  const mount = target?.on as Mount;
  const config = await mount.config();
  if (!isEnabled(mount, config)) throw new CaError("acme_disabled", "");
  const aim = aimOf(config, target?.path ?? call.path);
  const { directory } = aim;
  const nonce = isPlainRead(call, aim)
    ? undefined
    : await newNonce(mount, config, { directory: directory.prefix });
  const { link = "", ...bare } = acmeHeaders(nonce, directory);
  return config.get(clusterConfig).path === "" ? bare : { ...bare, link };
}
/**
 * Returns the headers of an error response, or the error to report instead because ACME is disabled
 * or the path does not exist.
 */
async function headersOrAbsence(
  error: unknown,
  call: RefusedCall,
): Promise<Readonly<Record<string, string>> | CaError> {
  if (error instanceof CaError && error.code === "no_route") return error;
  try {
    return await headersOf(call);
  } catch (why) {
    // if the mount cannot be read for another reason, the response reports `error` without the
    // headers
    return why instanceof CaError && why.code === "acme_disabled" ? why : {};
  }
}

/** Returns an error response with a fresh nonce, which saves the client a request. */
async function refuse(error: unknown, call: RefusedCall): Promise<Reply> {
  const own = await headersOrAbsence(error, call);
  if (own instanceof CaError) return plain.refuse(own, call);
  const refused = error instanceof CaError ? error : undefined;
  const wait = refused?.code === "busy" ? { "retry-after": String(refused.retryAfter) } : {};
  return {
    status: refused ? statusOfRefusal(refused.code, false) : 500,
    headers: {
      "content-type": problemType,
      "cache-control": "no-store",
      "x-request-id": call.requestId,
      ...wait,
      ...own,
      ...(error instanceof AcmeProblem ? error.headers : {}),
    },
    body: JSON.stringify(problemDocument(error)),
  };
}

async function read({ call, body }: RoutedCall): Promise<Readonly<Record<string, unknown>>> {
  if (call.method === "GET") return {};
  requireJose(call);
  return { jws: await body() };
}
function requireJose(call: Call): void {
  if (mediaTypeOf(call.headers.get("content-type")) !== joseType)
    throw new CaError(
      "unsupported_media",
      `the Content-Type of an ACME request must be ${joseType}`,
    );
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

/** The style for ACME requests and responses (RFC 8555 section 6): JWS and problem documents. */
export const acmeStyle = {
  name: "plain",
  accepts: { POST: joseType },
  whole: "jws",
  refusesAs: problemType,
  done: 200,
  otherMethods:
    "method not allowed: send a JWS with POST, with an empty payload to read a resource",
  read,
  reply,
  refuse,
} as const satisfies Style;
/** The style for resources that are read with GET only (RFC 9773 section 4.1). */
export const getStyle = {
  ...acmeStyle,
  otherMethods: "method not allowed: use GET",
} as const satisfies Style;
