import { flag, int, list, text } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";
import { csrField } from "../leaf/sign.ts";
import type { Case } from "../request/case.ts";
import {
  constraintFields,
  formatField,
  keyFormatField,
  lifetimeFields,
  nameFields,
  notBeforeField,
  signatureFields,
  subjectFields,
} from "../request/fields.ts";

/** What a request says of a CA certificate that an issuer is to sign. */
export const intermediateFields = {
  ...csrField,
  ...nameFields,
  ...lifetimeFields,
  ...notBeforeField,
  ...formatField,
  ...keyFormatField,
  ...subjectFields,
  ...signatureFields,
  ...constraintFields,
  max_path_length: int.default(
    -1,
    "How many CAs may lie below this one; -1 for no limit, or one less than the signer's.",
  ),
  use_csr_values: flag.default(
    false,
    "Take subject, names, key usages and extensions from the CSR.",
  ),
  key_usage: list.default(
    ["CertSign", "CRLSign"],
    "Key usages; of those sent only DigitalSignature is added to CertSign and CRLSign.",
  ),
  issuer_ref: text.optional("The issuer where the path names none."),
  skid: text.default(
    "",
    "Subject key identifier, hexadecimal; for mimicking an existing certificate when cross-signing.",
  ),
  enforce_leaf_not_after_behavior: flag.default(
    false,
    "Let the issuer's leaf_not_after_behavior decide instead of truncating.",
  ),
  set_signed: flag.default(
    false,
    "Take the certificate as an issuer of this mount too, in the same change. The key must be one of the mount.",
  ),
  issuer_name: text.optional("Name of the new issuer, with `set_signed`."),
} as const;
/** The same as it was read, and whose request it is. */
export type IntermediateCase = Pick<
  Case<
    Input<
      typeof intermediateFields,
      "POST /root/sign-intermediate" | "POST /issuer/:issuer_ref/sign-intermediate"
    >
  >,
  "ca" | "config" | "input" | "caller"
>;
