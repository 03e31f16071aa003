import { inRange, ipToBytes, ipToText, parseCidr } from "../x509/address.ts";

/**
 * Parses comma-separated address ranges. Returns undefined if one is invalid, or covers all
 * addresses, which would let every client claim any address.
 */
export function parseRanges(text: string): readonly string[] | undefined {
  const ranges = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => (part.includes("/") ? part : `${part}/${part.includes(":") ? 128 : 32}`));
  return ranges.every((range) => (parseCidr(range)?.prefix ?? 0) > 0) ? ranges : undefined;
}

/** Reports whether an address is in one of the ranges. */
export const isAmong = (address: string, ranges: readonly string[]): boolean =>
  ranges.some((range) => inRange(address, range));

/**
 * Normalizes an IP address. Converts an IPv4-mapped IPv6 address to IPv4. Returns undefined for
 * other strings.
 */
export function canonicalAddress(address: string): string | undefined {
  const bytes = ipToBytes(address);
  return bytes && ipToText(bytes);
}
