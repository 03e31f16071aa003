import { HttpError } from "./http-error.ts";

/** The parsed parts of a request line. */
export interface RequestLine {
  readonly method: string;
  /** Path and query, from the slash on, in canonical form. */
  readonly target: string;
  /**
   * Host and port of a target in absolute form, which override the Host header; undefined for other
   * forms.
   */
  readonly authority: string | undefined;
  readonly http10: boolean;
}

/** A space. */
export const space = 32;
const hash = 35;
const slash = 47;

/** 1 for each byte that a token can have (RFC 9110 section 5.6.2). */
export const tokenBytes = new Uint8Array(256);
for (const byte of Buffer.from(
  "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  "latin1",
))
  tokenBytes[byte] = 1;

const hostValue = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?$/;

/**
 * Matches paths that URL parsers change before routing (WHATWG URL), so that an access rule in
 * front would see another path.
 */
const resolved = /^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/** Matches the part of such a path from the first of these on. */
const fromResolved = /(?:\\|(?<=\/)(?:\.|%2e){1,2}(?=[/?]|$))[^?]*/i;

/** Characters that URL parsers percent-encode in a path or a query. */
const escaped = /["'<>`{}^|]/;

let lastHost = "";

/**
 * Reports whether a host is valid in a URL: a port above 65535 or a malformed IP address would
 * throw later.
 */
export function isHost(value: string): boolean {
  // nearly all requests name the same host
  if (value === lastHost) return true;
  if (!hostValue.test(value) || !URL.canParse(`http://${value}/`)) return false;
  lastHost = value;
  return true;
}

/** Returns the error for a malformed request. */
export function badRequest(text: string): HttpError {
  return new HttpError(400, text);
}

/** Parses the request line, which ends at `lineEnd`. Throws {@link HttpError}. */
export function parseRequestLine(bytes: Buffer, lineEnd: number): RequestLine {
  let at = 0;
  while (tokenBytes[bytes[at] ?? 0] === 1) at++;
  const methodEnd = at;
  if (methodEnd === 0 || bytes[at] !== space) throw badRequest("malformed request line");
  const method = bytes.toString("latin1", 0, methodEnd);
  const from = ++at;
  for (let byte = bytes[at] ?? 0; byte > space && byte < 0x7f; byte = bytes[at] ?? 0) {
    if (byte === hash) throw badRequest("a fragment in the request target");
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
 * Parses a target in absolute form (RFC 9112 section 3.2.2). Anything but host, port and path is
 * rejected, including user information.
 */
function parseAbsolute(
  target: string,
  method: string,
): { readonly authority: string; readonly path: string } {
  const [, authority = "", path = ""] = /^https?:\/\/([^/?]*)(.*)$/i.exec(target) ?? [];
  if (authority === "")
    throw badRequest("the request target must begin with a slash, or be an http or https address");
  if (!isHost(authority)) throw badRequest("malformed host in the request target");
  // section 3.2.4: such a request is about the server, like `OPTIONS *`
  if (method === "OPTIONS" && path === "") throw badRequest("OPTIONS needs a path");
  return { authority, path: path.startsWith("/") ? path : `/${path}` };
}

/** Returns the canonical form of a path and its query, which is the same in all runtimes. */
function canonicalTarget(target: string): string {
  const plain = resolved.test(target) ? unresolved(target) : target;
  if (!escaped.test(plain)) return plain;
  const { pathname, search } = new URL(`http://localhost${plain}`);
  return pathname + search;
}

/**
 * Handles a target that a URL parser would read as another path. The variables API reports unknown
 * paths itself; none of its paths contains an encoded slash, so such a path matches nothing.
 * Elsewhere the target is rejected.
 */
function unresolved(target: string): string {
  if (!target.startsWith("/api/v2/"))
    throw badRequest("a dot segment or a backslash in the request target");
  return target.replace(fromResolved, "%2F");
}
