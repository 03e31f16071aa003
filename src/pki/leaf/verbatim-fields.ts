import { otherNameForm } from "../request/other-name.ts";
import { addressForm, extKeyUsageForm, keyUsageForm, nameForm } from "../../x509/forms.ts";
import { listForm, commaListForm, referenceForm, uriForm } from "../../base/forms.ts";
import { flag, withNormalForm, list, text } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";
import {
  certificateFormatFields,
  lifetimeFields,
  metadataFields,
  signatureFields,
} from "../request/fields.ts";
import { csrField } from "./sign.ts";

/** Request fields of the sign-verbatim endpoints. */
export const verbatimFields = {
  ...csrField,
  ...lifetimeFields,
  ...certificateFormatFields,
  ...signatureFields,
  ...metadataFields,
  key_usage: withNormalForm(list, listForm(keyUsageForm)).default(
    ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
    "Names of the key usages if the CSR requests none; if empty, the certificate has no key usage extension.",
  ),
  ext_key_usage: withNormalForm(list, listForm(extKeyUsageForm)).default(
    [],
    "Names of the extended key usages if the CSR requests none.",
  ),
  ext_key_usage_oids: list.default([], "OIDs of the extended key usages if the CSR requests none."),
  enforce_leaf_not_after_behavior: flag.default(
    false,
    "Ignored: the issuer's `leaf_not_after_behavior` applies.",
  ),
  remove_roots_from_chain: flag.default(false, "Omit self-signed certificates from `ca_chain`."),
  common_name: withNormalForm(text, nameForm).default(
    "",
    "Ignored: the subject comes from the CSR.",
  ),
  alt_names: withNormalForm(text, commaListForm(nameForm)).default(
    "",
    "Ignored: the names come from the CSR.",
  ),
  ip_sans: withNormalForm(list, listForm(addressForm)).default(
    [],
    "Ignored: the names come from the CSR.",
  ),
  uri_sans: withNormalForm(list, listForm(uriForm)).default(
    [],
    "Ignored: the names come from the CSR.",
  ),
  other_sans: withNormalForm(list, listForm(otherNameForm)).default(
    [],
    "Ignored: the names come from the CSR.",
  ),
  serial_number: text.default("", "Ignored: the subject comes from the CSR."),
  user_ids: list.default([], "Ignored: the subject comes from the CSR."),
  issuer_ref: withNormalForm(text, referenceForm).optional(
    "Issuer to sign with, if neither the URL path nor a role names one.",
  ),
} as const;

/**
 * Fields that clients send to issue, sign and sign-verbatim alike, and that sign-verbatim ignores
 * (A 8.2).
 */
export const verbatimIgnores = ["exclude_cn_from_sans", "private_key_format"] as const;

/** The input of the sign-verbatim endpoints. */
export type VerbatimInput = Input<
  typeof verbatimFields,
  "POST /sign-verbatim(/:role+)" | "POST /issuer/:path_ref/sign-verbatim(/:role+)"
>;
