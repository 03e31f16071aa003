import { flag, list, listOf, map, objects, text } from "../../wire/field.ts";

/** The fields of an order object (RFC 8555 section 7.1.3). */
export const orderReply = {
  status: text.required("`pending`, `ready`, `valid` or `invalid`.", [
    "pending",
    "ready",
    "valid",
    "invalid",
  ]),
  expires: text.required("Until when it can be finalized, RFC 3339."),
  identifiers: listOf({
    type: text.required("`dns` or `ip`."),
    value: text.required("The name or the address."),
  }).required("What the certificate is for, as it was asked for."),
  profile: text.optional("Name of the role that was asked for."),
  notAfter: text.optional("End of the certificate that was asked for, RFC 3339."),
  replaces: text.optional("Identifier of the certificate that this one is to replace (RFC 9773)."),
  warnings: list.optional(
    "What the CSR asked for and the certificate does not have, one sentence each; absent where nothing was left out.",
  ),
  authorizations: list.required("Addresses of the authorizations; later of the valid ones."),
  finalize: text.required("Where to send the CSR."),
  certificate: text.optional("Where the certificate is, once it is there."),
} as const;

/** The fields of an authorization object (RFC 8555 section 7.1.4). */
export const authorizationReply = {
  identifier: map.required("`type` and `value`, without `*.`."),
  status: text.required("`pending`, `valid`, `invalid` or `deactivated`.", [
    "pending",
    "valid",
    "invalid",
    "deactivated",
  ]),
  wildcard: flag.optional("True where it is for the wildcard below the name; else absent."),
  expires: text.optional("Until when it counts, RFC 3339, once it is valid."),
  challenges: objects.required(
    "`type`, `url`, `status`, `token`, and what came of them; once it is valid or invalid the one that decided.",
  ),
} as const;
