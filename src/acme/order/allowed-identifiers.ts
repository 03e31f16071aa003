import { CaError } from "../../base/errors.ts";
import type { TextForm } from "../../base/forms.ts";
import { matchesGlob } from "../../base/glob.ts";
import { asciiOf, isWithinDnsLimits, truncateForMessage } from "../../base/names.ts";
import { allowsDevice, deviceGlobForm, parseDeviceGlob } from "../../pki/request/device-names.ts";
import { inRange, ipToBytes, ipToText, parseCidr } from "../../x509/address.ts";
import { isDeviceType } from "../../x509/device-name.ts";
import { rangeForm } from "../../x509/forms.ts";
import type { AcmeIdentifier } from "../rows/records.ts";

/** Maximum number of globs and ranges of a binding. */
const maxEntries = 100;

/** Reports whether a stored entry is a glob of device names. */
const isDevice = (entry: string): boolean => parseDeviceGlob(entry) !== undefined;
/** Reports whether a stored entry is a CIDR range rather than a glob of names. */
const isRange = (entry: string): boolean => entry.includes("/") && !isDevice(entry);
const isAddress = (text: string): boolean => isRange(text) || ipToBytes(text) !== undefined;

const asciiLabel = (label: string): string =>
  label.includes("*") ? label : (asciiOf(label) ?? label);
/**
 * Normalizes a glob of DNS names or devices, or a CIDR range, to its stored form. DNS names become
 * lower-case A-labels, as in orders; a single address becomes a range.
 */
export const allowedForm: TextForm = (text) => {
  if (isDevice(text)) return deviceGlobForm(text);
  const name = text.trim().toLowerCase();
  return isAddress(name)
    ? rangeForm(name)
    : name.replace(/\.$/, "").split(".").map(asciiLabel).join(".");
};

/**
 * Parses the allowed identifiers of a binding. Throws CaError `invalid_field` if there are none or
 * too many, or if one is invalid.
 */
export function readAllowed(entries: readonly string[]): readonly string[] {
  if (entries.length === 0 || entries.length > maxEntries)
    throw new CaError(
      "invalid_field",
      `allowed_identifiers must have 1 to ${maxEntries} entries, or be absent to allow any; got ${entries.length}`,
    );
  return [...new Set(entries.map(readEntry))];
}
function readEntry(text: string): string {
  const entry = allowedForm(text);
  if (isDevice(entry)) return entry;
  const why = isRange(entry) ? rangeFault(entry) : globFault(entry);
  if (why !== undefined)
    throw new CaError("invalid_field", `allowed_identifiers: ${truncateForMessage(text)} ${why}`);
  return entry;
}
const rangeFault = (entry: string): string | undefined =>
  parseCidr(entry) ? undefined : "is not a CIDR range such as 10.0.0.0/8";
function globFault(entry: string): string | undefined {
  if (/^[\d.*:]*$/.test(entry) && entry !== "*" && /[\d:]/.test(entry))
    return "matches no name: write addresses as a CIDR range, such as 10.0.0.0/8";
  return isWithinDnsLimits(entry) && entry.split(".").every((label) => /^[a-z0-9*-]+$/.test(label))
    ? undefined
    : "is not a DNS name in which * matches any characters, such as *.corp.example";
}

/**
 * Reports whether entries allow an identifier of an order. A wildcard requires a glob that begins
 * with `*`, so that the glob also matches every name that the wildcard covers. If `entries` is
 * undefined, any name or address is allowed, but no device.
 */
export const isAllowed = (
  entries: readonly string[] | undefined,
  { type, value }: AcmeIdentifier,
): boolean => {
  if (isDeviceType(type)) return allowsDevice(entries ?? [], { type, value });
  return (
    entries === undefined ||
    entries.some((entry) => {
      if (isDevice(entry)) return false;
      return isRange(entry)
        ? type === "ip" && inRange(value, entry)
        : type === "dns" && matchesGlob(entry, value);
    })
  );
};

/**
 * Reports whether entries allow everything that another entry allows. If `entries` is undefined,
 * any name or address is allowed, but no device.
 */
export const includesEntry = (entries: readonly string[] | undefined, other: string): boolean => {
  // only a `*` in an entry matches a `*` in `other`, so an entry that matches `other` covers every
  // name that `other` allows
  const device = parseDeviceGlob(other);
  if (device) return allowsDevice(entries ?? [], device);
  return (
    entries === undefined ||
    entries.some((entry) => {
      if (isDevice(entry)) return false;
      return isRange(entry)
        ? isRange(other) && isWithin(other, entry)
        : !isRange(other) && matchesGlob(entry, other);
    })
  );
};
function isWithin(inner: string, outer: string): boolean {
  const [small, large] = [parseCidr(inner), parseCidr(outer)];
  return (
    small !== undefined &&
    large !== undefined &&
    small.prefix >= large.prefix &&
    inRange(ipToText(small.address), outer)
  );
}
