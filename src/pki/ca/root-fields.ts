import { extKeyUsageForm, keyUsageForm } from "../../x509/forms.ts";
import { listForm, trimmedForm } from "../../base/forms.ts";
import { withNormalForm, int, list, text } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";
import {
  certificateReply,
  constraintFields,
  certificateFormatFields,
  keyAliasField,
  keyFields,
  keyFormatField,
  lifetimeFields,
  nameFields,
  notBeforeField,
  privateKeyReply,
  signatureFields,
  subjectFields,
} from "../request/fields.ts";

/** Request fields for a new root. */
export const rootFields = {
  ...nameFields,
  ...lifetimeFields,
  ...notBeforeField,
  ...certificateFormatFields,
  ...keyAliasField,
  ...keyFormatField,
  ...subjectFields,
  ...keyFields,
  ...signatureFields,
  ...constraintFields,
  issuer_name: withNormalForm(text, trimmedForm).optional("Name of the new issuer."),
  max_path_length: int.default(
    -1,
    "Maximum number of CAs between this CA and a leaf certificate; -1 means unlimited.",
  ),
  ext_key_usage: withNormalForm(list, listForm(extKeyUsageForm)).default(
    [],
    "Names of the extended key usages; if empty and without OIDs, the use of the CA is unrestricted.",
  ),
  ext_key_usage_oids: list.default([], "OIDs of additional extended key usages."),
  key_usage: withNormalForm(list, listForm(keyUsageForm)).default(
    ["CertSign", "CRLSign"],
    "Key usages. CertSign and CRLSign are always included; only DigitalSignature can be added.",
  ),
} as const;
/** The parsed request fields for a new root. */
export type RootInput = Input<typeof rootFields, "POST /root/generate/internal">;

/** Reply members that describe a new root. */
export const rootReply = {
  ...certificateReply,
  ...privateKeyReply,
  issuer_id: text.required("ID of the new issuer."),
  issuer_name: text.required("Name of the new issuer, or empty if it has none."),
  key_id: text.required("ID of the issuer's key."),
  key_name: text.required("Name of the issuer's key, or empty if it has none."),
} as const;
