import { keyUsageForm, nameForm } from "../../x509/forms.ts";
import { listForm, commaListForm, hexForm, referenceForm, trimmedForm } from "../../base/forms.ts";
import { flag, withNormalForm, int, list, text } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";
import { csrField } from "../leaf/sign.ts";
import type { IssuanceContext } from "../request/rule-checker.ts";
import {
  constraintFields,
  certificateFormatFields,
  keyFormatField,
  lifetimeFields,
  nameFields,
  notBeforeField,
  signatureFields,
  subjectFields,
} from "../request/fields.ts";

/** Request fields for a CA certificate signed by an issuer. */
export const intermediateFields = {
  ...csrField,
  ...nameFields,
  alt_names: withNormalForm(text, commaListForm(nameForm)).default(
    "",
    "More names, separated by commas: host names or e-mail addresses. `2.5.4.5;UTF8:<value>` is a further serial number of the subject.",
  ),
  ...lifetimeFields,
  ...notBeforeField,
  ...certificateFormatFields,
  ...keyFormatField,
  ...subjectFields,
  ...signatureFields,
  ...constraintFields,
  max_path_length: int.default(
    -1,
    "How many CAs may follow below this one; -1 for no limit, or one less than the signer allows.",
  ),
  use_csr_values: flag.default(
    false,
    "Take subject, names, key usages and extensions from the CSR.",
  ),
  key_usage: withNormalForm(list, listForm(keyUsageForm)).default(
    ["CertSign", "CRLSign"],
    "Key usages. CertSign and CRLSign are always set; of all others only DigitalSignature can be added.",
  ),
  issuer_ref: withNormalForm(text, referenceForm).optional(
    "The issuer, if the path does not name one.",
  ),
  skid: withNormalForm(text, hexForm).default(
    "",
    "Subject key identifier, hexadecimal; for mimicking an existing certificate when cross-signing.",
  ),
  enforce_leaf_not_after_behavior: flag.default(
    false,
    "Apply the issuer's leaf_not_after_behavior instead of truncating.",
  ),
  set_signed: flag.default(
    false,
    "Also import the certificate as an issuer of this mount, in the same change. The mount must hold its key.",
  ),
  issuer_name: withNormalForm(text, trimmedForm).optional(
    "Name of the new issuer, with `set_signed`.",
  ),
} as const;
/** The parsed request with its caller. */
export type IntermediateCase = Pick<
  IssuanceContext<
    Input<
      typeof intermediateFields,
      "POST /root/sign-intermediate" | "POST /issuer/:issuer_ref/sign-intermediate"
    >
  >,
  "ca" | "config" | "input" | "caller"
>;
