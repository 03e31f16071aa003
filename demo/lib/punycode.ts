import { decodePunycode } from "../../src/base/punycode.ts";

/**
 * Decodes an internationalized DNS name: `bücher.example` for `xn--bcher-kva.example`. Returns
 * undefined if no label is in Punycode, or if one is malformed.
 */
export function unicodeForm(name: string): string | undefined {
  const labels = name.toLowerCase().split(".");
  if (!labels.some((label) => label.startsWith("xn--"))) return undefined;
  const read = labels.map((label) =>
    label.startsWith("xn--") ? decodePunycode(label.slice(4)) : label,
  );
  return read.includes(undefined) ? undefined : read.join(".");
}
