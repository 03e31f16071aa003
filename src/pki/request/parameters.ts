import { reference } from "../../base/names.ts";
import { caselessParameter, referenceParameter, serialParameter } from "../../base/forms.ts";
import type { Forms } from "../../wire/endpoint-list.ts";

const acmeName = /^[\w-]{1,64}$/;
/** Normal forms of path parameters of a mount with several spellings (A 2). */
export const forms: Forms = {
  issuer_ref: referenceParameter,
  path_ref: referenceParameter,
  key_ref: referenceParameter,
  key_id: caselessParameter,
  serial: serialParameter,
};
/** Patterns of path parameters of a mount; a path that does not match leads elsewhere (A 2). */
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
  // id of an external account binding, or of an account in its administration
  key_id: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  certificate_id: /^[\w.-]{1,128}$/,
  serial: /^[0-9A-Fa-f:-]+$/,
};
