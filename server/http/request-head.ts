import { HttpError } from "./http-error.ts";
import {
  type RequestLine,
  space,
  badRequest,
  isHost,
  parseRequestLine,
  tokenBytes,
} from "./request-line.ts";

/** A parsed request head, and the framing of the following body. */
export interface RequestHead extends RequestLine {
  /** Offset of the first byte after the empty line. */
  readonly end: number;
  /** Length of the body in bytes, or -1 if it is chunked. */
  readonly length: number;
  /** Whether the client asks to close the connection after the response. */
  readonly close: boolean;
  /** Whether the client waits for 100 Continue. */
  readonly expect: boolean;
  /** Field values by lower-case name; the values of repeated fields are joined with ", ". */
  readonly fields: ReadonlyMap<string, string>;
}

const tab = 9;
const lf = 10;
const cr = 13;
const colonByte = 58;

/** The state of a parser for a request head. */
interface Parsing {
  readonly line: RequestLine;
  readonly fields: Map<string, string>;
  length: number;
  chunked: boolean;
  close: boolean;
  expect: boolean;
}

/**
 * Parses the request head at offset 0. Returns undefined while it is incomplete. Throws {@link
 * HttpError} for anything that two parsers could interpret differently (RFC 9112 sections 2.2, 3, 5
 * and 6.3).
 */
export function parseRequestHead(bytes: Buffer): RequestHead | undefined {
  // A client that sends TLS to a plain HTTP port may never send a line feed, so reject it at the
  // first byte.
  if (tokenBytes[bytes[0] ?? 0] !== 1) throw badRequest("malformed request line");
  const lineEnd = bytes.indexOf(lf) + 1;
  if (lineEnd === 0) return undefined;
  const parsing: Parsing = {
    line: parseRequestLine(bytes, lineEnd),
    fields: new Map(),
    length: -1,
    chunked: false,
    close: false,
    expect: false,
  };
  for (let at = lineEnd; at < bytes.length;) {
    if (bytes[at] === cr) {
      if (at + 1 >= bytes.length) return undefined;
      if (bytes[at + 1] !== lf) throw badRequest("the request head contains a bare CR");
      return finished(parsing, at + 2);
    }
    let colon = at;
    while (tokenBytes[bytes[colon] ?? 0] === 1) colon++;
    if (colon >= bytes.length) return undefined;
    if (bytes[colon] !== colonByte || colon === at)
      throw badRequest("a header line does not begin with a name and a colon");
    const stop = endOfValue(bytes, colon + 1);
    if (stop === undefined) return undefined;
    const name = bytes.toString("latin1", at, colon).toLowerCase();
    addField(parsing, name, valueOf(bytes, colon, stop));
    at = stop + 2;
  }
  return undefined;
}

/** Returns the offset of the CRLF that ends a field value, or undefined if it has not arrived. */
function endOfValue(bytes: Buffer, from: number): number | undefined {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= space ? byte !== 0x7f : byte === tab) continue;
    if (byte !== cr) throw badRequest("the request head contains a control character");
    if (at + 1 >= bytes.length) return undefined;
    if (bytes[at + 1] !== lf) throw badRequest("the request head contains a bare CR");
    return at;
  }
  return undefined;
}

const isBlank = (byte: number | undefined): boolean => byte === space || byte === tab;

/**
 * Returns a field value without surrounding whitespace. Uses no regular expression, which would
 * scan inner whitespace repeatedly.
 */
function valueOf(bytes: Buffer, colon: number, stop: number): string {
  let [begin, end] = [colon + 1, stop];
  while (begin < end && isBlank(bytes[begin])) begin++;
  while (end > begin && isBlank(bytes[end - 1])) end--;
  return bytes.toString("latin1", begin, end);
}

function addField(parsing: Parsing, name: string, value: string): void {
  const { fields } = parsing;
  const before = fields.get(name);
  if (before !== undefined) {
    if (name === "host") throw badRequest("the request has more than one Host header");
    if (name === "content-length")
      throw badRequest("the request has more than one Content-Length header");
    if (name === "transfer-encoding")
      throw badRequest("the request has more than one Transfer-Encoding header");
  }
  framing.get(name)?.(parsing, value);
  fields.set(name, before === undefined ? value : `${before}, ${value}`);
}

/** Handlers for the fields that determine framing and connection reuse. */
const framing = new Map<string, (parsing: Parsing, value: string) => void>([
  [
    "host",
    (_, value) => {
      if (!isHost(value)) throw badRequest("malformed Host");
    },
  ],
  [
    "content-length",
    (parsing, value) => {
      if (!/^[0-9]{1,15}$/.test(value)) throw badRequest("malformed Content-Length");
      parsing.length = Number(value);
    },
  ],
  [
    "transfer-encoding",
    (parsing, value) => {
      if (value.toLowerCase() !== "chunked")
        throw new HttpError(501, "the only supported Transfer-Encoding is chunked");
      parsing.chunked = true;
    },
  ],
  [
    "connection",
    (parsing, value) => {
      if (/(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(value)) parsing.close = true;
    },
  ],
  [
    "expect",
    (parsing, value) => {
      if (value.toLowerCase() !== "100-continue")
        throw new HttpError(417, "the only supported Expect is 100-continue");
      parsing.expect = true;
    },
  ],
]);

function finished({ line, fields, ...parsing }: Parsing, end: number): RequestHead {
  const { http10 } = line;
  if (parsing.chunked && parsing.length >= 0)
    throw badRequest("the request has both Content-Length and Transfer-Encoding");
  if (parsing.chunked && http10)
    throw badRequest("HTTP/1.0 requests must not have Transfer-Encoding");
  if (!fields.has("host") && !http10) throw badRequest("the request has no Host header");
  const length = parsing.chunked ? -1 : Math.max(0, parsing.length);
  return {
    ...line,
    end,
    length,
    close: parsing.close || http10,
    expect: parsing.expect && !http10 && length !== 0,
    fields,
  };
}
