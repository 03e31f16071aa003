import { hostForm, type TextForm } from "../base/forms.ts";
import { ipToBytes, ipToText, parseCidr } from "./address.ts";
import { schemeFromName, schemeName } from "./public-key.ts";
import { extKeyUsageName, extKeyUsageOid, keyUsageName } from "./usage.ts";

/** Normalizes an IP address to the form used in certificates and logs. */
export const addressForm: TextForm = (text) => {
  const bytes = ipToBytes(text.trim());
  return bytes ? ipToText(bytes) : text.trim().toLowerCase();
};
/** Normalizes a CIDR range by clearing host bits; a single address becomes a range. */
export const rangeForm: TextForm = (text) => {
  const name = text.trim();
  const size = name.includes("/") ? undefined : ipToBytes(name)?.length;
  const range = parseCidr(size === undefined ? name : `${addressForm(name)}/${8 * size}`);
  return range ? `${ipToText(range.address)}/${range.prefix}` : name.toLowerCase();
};
/**
 * Normalizes a common name or alternative name: an IP address with `addressForm`, and any other
 * name with `hostForm`.
 */
export const nameForm: TextForm = (text) =>
  ipToBytes(text.trim()) ? addressForm(text) : hostForm(text);
/** Normalizes the name of a key usage. */
export const keyUsageForm: TextForm = (text) => keyUsageName(text) ?? text.trim().toLowerCase();
/** Normalizes the name of an extended key usage. */
export const extKeyUsageForm: TextForm = (text) =>
  extKeyUsageName(extKeyUsageOid(text) ?? text.trim()) ?? text.trim().toLowerCase();
/** Normalizes a signature algorithm to its canonical name. */
export const schemeForm: TextForm = (text) => {
  const scheme = schemeFromName(text);
  return scheme ? schemeName(scheme) : text.trim().toLowerCase();
};
