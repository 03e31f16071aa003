import { FrontRefusal } from "./refusal.ts";

/**
 * What the front has to know of a request: where its head ends, how its body is framed, what it
 * must not pass on.
 */
export interface RequestHead {
  /** Offset behind the CRLF of the request line, and behind the empty line. */
  lineEnd: number;
  end: number;
  /** The request line to send instead, CRLF included; undefined: as it came. */
  line: string | undefined;
  /** Whether the answer has no body whatever it announces: HEAD. */
  bodiless: boolean;
  /** Whether it is a method whose body the runtime reads. */
  writes: boolean;
  /** Bytes of body, or -1 for chunked. */
  length: number;
  http10: boolean;
  close: boolean;
  expect: boolean;
  host: boolean;
  /**
   * Host and port of a target in absolute form, which stand for what the header says; undefined:
   * the target had none.
   */
  authority: string | undefined;
  /** Pairs of offsets (from, to) of header lines that are left out. */
  dropped: number[];
}

const TAB = 9;
const LF = 10;
const CR = 13;
const SP = 32;
const COLON = 58;
const HASH = 35;
const SLASH = 47;

const tokenBytes = new Uint8Array(256);
for (const byte of Buffer.from(
  "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  "latin1",
))
  tokenBytes[byte] = 1;

const hostValue = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?$/;

/**
 * What readers of addresses resolve away before they look at a path (WHATWG URL): a policy in front
 * would see another one.
 */
const resolved = /^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;
/** The path of such a target from the first of these on. */
const fromResolved = /(?:\\|(?<=\/)(?:\.|%2e){1,2}(?=[/?]|$))[^?]*/i;

/** The methods that some endpoint has; LIST becomes GET. */
const served = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/**
 * The runtime refuses methods that it does not know before the Worker sees them. This one it knows,
 * and no endpoint has it.
 */
const unserved = "PROPFIND";

let lastHost = "";

/**
 * Whether the runtime can make an address with it: a port above 65535, or numbers that are no IP
 * address, would end there as an error of ours.
 */
function isHost(value: string): boolean {
  // nearly all requests name the same one
  if (value === lastHost) return true;
  if (!hostValue.test(value) || !URL.canParse(`http://${value}/`)) return false;
  lastHost = value;
  return true;
}

function bad(text: string): FrontRefusal {
  return new FrontRefusal(400, text);
}

/**
 * Whether the bytes from `at` spell `name`, which must be lower case and no more than letters and
 * hyphens.
 */
function spells(bytes: Buffer, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[at + i] ?? 0;
    if ((byte >= 65 && byte <= 90 ? byte | 32 : byte) !== name.charCodeAt(i)) return false;
  }
  return true;
}

/**
 * Reads one request head at offset 0. Answers undefined while it is incomplete; throws {@link
 * FrontRefusal} for everything that two readers could understand differently (RFC 9112 sections
 * 2.2, 3, 5 and 6.3). Nothing is guessed: the request lines that are replaced (`line`) are those of
 * methods and targets that the runtime, or an address, would not let through as they are.
 * @param secrets lower-case names of headers that only the front may set
 */
export function readRequestHead(
  bytes: Buffer,
  secrets: readonly string[],
): RequestHead | undefined {
  // Callers that speak TLS to a plain port send no line feed for long; they need not wait for their
  // answer.
  if (tokenBytes[bytes[0] ?? 0] !== 1) throw bad("malformed request line");
  const lineEnd = bytes.indexOf(LF) + 1;
  if (lineEnd === 0) return undefined;
  const head = readRequestLine(bytes, lineEnd);
  const seen: Seen = { length: -1, chunked: false, hosts: 0 };
  for (let at = lineEnd; at < bytes.length;) {
    if (bytes[at] === CR) {
      if (at + 1 >= bytes.length) return undefined;
      if (bytes[at + 1] !== LF) throw bad("a bare CR in the head");
      head.end = at + 2;
      return finish(head, seen);
    }
    let colon = at;
    while (tokenBytes[bytes[colon] ?? 0] === 1) colon++;
    if (colon >= bytes.length) return undefined;
    if (bytes[colon] !== COLON || colon === at)
      throw bad("a header line does not begin with a name and a colon");
    const lineStop = endOfValue(bytes, colon + 1);
    if (lineStop === undefined) return undefined;
    readHeader(bytes, at, colon, lineStop, head, seen, secrets);
    at = lineStop + 2;
  }
  return undefined;
}

