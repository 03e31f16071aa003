import type { Bytes } from "./bytes.ts";
import { CaError } from "./errors.ts";

/** Returns the size in bytes of the length field for content of `length` bytes. */
export function lengthSize(length: number): number {
  return length < 0x80 ? 1 : length < 0x100 ? 2 : length < 0x10000 ? 3 : length < 0x1000000 ? 4 : 5;
}

/** Returns an element's encoded size, given the size of its content. */
export const elementSize = (length: number): number => 1 + lengthSize(length) + length;

/**
 * A writer that puts elements of known sizes into one buffer, to avoid an array for each element.
 */
export class DerWriter {
  private readonly out: Bytes;
  private at = 0;

  /** Creates a writer. `size` is the total size of the bytes that will be written. */
  constructor(size: number) {
    this.out = new Uint8Array(size);
  }

  /** Writes one byte. */
  byte(value: number): void {
    this.out[this.at++] = value;
  }

  /** Writes the tag and the length of an element. The content must be written next. */
  header(tag: number, length: number): void {
    this.byte(tag);
    if (length < 0x80) return this.byte(length);
    const size = lengthSize(length) - 1;
    this.byte(0x80 | size);
    for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) this.byte((length >>> shift) & 0xff);
  }

  /** Writes bytes unchanged, such as content or whole elements. */
  bytes(part: Uint8Array): void {
    const out = this.out;
    const at = this.at;
    const { length } = part;
    if (at + length > out.length) throw new TypeError("more bytes were written than announced");
    // below about 50 bytes, a loop was measured to be faster than `set`
    if (length < 48) for (let k = 0; k < length; k++) out[at + k] = part[k] ?? 0;
    else out.set(part, at);
    this.at = at + length;
  }

  /**
   * Returns the written bytes. Throws `TypeError` if their number differs from the announced size.
   */
  done(): Bytes {
    if (this.at !== this.out.length) throw new TypeError("fewer bytes were written than announced");
    return this.out;
  }
}

const encodedOids = new Map<string, Bytes>();
/**
 * Maximum number of cached object identifiers, each of about 20 bytes. It is limited because roles
 * contain arbitrary identifiers.
 */
const oidMemory = 1000;

function encodeOid(text: string): Bytes {
  const fail = (why: string): CaError =>
    new CaError("malformed", `object identifier ${text.slice(0, 80)}: ${why}`);
  if (text.length > 512 || !/^[0-2](\.(0|[1-9][0-9]*))+$/.test(text))
    throw fail("not in dotted-decimal notation, such as 1.2.840.113549");
  const arcs = text.split(".").map(Number);
  const [root = 0, second = 0, ...rest] = arcs;
  if (arcs.some((arc) => arc > Number.MAX_SAFE_INTEGER - 80)) throw fail("a number is too large");
  if (root < 2 && second > 39) throw fail("the second number is above 39");
  const bytes: number[] = [];
  for (const arc of [root * 40 + second, ...rest]) {
    const digits = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      digits.unshift((left % 128) | 0x80);
    bytes.push(...digits);
  }
  if (bytes.length > 128) throw fail("longer than 128 bytes");
  const writer = new DerWriter(elementSize(bytes.length));
  writer.header(0x06, bytes.length);
  for (const byte of bytes) writer.byte(byte);
  return writer.done();
}

/**
 * Encodes an OBJECT IDENTIFIER in dotted-decimal notation. Throws `CaError` `malformed` if `text`
 * is not an object identifier, if the encoding is longer than 128 bytes, or if a number is above
 * 2^53 - 81.
 */
export function oid(text: string): Bytes {
  const cached = encodedOids.get(text);
  if (cached) return cached;
  const der = encodeOid(text);
  if (encodedOids.size >= oidMemory) encodedOids.clear();
  encodedOids.set(text, der);
  return der;
}

