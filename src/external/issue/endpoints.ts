import type { Refusal } from "../../base/errors.ts";
import { keyTypeDoc, keyTypes, usualSizeDoc } from "../../algorithms/table.ts";
import {
  certificateReply,
  certificateFormatFields,
  keyAliasField,
  keyFormatField,
  privateKeyReply,
} from "../../pki/request/fields.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { flag, int, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";

const chainField = {
  remove_roots_from_chain: flag.default(false, "Omit self-signed certificates from `ca_chain`."),
} as const;
const csrField = {
  csr: text.requiredOr("", "Certificate signing request, PEM."),
} as const;
/**
 * The properties of all endpoints in this file. Unknown fields are passed to the service unchanged.
 */
const declared = {
  access: "token",
  style: envelope,
  rest: true,
  audits: { always: true },
} as const;
const refuses = [
  "malformed",
  "policy_refused",
  "policy_failed",
  "unknown_issuer",
  "unusable_issuer",
  "validity",
  "constraint",
  "busy",
] as const satisfies readonly Refusal[];

export const issueByPolicy = endpoint({
  ...declared,
  id: "issueByPolicy",
  at: [
    "POST /external-policy/issue(/:policy)",
    "POST /issuer/:issuer_ref/external-policy/issue(/:policy)",
  ],
  doc: "Generates a key and issues the certificate that the external policy service returns. The service receives all other parameters. The key is returned once and not stored.",
  body: {
    key_type: text.default("rsa", `${keyTypeDoc}.`, keyTypes),
    key_bits: int.default(0, `Key size in bits; 0 means ${usualSizeDoc}.`),
    ...certificateFormatFields,
    ...keyAliasField,
    ...keyFormatField,
    ...chainField,
  },
  reply: { ...certificateReply, ...privateKeyReply },
  refuses: ["invalid_field", ...refuses],
  run: async (mount, input, caller) =>
    (await import("./issuing.ts")).issueByPolicy(mount, input, caller),
});

export const signByPolicy = endpoint({
  ...declared,
  id: "signByPolicy",
  at: [
    "POST /external-policy/sign(/:policy)",
    "POST /issuer/:issuer_ref/external-policy/sign(/:policy)",
  ],
  doc: "Issues the certificate that the external policy service returns for a CSR. The service receives all other parameters.",
  body: { ...csrField, ...certificateFormatFields, ...keyFormatField, ...chainField },
  reply: certificateReply,
  refuses: ["invalid_field", "bad_csr", "bad_key", ...refuses],
  run: async (mount, input, caller) =>
    (await import("./issuing.ts")).signByPolicy(mount, input, caller),
});

export const signCaByPolicy = endpoint({
  ...declared,
  id: "signIntermediateByPolicy",
  at: [
    "POST /external-policy/sign-intermediate(/:policy)",
    "POST /issuer/:issuer_ref/external-policy/sign-intermediate(/:policy)",
  ],
  doc: "Signs the CA certificate that the external policy service returns for a CSR. The service receives all other parameters. Both the service and the holder of the CA certificate can create certificates for any name.",
  body: { ...csrField, ...certificateFormatFields, ...keyFormatField },
  reply: certificateReply,
  refuses: ["invalid_field", "bad_csr", "bad_key", ...refuses],
  run: async (mount, input, caller) =>
    (await import("./issuing.ts")).signCaByPolicy(mount, input, caller),
});