interface Seen {
  length: number;
  chunked: boolean;
  hosts: number;
}

function readRequestLine(bytes: Buffer, lineEnd: number): RequestHead {
  let at = 0;
  while (tokenBytes[bytes[at] ?? 0] === 1) at++;
  const methodEnd = at;
  if (methodEnd === 0 || bytes[at] !== SP) throw bad("malformed request line");
  const method = bytes.toString("latin1", 0, methodEnd);
  const target = ++at;
  for (let byte = bytes[at] ?? 0; byte > SP && byte < 0x7f; byte = bytes[at] ?? 0) {
    if (byte === HASH) throw bad("a fragment in the request target");
    at++;
  }
  if (bytes[at] !== SP) throw bad("malformed request line");
  const version = bytes.toString("latin1", at + 1, lineEnd);
  if (version !== "HTTP/1.1\r\n" && version !== "HTTP/1.0\r\n") {
    throw /^HTTP\/[0-9]\.[0-9]\r\n$/.test(version)
      ? new FrontRefusal(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
      : bad("malformed request line");
  }
  if (method === "CONNECT") throw new FrontRefusal(501, "CONNECT is not served");
  const absolute =
    bytes[target] === SLASH
      ? undefined
      : readAbsolute(bytes.toString("latin1", target, at), method);
  const line = lineInstead(method, absolute?.path ?? bytes.toString("latin1", target, at), version);
  return {
    lineEnd,
    end: 0,
    // the runtime gets every target in origin form
    line: line ?? (absolute && `${method} ${absolute.path} ${version}`),
    bodiless: method === "HEAD",
    writes: method === "POST" || method === "PUT" || method === "PATCH",
    length: 0,
    http10: version === "HTTP/1.0\r\n",
    close: version === "HTTP/1.0\r\n",
    expect: false,
    host: false,
    authority: absolute?.authority,
    dropped: [],
  };
}

/**
 * Takes a target in absolute form apart (RFC 9112 section 3.2.2). What is not plainly host, port
 * and path is refused, a user before the host too.
 */
function readAbsolute(
  target: string,
  method: string,
): { readonly authority: string; readonly path: string } {
  const [, authority = "", path = ""] = /^https?:\/\/([^/?]*)(.*)$/i.exec(target) ?? [];
  if (authority === "")
    throw bad("the request target must begin with a slash, or be an http or https address");
  if (!isHost(authority)) throw bad("malformed host in the request target");
  // section 3.2.4: this one asks about the server, as `OPTIONS *` does
  if (method === "OPTIONS" && path === "") throw bad("OPTIONS needs a path");
  return { authority, path: path.startsWith("/") ? path : `/${path}` };
}

/**
 * The request line that the runtime gets in place of one that it, or an address, would not let
 * through as it is; undefined for the others.
 */
function lineInstead(method: string, target: string, version: string): string | undefined {
  const path = resolved.test(target) ? unresolved(target) : target;
  // below /v1 a GET with list=true means the same; elsewhere LIST is a method like any that nobody
  // has
  if (method === "LIST" && path.startsWith("/v1/"))
    return `GET ${path}${path.includes("?") ? (/[?&]$/.test(path) ? "" : "&") : "?"}list=true ${version}`;
  const known = served.has(method);
  return known && path === target ? undefined : `${known ? method : unserved} ${path} ${version}`;
}

/**
 * A target that an address would read as another one. The variables API tells of every path that it
 * does not have in its own words; an encoded slash is in none that it has, so a path that ends in
 * one leads nowhere. Everywhere else such a target is refused.
 */
function unresolved(target: string): string {
  if (!target.startsWith("/api/v2/"))
    throw bad("a dot segment or a backslash in the request target");
  return target.replace(fromResolved, "%2F");
}

/** The offset of the CRLF that ends a value, or undefined while it has not arrived. */
function endOfValue(bytes: Buffer, from: number): number | undefined {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= SP ? byte !== 0x7f : byte === TAB) continue;
    if (byte !== CR) throw bad("a control character in the head");
    if (at + 1 >= bytes.length) return undefined;
    if (bytes[at + 1] !== LF) throw bad("a bare CR in the head");
    return at;
  }
  return undefined;
}

