import { flag, list, listOf, map, objects, text } from "../../wire/field.ts";

/** The fields of an order object (RFC 8555 section 7.1.3). */
export const orderReply = {
  status: text.required("`pending`, `ready`, `valid` or `invalid`.", [
    "pending",
    "ready",
    "valid",
    "invalid",
  ]),
  expires: text.required("Time at which the order expires, RFC 3339."),
  identifiers: listOf({
    type: text.required("`dns`, `ip`, `permanent-identifier` or `hardware-module`."),
    value: text.required("DNS name, IP address, or name of a device."),
  }).required("Requested identifiers."),
  profile: text.optional("Requested profile: the name of a role."),
  notAfter: text.optional("Requested end of the validity period (notAfter), RFC 3339."),
  replaces: text.optional("ID of the certificate to be replaced (RFC 9773)."),
  warnings: list.optional(
    "Requests in the CSR that the certificate does not honor, one sentence each; absent if there are none.",
  ),
  authorizations: list.required(
    "URLs of the authorizations. A finished order lists only the valid authorizations.",
  ),
  finalize: text.required("URL to which the CSR is posted."),
  certificate: text.optional("URL of the certificate, once issued."),
} as const;

/** The fields of an authorization object (RFC 8555 section 7.1.4). */
export const authorizationReply = {
  identifier: map.required("Identifier: `type` and `value`, without `*.`."),
  status: text.required(
    "`pending`, `valid`, `invalid`, `deactivated`, or `revoked` if the account's binding no longer authorizes it.",
    ["pending", "valid", "invalid", "deactivated", "revoked"],
  ),
  wildcard: flag.optional("True if the authorization is for a wildcard name; otherwise absent."),
  expires: text.optional("Time at which a valid authorization expires, RFC 3339."),
  challenges: objects.required(
    "Challenges: `type`, `url`, `status`, `token` and their result. A valid or invalid authorization lists only the deciding challenge, and a preauthorized one lists none.",
  ),
} as const;
