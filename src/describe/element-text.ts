import { colonHex, toHex } from "../base/bytes.ts";
import { readTime, readOid } from "../base/der-element.ts";
import { readDer, type Element, type Reader } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { tryRead } from "../base/try-read.ts";
import { oidName } from "./oid-names.ts";
import { latin1, stringText } from "./string-text.ts";

/** Formats an object identifier with its name, if it is known: `any policy (2.5.29.32.0)`. */
export function namedOid(oid: string): string {
  const name = oidName(oid);
  return name === undefined ? oid : `${name} (${oid})`;
}

/** Formats Unix milliseconds as `2026-11-28 17:04:05 UTC`. */
export const timeText = (milliseconds: number): string =>
  Math.abs(milliseconds) > 8.64e15
    ? `${milliseconds} ms since 1970`
    : `${new Date(milliseconds)
        .toISOString()
        .replace("T", " ")
        .replace(/(?:\.000)?Z$/, "")} UTC`;

/**
 * Formats the content of an INTEGER: as a decimal number up to eight bytes, and as hexadecimal
 * pairs otherwise.
 */
export const integerText = (content: Uint8Array): string =>
  content.length > 8
    ? colonHex(content)
    : BigInt.asIntN(content.length * 8, BigInt(`0x${toHex(content) || "0"}`)).toString();

/** Reads the next element and returns its text, or its DER in hexadecimal if it is not a string. */
export function readText(reader: Reader, what: string): string {
  const element = reader.element(what);
  return stringText(element) ?? toHex(element.der);
}

/** Formats an element of any universal type as text, or in hexadecimal if it has no text form. */
export function elementText({ tag, content, der }: Element): string {
  const text = stringText({ tag, content });
  if (text !== undefined) return text;
  if (tag === 0x01) return content[0] === 0 ? "no" : "yes";
  if (tag === 0x02 || tag === 0x0a) return integerText(content);
  if (tag === 0x05) return "present";
  if (tag === 0x06)
    return (
      tryRead(() => namedOid(readOid(content, (why) => new CaError("malformed", why)))) ??
      toHex(der)
    );
  if (tag === 0x17 || tag === 0x18) {
    const seconds = readTime(tag, content);
    return seconds === undefined ? latin1(content) : timeText(seconds * 1000);
  }
  return tag === 0x04 ? colonHex(content) : toHex(der);
}

/** Returns all strings in a structure, at any depth. */
export function stringsIn(der: Uint8Array, where: string): readonly string[] {
  const texts: string[] = [];
  const work = [readDer(der, where)];
  for (let reader = work.pop(); reader; reader = work.pop())
    while (reader.tag !== undefined) {
      const element = readDer(reader.raw("an element"), where);
      if (((element.tag ?? 0) & 0x20) !== 0) work.push(element.enter("an element", element.tag));
      else
        texts.push(
          ...[stringText(element.element("a value"))].filter((text) => text !== undefined),
        );
    }
  return texts;
}

/**
 * Returns the names of the set bits of a BIT STRING, or `bit` with its number for a bit without a
 * name.
 */
export function bitNames(
  { unused, bytes }: { readonly unused: number; readonly bytes: Uint8Array },
  names: readonly string[],
): readonly string[] {
  const count = 8 * bytes.length - unused;
  return Array.from({ length: count }, (_, i) => i)
    .filter((i) => (((bytes[i >> 3] ?? 0) << (i & 7)) & 0x80) !== 0)
    .map((i) => names[i] ?? `bit ${i}`);
}
