import type { Bytes } from "./bytes.ts";
import { DerWriter, elementSize } from "./der-writer.ts";
import { CaError } from "./errors.ts";

const knownOids = new Map<string, Bytes>();
/** Limit of the cache, because identifiers also come from roles: 1,000 * about 20 bytes. */
const oidMemory = 1000;

function encodeOid(text: string): Bytes {
  const fail = (why: string): CaError =>
    new CaError("malformed", `object identifier ${text.slice(0, 80)}: ${why}`);
  if (text.length > 512 || !/^[0-2](\.(0|[1-9][0-9]*))+$/.test(text))
    throw fail("not written as numbers with dots");
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
 * Encodes an OBJECT IDENTIFIER from its dotted text. Throws `CaError` `malformed` if it is invalid;
 * at most 128 bytes, each number below 2^53 - 80.
 */
export function oid(text: string): Bytes {
  const known = knownOids.get(text);
  if (known) return known;
  const der = encodeOid(text);
  if (knownOids.size >= oidMemory) knownOids.clear();
  knownOids.set(text, der);
  return der;
}

/** Reports whether a text is an object identifier that can be encoded. */
export function isOid(text: string): boolean {
  try {
    return oid(text).length > 0;
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}

/**
 * Decodes the content of an OBJECT IDENTIFIER to dotted text; throws the error that `refuse`
 * creates.
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
