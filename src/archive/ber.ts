import { tlvOf } from "../base/der.ts";
import { CaError } from "../base/errors.ts";

/** Maximum nesting depth of elements, as in the DER parser. */
const maxDepth = 32;

interface Cursor {
  readonly bytes: Uint8Array;
  readonly where: string;
  at: number;
}

const refuse = ({ where, at }: Cursor, why: string): CaError =>
  new CaError("malformed", `${where}: ${why} at byte ${at}`);

/**
 * Converts BER, which NSS and older versions of Java write, to DER, to the extent that archives
 * need it. Makes lengths definite and minimal, and OCTET STRINGs primitive (X.690 sections 8.1.3
 * and 8.7). Throws `CaError` `malformed`.
 */
export function berToDer(bytes: Uint8Array, where: string): Uint8Array {
  const cursor: Cursor = { bytes, where, at: 0 };
  const der = convert(cursor, bytes.length, 0);
  if (cursor.at !== bytes.length) throw refuse(cursor, "there are extra bytes");
  return der;
}

function convert(cursor: Cursor, end: number, depth: number): Uint8Array {
  const { bytes } = cursor;
  if (depth > maxDepth) throw refuse(cursor, `nested deeper than ${maxDepth} levels`);
  const tag = bytes[cursor.at] ?? 0;
  if (cursor.at + 2 > end || (tag & 0x1f) === 0x1f) throw refuse(cursor, "no element");
  cursor.at++;
  const length = readLength(cursor, end);
  const isConstructed = (tag & 0x20) !== 0;
  if (length === undefined && !isConstructed)
    throw refuse(cursor, "a primitive element has an indefinite length");
  const contentEnd = length === undefined ? end : cursor.at + length;
  if (contentEnd > end) throw refuse(cursor, "an element ends early");
  if (!isConstructed) {
    const content = bytes.subarray(cursor.at, contentEnd);
    cursor.at = contentEnd;
    return tlvOf(tag, [content]);
  }
  const parts: Uint8Array[] = [];
  while (length === undefined ? !isEnd(cursor, contentEnd) : cursor.at < contentEnd)
    parts.push(convert(cursor, contentEnd, depth + 1));
  if (length === undefined) cursor.at += 2;
  return tag === 0x24 ? tlvOf(0x04, parts.map(octetsIn(cursor))) : tlvOf(tag, parts);
}

/** Reports whether the next two bytes are the zeros that end an indefinite length. */
function isEnd({ bytes, at, where }: Cursor, end: number): boolean {
  if (at + 2 > end)
    throw refuse({ bytes, at, where }, "an element with indefinite length does not end");
  return bytes[at] === 0 && bytes[at + 1] === 0;
}

/** Reads a length. Returns undefined if it is indefinite. */
function readLength(cursor: Cursor, end: number): number | undefined {
  const { bytes } = cursor;
  const first = bytes[cursor.at++] ?? 0;
  if (first < 0x80) return first;
  const size = first & 0x7f;
  if (size === 0) return undefined;
  if (size > 4 || cursor.at + size > end) throw refuse(cursor, "a length is truncated or too long");
  let length = 0;
  for (let i = 0; i < size; i++) length = length * 256 + (bytes[cursor.at++] ?? 0);
  return length;
}

/** Returns a function that returns the content of a converted OCTET STRING. */
const octetsIn =
  (cursor: Cursor) =>
  (der: Uint8Array): Uint8Array => {
    if (der[0] !== 0x04) throw refuse(cursor, "a part of an OCTET STRING is not an OCTET STRING");
    const first = der[1] ?? 0;
    return der.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f));
  };
