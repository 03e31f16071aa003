import { caselessParameter, referenceParameter, serialParameter } from "../../base/forms.ts";
import type { Forms } from "../../wire/endpoint-list.ts";

// no longer than what a key of a store can hold
const reference = /^\w(?:[\w.-]{0,253}\w)?$/;
const acmeName = /^[\w-]{1,64}$/;
/** Whether a text can name an issuer, a key or a role: letters, digits, `_`, inside `.` and `-`. */
export const isReference = (text: string): boolean => reference.test(text);
/** Forms of the parameters of a mount's paths that have several spellings (A 2). */
export const forms: Forms = {
  issuer_ref: referenceParameter,
  path_ref: referenceParameter,
  key_ref: referenceParameter,
  key_id: caselessParameter,
  serial: serialParameter,
};
/**
 * What the parameters of a mount's paths may look like; a path that does not fit is another path (A
 * 2).
 */
export const parameters: Readonly<Record<string, RegExp>> = {
  name: reference,
  role: reference,
  policy: reference,
  issuer_ref: reference,
  path_ref: reference,
  key_ref: reference,
  shard: /^[1-9]\d{0,2}-(?:0|[1-9]\d{0,2})$/,
  // ids of accounts, orders and authorizations of ACME, and types of challenges
  account_id: acmeName,
  order_id: acmeName,
  auth_id: acmeName,
  challenge_type: acmeName,
  // of an external account binding, and of an account where it is administered
  key_id: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  certificate_id: /^[\w.-]{1,128}$/,
  serial: /^[0-9A-Fa-f:-]+$/,
};
