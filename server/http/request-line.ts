import { HttpError } from "./http-error.ts";

/** The parsed parts of a request line. */
export interface RequestLine {
  readonly method: string;
  /** Path and query in canonical form, beginning with a slash. */
  readonly target: string;
  /**
   * Host and port from a target in absolute form, which override the Host header; undefined for
   * other forms.
   */
  readonly authority: string | undefined;
  readonly http10: boolean;
}

/** The code of a space. */
export const space = 32;
const hash = 35;
const slash = 47;

/** Table with 1 for each byte that a token may contain (RFC 9110 section 5.6.2). */
export const tokenBytes = new Uint8Array(256);
for (const byte of Buffer.from(
  "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  "latin1",
))
  tokenBytes[byte] = 1;

const hostValue = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?$/;

/**
 * Matches targets whose path a URL parser (WHATWG URL) changes before routing, so that an access
 * rule in front of the server would see another path.
 */
const resolved = /^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/** Matches the rest of a path, from the first backslash or dot segment up to the query. */
const fromResolved = /(?:\\|(?<=\/)(?:\.|%2e){1,2}(?=[/?]|$))[^?]*/i;

/** Matches the characters that URL parsers percent-encode in a path or a query. */
const escaped = /["'<>`{}^|]/;

let lastHost = "";

/**
 * Reports whether a Host value is valid in a URL. A port above 65535 or a malformed IP address
 * would otherwise throw later.
 */
export function isHost(value: string): boolean {
  // cached, because nearly all requests have the same host
  if (value === lastHost) return true;
  if (!hostValue.test(value) || !URL.canParse(`http://${value}/`)) return false;
  lastHost = value;
  return true;
}

/** Returns the error for a malformed request, with status 400. */
export function badRequest(text: string): HttpError {
  return new HttpError(400, text);
}

/**
 * Parses the request line, which ends at `lineEnd`. Throws {@link HttpError} if the line is
 * malformed, or if the method or the HTTP version is not supported.
 */
export function parseRequestLine(bytes: Buffer, lineEnd: number): RequestLine {
  let at = 0;
  while (tokenBytes[bytes[at] ?? 0] === 1) at++;
  const methodEnd = at;
  if (methodEnd === 0 || bytes[at] !== space) throw badRequest("malformed request line");
  const method = bytes.toString("latin1", 0, methodEnd);
  const from = ++at;
  for (let byte = bytes[at] ?? 0; byte > space && byte < 0x7f; byte = bytes[at] ?? 0) {
    if (byte === hash) throw badRequest("the request target contains a fragment");
    at++;
  }
  if (bytes[at] !== space) throw badRequest("malformed request line");
  const version = bytes.toString("latin1", at + 1, lineEnd);
  if (version !== "HTTP/1.1\r\n" && version !== "HTTP/1.0\r\n") {
    throw /^HTTP\/[0-9]\.[0-9]\r\n$/.test(version)
      ? new HttpError(505, "only HTTP/1.1 and HTTP/1.0 are supported")
      : badRequest("malformed request line");
  }
  if (method === "CONNECT") throw new HttpError(501, "CONNECT is not supported");
  const text = bytes.toString("latin1", from, at);
  const { authority, path } =
    bytes[from] === slash ? { authority: undefined, path: text } : parseAbsolute(text, method);
  return { method, target: canonicalTarget(path), authority, http10: version === "HTTP/1.0\r\n" };
}

/**
 * Parses a target in absolute form (RFC 9112 section 3.2.2). Throws {@link HttpError} if the
 * authority is not just a host and a port, for example if it contains user information.
 */
function parseAbsolute(
  target: string,
  method: string,
): { readonly authority: string; readonly path: string } {
  const [, authority = "", path = ""] = /^https?:\/\/([^/?]*)(.*)$/i.exec(target) ?? [];
  if (authority === "")
    throw badRequest("the request target must begin with a slash, or be an http or https URL");
  if (!isHost(authority)) throw badRequest("malformed host in the request target");
  // section 3.2.4: such a request is for the server as a whole, like `OPTIONS *`
  if (method === "OPTIONS" && path === "") throw badRequest("OPTIONS requires a path");
  return { authority, path: path.startsWith("/") ? path : `/${path}` };
}

/** Returns a path with its query in a form that is the same in all runtimes. */
function canonicalTarget(target: string): string {
  const plain = resolved.test(target) ? unresolved(target) : target;
  if (!escaped.test(plain)) return plain;
  const { pathname, search } = new URL(`http://localhost${plain}`);
  return pathname + search;
}

/**
 * Handles a target that a URL parser would read as another path. For the variables API, which
 * reports unknown paths itself, replaces the changed part with an encoded slash, which matches no
 * route. Throws {@link HttpError} for other targets.
 */
function unresolved(target: string): string {
  if (!target.startsWith("/api/v2/"))
    throw badRequest("the request target contains a dot segment or a backslash");
  return target.replace(fromResolved, "%2F");
}
