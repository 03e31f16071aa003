import { toHex } from "../../../src/base/bytes.ts";
import { readOid, readTime } from "../../../src/base/der-element.ts";
import { CaError } from "../../../src/base/errors.ts";
import { oidName } from "../../../src/describe/oid-names.ts";
import { extensionName } from "../../../src/x509/oid.ts";
import { extKeyUsageName } from "../../../src/x509/usage.ts";
import { instant } from "../time-text.ts";
import { visible } from "../visible-text.ts";

/** An element of an ASN.1 structure for display. */
export interface Asn1 {
  /** Offset of the element in bytes. */
  readonly at: number;
  /** Number of content bytes. */
  readonly length: number;
  /** The tag in words, such as `SEQUENCE`, `INTEGER` or `[0]`. */
  readonly tag: string;
  /** The content as text; empty for constructed elements. */
  readonly value: string;
  readonly children: readonly Asn1[];
}

/** Maximum number of elements to show. */
export const maxElements = 2000;
const maxDepth = 32;
/** Maximum number of characters of a value to show. */
const maxShown = 400;

const tags: Readonly<Record<number, string>> = {
  1: "BOOLEAN",
  2: "INTEGER",
  3: "BIT STRING",
  4: "OCTET STRING",
  5: "NULL",
  6: "OBJECT IDENTIFIER",
  10: "ENUMERATED",
  12: "UTF8String",
  16: "SEQUENCE",
  17: "SET",
  18: "NumericString",
  19: "PrintableString",
  20: "TeletexString",
  22: "IA5String",
  23: "UTCTime",
  24: "GeneralizedTime",
  26: "VisibleString",
  28: "UniversalString",
  30: "BMPString",
};
const texts: ReadonlySet<number> = new Set([12, 18, 19, 22, 26]);

const nameOf = (oid: string): string =>
  oidName(oid) ?? extensionName(oid)?.toLowerCase() ?? extKeyUsageName(oid) ?? "";

interface Head {
  readonly first: number;
  readonly number: number;
  readonly content: number;
  readonly end: number;
}

/**
 * Parses the tag and the length of the element at the given offset. Returns undefined if they are
 * not valid DER.
 */
function headAt(bytes: Uint8Array, at: number, end: number): Head | undefined {
  const first = bytes[at];
  const short = bytes[at + 1];
  if (first === undefined || short === undefined || at + 2 > end) return undefined;
  if ((first & 0x1f) === 0x1f) return undefined;
  const size = short < 0x80 ? 0 : short & 0x7f;
  if (short === 0x80 || size > 4) return undefined;
  let length = size === 0 ? short : 0;
  for (let i = 0; i < size; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  const content = at + 2 + size;
  return content + length > end
    ? undefined
    : { first, number: first & 0x1f, content, end: content + length };
}

const cut = (text: string): string =>
  text.length > maxShown ? `${text.slice(0, maxShown)}… ${text.length} characters` : text;

function contentText(number: number, content: Uint8Array): string {
  if (number === 1) return content[0] === 0 ? "false" : "true";
  if (number === 2 || number === 10)
    return content.length <= 6
      ? BigInt.asIntN(content.length * 8, BigInt(`0x${toHex(content) || "0"}`)).toString()
      : `0x${toHex(content)}`;
  if (number === 3) return `${content.length - 1} bytes: ${toHex(content.subarray(1))}`;
  if (number === 5) return "";
  if (number === 6) {
    try {
      const oid = readOid(content, (why) => new CaError("malformed", why));
      const name = nameOf(oid);
      return name === "" ? oid : `${oid} ${name}`;
    } catch (error) {
      if (error instanceof CaError) return `not readable: ${toHex(content)}`;
      throw error;
    }
  }
  if (number === 23 || number === 24) {
    const time = readTime(number === 23 ? 0x17 : 0x18, content);
    const text = visible(new TextDecoder().decode(content));
    return time === undefined ? text : `${text}, ${instant(new Date(time * 1000))}`;
  }
  if (texts.has(number)) return visible(new TextDecoder().decode(content));
  if (number === 30) return visible(new TextDecoder("utf-16be").decode(content));
  return `${content.length} bytes: ${toHex(content)}`;
}

/** Parses a structure into its elements. Content that is not valid DER is shown as bytes. */
export function asn1(bytes: Uint8Array): { readonly all: readonly Asn1[]; readonly cut: boolean } {
  let left = maxElements;
  /** Parses the elements in a range. Returns undefined if they do not fill the range exactly. */
  const elements = (from: number, end: number, depth: number): readonly Asn1[] | undefined => {
    const elements: Asn1[] = [];
    for (let at = from; at < end;) {
      const head = headAt(bytes, at, end);
      if (!head || depth > maxDepth) return undefined;
      if (left-- <= 0) return elements;
      elements.push(element(at, head, depth));
      at = head.end;
    }
    return elements;
  };
  const element = (at: number, { first, number, content, end }: Head, depth: number): Asn1 => {
    const universal = first < 0x40;
    const tag = universal ? (tags[number] ?? `tag ${number}`) : `[${number}]`;
    const length = end - content;
    const inside = (from: number): readonly Asn1[] | undefined =>
      end > from ? elements(from, end, depth + 1) : undefined;
    if ((first & 0x20) !== 0)
      return { at, length, tag, value: "", children: inside(content) ?? [] };
    // Octet strings and bit strings can contain DER, as those of extensions and keys do.
    const wraps = universal && (number === 4 || (number === 3 && bytes[content] === 0));
    const starts = bytes[content + (number === 3 ? 1 : 0)];
    const before = left;
    const inner =
      wraps && (starts === 0x30 || number === 4) && length > 2
        ? inside(content + (number === 3 ? 1 : 0))
        : undefined;
    if (inner && inner.length > 0)
      return { at, length, tag, value: "contains DER", children: inner };
    left = before;
    const raw = bytes.subarray(content, end);
    const value = universal
      ? contentText(number, raw)
      : /^[\x20-\x7e]+$/.test(new TextDecoder().decode(raw))
        ? new TextDecoder().decode(raw)
        : toHex(raw);
    return { at, length, tag, value: cut(value), children: [] };
  };
  const all = elements(0, bytes.length, 0) ?? [];
  return { all, cut: left <= 0 };
}
