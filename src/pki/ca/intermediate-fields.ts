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

/** Request fields for a CA certificate that an issuer of the mount signs. */
export const intermediateFields = {
  ...csrField,
  ...nameFields,
  alt_names: withNormalForm(text, commaListForm(nameForm)).default(
    "",
    "Additional host names or email addresses, separated by commas. `2.5.4.5;UTF8:<value>` adds a serial number to the subject.",
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
    "Maximum number of CAs between this CA and a leaf certificate. -1 means one less than the issuer allows, or unlimited if the issuer has no limit.",
  ),
  use_csr_values: flag.default(
    false,
    "Use the subject, names, key usages and extensions from the CSR.",
  ),
  key_usage: withNormalForm(list, listForm(keyUsageForm)).default(
    ["CertSign", "CRLSign"],
    "Key usages. CertSign and CRLSign are always included; only DigitalSignature can be added.",
  ),
  issuer_ref: withNormalForm(text, referenceForm).optional(
    "Issuer to sign with, if the URL path does not name one.",
  ),
  skid: withNormalForm(text, hexForm).default(
    "",
    "Subject key identifier, hexadecimal, for example to match an existing certificate when cross-signing.",
  ),
  enforce_leaf_not_after_behavior: flag.default(
    false,
    "Apply the issuer's `leaf_not_after_behavior` instead of truncating the validity to that of the issuer.",
  ),
  set_signed: flag.default(
    false,
    "Also import the certificate as an issuer of this mount, in the same change. The mount must have its key.",
  ),
  issuer_name: withNormalForm(text, trimmedForm).optional(
    "Name of the new issuer, with `set_signed`.",
  ),
} as const;
/** A request for a CA certificate, with its caller and the configuration. */
export type IntermediateCase = Pick<
  IssuanceContext<
    Input<
      typeof intermediateFields,
      "POST /root/sign-intermediate" | "POST /issuer/:issuer_ref/sign-intermediate"
    >
  >,
  "mount" | "config" | "input" | "caller"
>;