const isBlank = (byte: number | undefined): boolean => byte === SP || byte === TAB;
/** Without the blanks around it; pattern matching would look at those inside again and again. */
function valueOf(bytes: Buffer, colon: number, stop: number): string {
  let [begin, end] = [colon + 1, stop];
  while (begin < end && isBlank(bytes[begin])) begin++;
  while (end > begin && isBlank(bytes[end - 1])) end--;
  return bytes.toString("latin1", begin, end);
}

function readHeader(
  bytes: Buffer,
  at: number,
  colon: number,
  stop: number,
  head: RequestHead,
  seen: Seen,
  secrets: readonly string[],
): void {
  const size = colon - at;
  const drop = () => void head.dropped.push(at, stop + 2);
  if (size === 4 && spells(bytes, at, "host")) {
    if (++seen.hosts > 1) throw bad("more than one Host");
    if (!isHost(valueOf(bytes, colon, stop))) throw bad("malformed Host");
    if (head.authority !== undefined) drop();
  } else if (size === 14 && spells(bytes, at, "content-length")) {
    if (seen.length >= 0) throw bad("more than one Content-Length");
    const value = valueOf(bytes, colon, stop);
    if (!/^[0-9]{1,15}$/.test(value)) throw bad("malformed Content-Length");
    seen.length = Number(value);
  } else if (size === 17 && spells(bytes, at, "transfer-encoding")) {
    if (seen.chunked) throw bad("more than one Transfer-Encoding");
    if (valueOf(bytes, colon, stop).toLowerCase() !== "chunked")
      throw new FrontRefusal(501, "the only Transfer-Encoding served is chunked");
    seen.chunked = true;
  } else if (size === 10 && spells(bytes, at, "connection")) {
    if (/(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(valueOf(bytes, colon, stop))) head.close = true;
  } else if (size === 6 && spells(bytes, at, "expect")) {
    if (valueOf(bytes, colon, stop).toLowerCase() !== "100-continue")
      throw new FrontRefusal(417, "the only Expect served is 100-continue");
    head.expect = true;
    drop();
  } else if (size === 7 && spells(bytes, at, "upgrade")) {
    // RFC 9110 section 7.8: a server may ignore Upgrade; passed on it could turn the connection
    // into something this front cannot frame.
    drop();
  } else if (size > 3 && spells(bytes, at, "cf-")) {
    // On the deployed platform only the edge sets these; here nobody does.
    drop();
  } else if (secrets.some((name) => name.length === size && spells(bytes, at, name))) {
    drop();
  }
}

function finish(head: RequestHead, seen: Seen): RequestHead {
  if (seen.chunked && seen.length >= 0) throw bad("Content-Length together with Transfer-Encoding");
  if (seen.chunked && head.http10) throw bad("Transfer-Encoding in HTTP/1.0");
  if (seen.hosts === 0 && !head.http10) throw bad("no Host");
  head.host = seen.hosts === 1;
  head.length = seen.chunked ? -1 : Math.max(0, seen.length);
  head.expect &&= !head.http10 && head.length !== 0;
  return head;
}

/** The head as the runtime gets it, with the bytes of the body up to `stop`, in one piece. */
export function rewrittenHead(
  bytes: Buffer,
  head: RequestHead,
  stop: number,
  front: { readonly about: Buffer; readonly host: string },
): Buffer {
  const parts: Buffer[] = [
    head.line === undefined ? bytes.subarray(0, head.lineEnd) : Buffer.from(head.line, "latin1"),
    front.about,
  ];
  if (head.authority !== undefined || !head.host)
    parts.push(Buffer.from(`Host: ${head.authority ?? front.host}\r\n`, "latin1"));
  let from = head.lineEnd;
  for (let i = 0; i < head.dropped.length; i += 2) {
    parts.push(bytes.subarray(from, head.dropped[i]));
    from = head.dropped[i + 1] ?? from;
  }
  parts.push(bytes.subarray(from, stop));
  return Buffer.concat(parts);
}
