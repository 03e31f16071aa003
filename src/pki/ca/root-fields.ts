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

/** Request fields for a root. */
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
    "Maximum number of CAs between this one and a leaf certificate; -1: unlimited.",
  ),
  ext_key_usage: withNormalForm(list, listForm(extKeyUsageForm)).default(
    [],
    "Extended key usages by name; empty: unrestricted.",
  ),
  ext_key_usage_oids: list.default([], "Additional extended key usages by OID."),
  key_usage: withNormalForm(list, listForm(keyUsageForm)).default(
    ["CertSign", "CRLSign"],
    "Key usages. CertSign and CRLSign are always set; only DigitalSignature can be added.",
  ),
} as const;
/** The parsed request. */
export type RootInput = Input<typeof rootFields, "POST /root/generate/internal">;

/** Reply fields of a new root. */
export const rootReply = {
  ...certificateReply,
  ...privateKeyReply,
  issuer_id: text.required("ID of the new issuer."),
  issuer_name: text.required("Name of the new issuer, or empty."),
  key_id: text.required("ID of the new key."),
  key_name: text.required("Name of the new key, or empty."),
} as const;
