import { toHex } from "../../base/bytes.ts";
import { readDer, type Reader } from "../../base/der.ts";
import { ipToText } from "../../x509/address.ts";
import { integerText } from "../element-text.ts";
import type { ExtensionReaders } from "./reader.ts";

type Bits = ReturnType<Reader["bitString"]>;

/** Formats an address whose bits after a prefix are all zeros or all ones. */
function addressText({ unused, bytes }: Bits, size: number, fill: 0 | 0xff): string {
  const full = new Uint8Array(size).fill(fill);
  full.set(bytes.subarray(0, size));
  const last = bytes.length - 1;
  if (fill !== 0 && last >= 0) full[last] = (full[last] ?? 0) | ((1 << unused) - 1);
  return ipToText(full);
}

function rangeText(list: Reader, size: number): string {
  if (list.tag === 0x03) {
    const bits = list.bitString("a prefix");
    return `${addressText(bits, size, 0)}/${8 * bits.bytes.length - bits.unused}`;
  }
  const range = list.enter("a range");
  const from = addressText(range.bitString("its first address"), size, 0);
  return `${from} to ${addressText(range.bitString("its last address"), size, 0xff)}`;
}

const families: Readonly<Record<string, readonly [name: string, size: number]>> = {
  "0001": ["IPv4", 4],
  "0002": ["IPv6", 16],
};

function addressLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "IP address blocks").enter("IPAddrBlocks");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const family = list.enter("a family");
    const id = toHex(family.octets("the family"));
    const [name, size] = families[id.slice(0, 4)] ?? [`family ${id}`, 16];
    const ranges = family.optional("the ranges", 0x30);
    if (!ranges) lines.push(`${name}: inherited from the issuer`);
    while (ranges?.tag !== undefined) lines.push(`${name}: ${rangeText(ranges, size)}`);
  }
  return lines;
}

function numberText(list: Reader): string {
  if (list.tag === 0x02) return integerText(list.integer("a number"));
  const range = list.enter("a range");
  const from = integerText(range.integer("its first number"));
  return `${from} to ${integerText(range.integer("its last number"))}`;
}

function systemLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "autonomous system numbers").enter("ASIdentifiers");
  const lines: string[] = [];
  for (const [tag, name] of [
    [0xa0, "AS"],
    [0xa1, "Routing domain"],
  ] as const) {
    const choice = body.optional("the numbers", tag);
    const numbers = choice?.optional("the numbers", 0x30);
    if (choice && !numbers) lines.push(`${name}: inherited from the issuer`);
    while (numbers?.tag !== undefined) lines.push(`${name} ${numberText(numbers)}`);
  }
  return lines;
}

/** Readers of extensions for Internet number resources (RFC 3779, RFC 8360). */
export const resourceReaders: ExtensionReaders = {
  "1.3.6.1.5.5.7.1.7": addressLines,
  "1.3.6.1.5.5.7.1.8": systemLines,
  "1.3.6.1.5.5.7.1.28": addressLines,
  "1.3.6.1.5.5.7.1.29": systemLines,
};
