import { FrontRefusal } from "./refusal.ts";
import { type RequestLine, SP, bad, isHost, readRequestLine, tokenBytes } from "./request-line.ts";

/**
 * What the front has to know of a request: where its head ends, how its body is framed, what it
 * must not pass on.
 */
export interface RequestHead extends RequestLine {
  /** Offset behind the empty line. */
  end: number;
  /** Bytes of body, or -1 for chunked. */
  length: number;
  close: boolean;
  expect: boolean;
  host: boolean;
  /** Its lines of X-Forwarded-For as one (RFC 9110 section 5.3); empty where there is none. */
  forwarded: string;
  /** Pairs of offsets (from, to) of header lines that are left out. */
  dropped: number[];
}

const nothingRead = { end: 0, length: 0, close: false, expect: false, host: false, forwarded: "" };

const TAB = 9;

const LF = 10;

const CR = 13;

const COLON = 58;

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
  const head: RequestHead = { ...readRequestLine(bytes, lineEnd), ...nothingRead, dropped: [] };
  const seen: Seen = { length: -1, chunked: false, hosts: 0 };
  const reading: Reading = { bytes, head, seen, secrets };
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
    readHeader(reading, at, colon, lineStop);
    at = lineStop + 2;
  }
  return undefined;
}

interface Seen {
  length: number;
  chunked: boolean;
  hosts: number;
}

/** A head while it is read. */
interface Reading {
  readonly bytes: Buffer;
  readonly head: RequestHead;
  readonly seen: Seen;
  readonly secrets: readonly string[];
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

function readHeader(reading: Reading, at: number, colon: number, stop: number): void {
  const { bytes, head, seen, secrets } = reading;
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
  } else if (size === 15 && spells(bytes, at, "x-forwarded-for")) {
    // whether it is believed is judged here; behind the front it would say what nobody has judged
    head.forwarded += `,${valueOf(bytes, colon, stop)}`;
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
  head.close ||= head.http10;
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
