import { inRange, ipToBytes, ipToText, parseCidr } from "../x509/address.ts";

/**
 * The ranges that a setting lists, separated by commas; undefined where one is none, or holds every
 * address there is: then whoever calls could say who he is.
 */
export function parseRanges(text: string): readonly string[] | undefined {
  const ranges = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => (part.includes("/") ? part : `${part}/${part.includes(":") ? 128 : 32}`));
  return ranges.every((range) => (parseCidr(range)?.prefix ?? 0) > 0) ? ranges : undefined;
}

/** Whether an address lies in one of some ranges. */
export const isAmong = (address: string, ranges: readonly string[]): boolean =>
  ranges.some((range) => inRange(address, range));

/** The one spelling of an address, IPv4 in the dress of IPv6 as IPv4; undefined for no address. */
export function canonicalAddress(address: string): string | undefined {
  const bytes = ipToBytes(address);
  return bytes && ipToText(bytes);
}
