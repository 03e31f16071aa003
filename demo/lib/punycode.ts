import { decodePunycode } from "../../src/base/punycode.ts";

/**
 * Reads names of other scripts out of their form in the DNS, to show both: `bücher.example` of
 * `xn--bcher-kva.example`; undefined when no label is punycode or one is broken.
 */
export function unicodeForm(name: string): string | undefined {
  const labels = name.toLowerCase().split(".");
  if (!labels.some((label) => label.startsWith("xn--"))) return undefined;
  const read = labels.map((label) =>
    label.startsWith("xn--") ? decodePunycode(label.slice(4)) : label,
  );
  return read.includes(undefined) ? undefined : read.join(".");
}
