import { flag, list, text } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";
import { formatField, lifetimeFields, metadataFields, signatureFields } from "../request/fields.ts";
import { csrField } from "./sign.ts";

/** Fields of a verbatim signature. */
export const verbatimFields = {
  ...csrField,
  ...lifetimeFields,
  ...formatField,
  ...signatureFields,
  ...metadataFields,
  key_usage: list.default(
    ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
    "Key usages where the CSR asks for none; empty for no extension.",
  ),
  ext_key_usage: list.default([], "Extended key usages by name where the CSR asks for none."),
  ext_key_usage_oids: list.default([], "Extended key usages by OID where the CSR asks for none."),
  enforce_leaf_not_after_behavior: flag.default(
    false,
    "Accepted; the issuer's rule for leaves decides always.",
  ),
  remove_roots_from_chain: flag.default(false, "Leave self-signed certificates out of `ca_chain`."),
  common_name: text.default("", "Accepted; the subject is the CSR's."),
  alt_names: text.default("", "Accepted; the names are the CSR's."),
  ip_sans: list.default([], "Accepted; the names are the CSR's."),
  uri_sans: list.default([], "Accepted; the names are the CSR's."),
  other_sans: list.default([], "Accepted; the names are the CSR's."),
  serial_number: text.default("", "Accepted; the subject is the CSR's."),
  user_ids: list.default([], "Accepted; the subject is the CSR's."),
  issuer_ref: text.optional("The issuer where neither path nor role names one."),
} as const;

/** What clients send to all three signing endpoints and means nothing to this one (A 8.2). */
export const verbatimIgnores = ["exclude_cn_from_sans", "private_key_format"] as const;

/** What a verbatim signature is asked. */
export type VerbatimInput = Input<
  typeof verbatimFields,
  "POST /sign-verbatim(/:role+)" | "POST /issuer/:path_ref/sign-verbatim(/:role+)"
>;
