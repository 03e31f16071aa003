import { uuidPattern } from "../../base/ids.ts";
import { reference } from "../../base/names.ts";
import { caselessParameter, referenceParameter, serialParameter } from "../../base/forms.ts";
import type { Forms } from "../../wire/endpoint-list.ts";

const acmeName = /^[\w-]{1,64}$/;
/** Normal forms of a mount's URL path parameters that have several spellings (A 2). */
export const forms: Forms = {
  issuer_ref: referenceParameter,
  path_ref: referenceParameter,
  key_ref: referenceParameter,
  key_id: caselessParameter,
  serial: serialParameter,
};
/**
 * Patterns of a mount's URL path parameters. A path whose parameters do not match does not reach
 * the endpoint (A 2).
 */
export const parameters: Readonly<Record<string, RegExp>> = {
  name: reference,
  role: reference,
  policy: reference,
  issuer_ref: reference,
  path_ref: reference,
  key_ref: reference,
  shard: /^[1-9]\d{0,2}-(?:0|[1-9]\d{0,2})$/,
  // IDs of ACME accounts, orders and authorizations, and ACME challenge types
  account_id: acmeName,
  order_id: acmeName,
  auth_id: acmeName,
  challenge_type: acmeName,
  // ID of an external account binding key, or of an account in the account administration
  key_id: uuidPattern,
  certificate_id: /^[\w.-]{1,128}$/,
  serial: /^[0-9A-Fa-f:-]+$/,
};
