import { hostForm, type TextForm } from "../base/forms.ts";
import { ipToBytes, ipToText, parseCidr } from "./address.ts";
import { schemeFromName, schemeName } from "./public-key.ts";
import { extKeyUsageName, extKeyUsageOid, keyUsageName } from "./usage.ts";

/** An IP address as certificates and logs show it. */
export const addressForm: TextForm = (text) => {
  const bytes = ipToBytes(text.trim());
  return bytes ? ipToText(bytes) : text.trim().toLowerCase();
};
/** A range of addresses without host bits; an address is the range of itself alone. */
export const rangeForm: TextForm = (text) => {
  const name = text.trim();
  const size = name.includes("/") ? undefined : ipToBytes(name)?.length;
  const range = parseCidr(size === undefined ? name : `${addressForm(name)}/${8 * size}`);
  return range ? `${ipToText(range.address)}/${range.prefix}` : name.toLowerCase();
};
/** A common name or an alternative name: an address, or a name as `hostForm` has it. */
export const nameForm: TextForm = (text) =>
  ipToBytes(text.trim()) ? addressForm(text) : hostForm(text);
/** A key usage by its name. */
export const keyUsageForm: TextForm = (text) => keyUsageName(text) ?? text.trim().toLowerCase();
/** An extended key usage by its name, however it is written. */
export const extKeyUsageForm: TextForm = (text) =>
  extKeyUsageName(extKeyUsageOid(text) ?? text.trim()) ?? text.trim().toLowerCase();
/** A signature algorithm by its canonical name. */
export const schemeForm: TextForm = (text) => {
  const scheme = schemeFromName(text);
  return scheme ? schemeName(scheme) : text.trim().toLowerCase();
};
