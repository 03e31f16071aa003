import { CaError } from "../../base/errors.ts";
import { listForm } from "../../base/forms.ts";
import { rangeForm } from "../../x509/forms.ts";
import { inRange, ipToBytes, ipToText, parseCidr } from "../../x509/address.ts";
import { permissionDenied } from "../entity/of-alias.ts";

/** Returns a range, or the range of a single address. */
export const asRange = (range: string): string => {
  const size = range.includes("/") ? undefined : ipToBytes(range)?.length;
  return size === undefined ? range : `${range}/${8 * size}`;
};
/** Normalizes a list of ranges. */
export const rangesForm = listForm(rangeForm);
/** Reports whether an address is in one of the ranges, or there are none. */
export const isWithin = (ranges: readonly string[], address: string | undefined): boolean =>
  ranges.length === 0 ||
  (address !== undefined && ranges.some((range) => inRange(address, asRange(range))));
/**
 * Rejects a login from an address that is not allowed; uses the address that the platform reports
 * (security row 53).
 */
export function requireAddress(ranges: readonly string[], address: string | undefined): void {
  if (!isWithin(ranges, address)) throw permissionDenied();
}

/** Returns the ranges that are within one of `others`, or all of them if `others` is empty. */
export const rangesWithin = (
  outer: readonly string[],
  inner: readonly string[],
): readonly string[] =>
  outer.length === 0 ? inner : inner.filter((one) => outer.some((range) => lies(one, range)));
function lies(inner: string, outer: string): boolean {
  const [small, large] = [parseCidr(asRange(inner)), parseCidr(asRange(outer))];
  return (
    small !== undefined &&
    large !== undefined &&
    small.prefix >= large.prefix &&
    inRange(ipToText(small.address), asRange(outer))
  );
}
/** Rejects invalid address ranges; a single address is a range. */
export function checkRanges(field: string, ranges: readonly string[]): void {
  const wrong = ranges.find((range) => !parseCidr(range) && !ipToBytes(range));
  if (wrong !== undefined)
    throw new CaError(
      "malformed",
      `${field}: invalid CIDR address: ${wrong.slice(0, 64)}; write a range like 192.0.2.0/24`,
    );
}
