import { CaError } from "../../base/errors.ts";
import { listForm } from "../../base/forms.ts";
import { rangeForm } from "../../x509/forms.ts";
import { inRange, ipToBytes, ipToText, parseCidr } from "../../x509/address.ts";
import { permissionDenied } from "../entity/of-alias.ts";

/**
 * Returns a CIDR range unchanged, and a single address as a range that contains only that address.
 */
export const asRange = (range: string): string => {
  const size = range.includes("/") ? undefined : ipToBytes(range)?.length;
  return size === undefined ? range : `${range}/${8 * size}`;
};
/** Normalizes a list of CIDR ranges. */
export const rangesForm = listForm(rangeForm);
/** Reports whether an address is in one of the ranges. Returns true if there are no ranges. */
export const isWithin = (ranges: readonly string[], address: string | undefined): boolean =>
  ranges.length === 0 ||
  (address !== undefined && ranges.some((range) => inRange(address, asRange(range))));
/**
 * Requires that a login comes from an allowed address, as reported by the platform (security row
 * 53). Throws `forbidden` otherwise.
 */
export function requireAddress(ranges: readonly string[], address: string | undefined): void {
  if (!isWithin(ranges, address)) throw permissionDenied();
}

/**
 * Returns the ranges of `inner` that lie within a range of `outer`, or all of them if `outer` is
 * empty.
 */
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
/** Requires that each entry is a CIDR range or a single address. Throws `malformed` otherwise. */
export function checkRanges(field: string, ranges: readonly string[]): void {
  const wrong = ranges.find((range) => !parseCidr(range) && !ipToBytes(range));
  if (wrong !== undefined)
    throw new CaError(
      "malformed",
      `${field}: invalid CIDR address: ${wrong.slice(0, 64)}; use a range such as 192.0.2.0/24`,
    );
}
