import { compareBytes, utf8, type Bytes } from "./bytes.ts";
import { DerWriter, elementSize, lengthSize } from "./der-element.ts";
import { CaError } from "./errors.ts";

export { checkDer, Reader, readEach as each, readDer, type Element } from "./der-read.ts";
export { generalizedTime, isOid, oid, time } from "./der-element.ts";

const none: Bytes = new Uint8Array(0);

/** Encodes the tag and the length of an element whose content is encoded separately. */
export function tagAndLength(tag: number, length: number): Bytes {
  const writer = new DerWriter(1 + lengthSize(length));
  writer.header(tag, length);
  return writer.done();
}

/**
 * Encodes an element whose content is an array of parts, which may be too long to be passed as
 * arguments.
 */
export function tlvOf(tag: number, parts: readonly Uint8Array[]): Bytes {
  let length = 0;
  for (let i = 0; i < parts.length; i++) length += parts[i]?.length ?? 0;
  const writer = new DerWriter(elementSize(length));
  writer.header(tag, length);
  for (let i = 0; i < parts.length; i++) writer.bytes(parts[i] ?? none);
  return writer.done();
}

/** Encodes an element with the parts as its content. */
export const tlv = (tag: number, ...parts: readonly Uint8Array[]): Bytes => tlvOf(tag, parts);

/** Encodes a SEQUENCE of the parts. */
export const sequence = (...parts: readonly Uint8Array[]): Bytes => tlvOf(0x30, parts);

/** Encodes a SET OF with the parts, which it sorts by their encoding (X.690 section 11.6). */
export const set = (...parts: readonly Uint8Array[]): Bytes =>
  tlvOf(0x31, parts.length < 2 ? parts : [...parts].sort(compareBytes));

/** Encodes an element with the context-specific tag `[n] EXPLICIT`. */
export const explicit = (n: number, ...parts: readonly Uint8Array[]): Bytes =>
  tlvOf(0xa0 | n, parts);

function magnitude(value: number): Bytes {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new TypeError("an INTEGER must be a whole number from 0 to 2^53 - 1");
  let length = 0;
  for (let left = value; left > 0; left = Math.floor(left / 256)) length++;
  const bytes = new Uint8Array(length);
  for (let left = value, at = length - 1; at >= 0; left = Math.floor(left / 256), at--)
    bytes[at] = left % 256;
  return bytes;
}

const zero = Uint8Array.of(0);

/**
 * Encodes a nonnegative INTEGER, given as a number or as an unsigned big-endian magnitude, which
 * may have leading zeros.
 */
export function integer(value: Uint8Array | number): Bytes {
  const bytes = typeof value === "number" ? magnitude(value) : value;
  let first = 0;
  while (first < bytes.length && bytes[first] === 0) first++;
  if (first === bytes.length) return tlvOf(0x02, [zero]);
  const digits = first === 0 ? bytes : bytes.subarray(first);
  return tlvOf(0x02, (digits[0] ?? 0) < 0x80 ? [digits] : [zero, digits]);
}

/** Encodes an OCTET STRING with its own tag or an implicit tag. */
export const octets = (bytes: Uint8Array, tag = 0x04): Bytes => tlvOf(tag, [bytes]);

/** Encodes a BIT STRING whose last byte has `unused` (0 to 7) unused bits. */
export const bitString = (bytes: Uint8Array, unused = 0): Bytes =>
  tlvOf(0x03, [unused === 0 ? zero : Uint8Array.of(unused), bytes]);

/** Encodes a UTF8String. */
export const utf8String = (text: string): Bytes => tlvOf(0x0c, [utf8(text)]);

/** Characters allowed in a PrintableString in names: letters, digits, space and `'()+,-./:=?`. */
const printableBytes: Uint8Array = (() => {
  const table = new Uint8Array(128);
  for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 '()+,-./:=?")
    table[char.charCodeAt(0)] = 1;
  return table;
})();

/**
 * Encodes a string of ASCII characters. Returns undefined if a character is not in ASCII or not in
 * `allowed`.
 */
function asciiElement(tag: number, text: string, allowed?: Uint8Array): Bytes | undefined {
  const writer = new DerWriter(elementSize(text.length));
  writer.header(tag, text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127 || (allowed && allowed[code] !== 1)) return undefined;
    writer.byte(code);
  }
  return writer.done();
}

/**
 * Encodes a string in a name as a PrintableString if its characters allow that, and as a UTF8String
 * otherwise.
 */
export const directoryString = (text: string): Bytes =>
  asciiElement(0x13, text, printableBytes) ?? utf8String(text);

/**
 * Encodes an IA5String with its own tag or an implicit tag. Throws `CaError` `malformed` if a
 * character is not in ASCII.
 */
export function ia5String(text: string, tag = 0x16): Bytes {
  const element = asciiElement(tag, text);
  if (element) return element;
  throw new CaError(
    "malformed",
    `IA5String: ${JSON.stringify(text.slice(0, 80))} has characters outside ASCII`,
  );
}

const yes = Uint8Array.of(0x01, 0x01, 0xff);
const no = Uint8Array.of(0x01, 0x01, 0x00);

/**
 * Encodes a BOOLEAN. Callers must omit a value that equals the component's DEFAULT (X.690 section
 * 11.5).
 */
export const boolean = (value: boolean): Bytes => (value ? yes : no);

/** An encoded NULL, as in the parameters of RSA algorithms. */
export const nullValue: Bytes = Uint8Array.of(0x05, 0x00);

/** An empty byte array, for an absent OPTIONAL part. */
export const absentPart: Bytes = none;