/** Reports whether a string is an object identifier that `oid` can encode. */
export function isOid(text: string): boolean {
  try {
    return oid(text).length > 0;
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}

/**
 * Decodes the content of an OBJECT IDENTIFIER to dotted-decimal notation. If it is malformed,
 * throws the error that `refuse` creates.
 */
export function readOid(bytes: Uint8Array, refuse: (why: string) => CaError): string {
  if (bytes.length === 0 || bytes.length > 128 || (bytes.at(-1) ?? 0) >= 0x80)
    throw refuse("is not an object identifier of 1 to 128 bytes");
  let text = "";
  let arc = 0;
  let fresh = true;
  for (const byte of bytes) {
    if (fresh && byte === 0x80) throw refuse("has a number with leading zeros");
    arc = arc * 128 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) throw refuse("has a number above 2^53");
    fresh = byte < 0x80;
    if (!fresh) continue;
    const root = Math.min(Math.floor(arc / 40), 2);
    text = text === "" ? `${root}.${arc - 40 * root}` : `${text}.${arc}`;
    arc = 0;
  }
  return text;
}

/** The tag of UTCTime or GeneralizedTime. */
export type TimeTag = 0x17 | 0x18;

/** Unix seconds of 0000-01-01 and 9999-12-31T23:59:59Z, and of the beginnings of 1950 and 2050. */
const [firstSecond, lastSecond, utcFirst, utcEnd] = [
  -62167219200, 253402300799, -631152000, 2524608000,
];

/**
 * Reports whether certificates encode a time as UTCTime, which they do from 1950 to 2049 (RFC 5280
 * section 4.1.2.5).
 */
export const isUtcYear = (unixSeconds: number): boolean =>
  unixSeconds >= utcFirst && unixSeconds < utcEnd;

function timeElement(tag: TimeTag, unixSeconds: number): Bytes {
  if (!Number.isInteger(unixSeconds) || unixSeconds < firstSecond || unixSeconds > lastSecond) {
    throw new CaError(
      "malformed",
      `time ${unixSeconds}: not a whole second from the year 0 to 9999`,
    );
  }
  const date = new Date(unixSeconds * 1000);
  const year = date.getUTCFullYear();
  const pairs = [
    year % 100,
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ];
  if (tag === 0x18) pairs.unshift(Math.floor(year / 100));
  const length = 2 * pairs.length + 1;
  const writer = new DerWriter(elementSize(length));
  writer.header(tag, length);
  for (const pair of pairs) {
    writer.byte(0x30 + Math.floor(pair / 10));
    writer.byte(0x30 + (pair % 10));
  }
  writer.byte(0x5a);
  return writer.done();
}

/**
 * Encodes a time of any year as GeneralizedTime in whole seconds, as OCSP responses and the CRL
 * entry extension invalidityDate require.
 */
export const generalizedTime = (unixSeconds: number): Bytes => timeElement(0x18, unixSeconds);

/**
 * Encodes a time for certificates and CRLs, as UTCTime from 1950 to 2049 and as GeneralizedTime in
 * all other years (RFC 5280 section 4.1.2.5).
 */
export const time = (unixSeconds: number): Bytes =>
  timeElement(isUtcYear(unixSeconds) ? 0x17 : 0x18, unixSeconds);

/**
 * Parses the content of a time and returns Unix seconds. Returns undefined unless the time is
 * valid, in whole seconds, and ends with Z.
 */
export function readTime(tag: TimeTag, text: Uint8Array): number | undefined {
  const length = tag === 0x17 ? 13 : 15;
  // all characters except the Z at the end must be digits
  if (text.length !== length || text[length - 1] !== 0x5a) return undefined;
  const pairs: number[] = [];
  for (let i = 0; i < length - 1; i += 2) {
    const [tens, ones] = [(text[i] ?? 0) - 0x30, (text[i + 1] ?? 0) - 0x30];
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return undefined;
    pairs.push(10 * tens + ones);
  }
  // years with two digits are from 1950 to 2049 (RFC 5280 section 4.1.2.5.1)
  if (tag === 0x17) pairs.unshift((pairs[0] ?? 0) >= 50 ? 19 : 20);
  const [century = 0, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = pairs;
  const date = new Date(0);
  date.setUTCFullYear(100 * century + year, month - 1, day);
  // `setUTCFullYear` converts months and days that do not exist to later ones
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined;
  return date.getTime() / 1000 + 3600 * hour + 60 * minute + second;
}
