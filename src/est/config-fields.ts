import { trimmedForm } from "../base/forms.ts";
import { flag, withNormalForm, list, mapOf, type Parsed, text, texts } from "../wire/field.ts";

const docs = {
  enabled: "Whether EST is enabled.",
  default_mount:
    "Whether this mount serves `/.well-known/est/<operation>`, which only one mount can do.",
  default_path_policy:
    "Issuance policy of paths without a label or role: `sign-verbatim` or `role:<name>`.",
  label_to_path_policy:
    "Issuance policies of `/.well-known/est/<label>/<operation>` by label. A label belongs to one mount.",
  authenticators: "Login methods with which clients authenticate.",
  enable_sentinel_parsing: "Stored and returned, but has no effect.",
  audit_fields:
    "CSR fields to audit, with names hashed: `csr`, `common_name`, `alt_names`, `ip_sans`, `uri_sans`, `other_sans`, `key_type` and others.",
  csr_attributes:
    "Attributes that `csrattrs` returns: OIDs, or `<oid>=<oid>` with more values after `+`.",
} as const;

const accessor = text.optional("Accessor of the login method.");
const authenticators = {
  userpass: mapOf({ accessor }).optional("Lets clients log in with user names and passwords."),
  approle: mapOf({ accessor }).optional("Lets clients log in with role IDs and secret IDs."),
  cert: mapOf({
    accessor,
    cert_role: text.optional(
      "Role of the login method with which clients log in; any role by default.",
    ),
  }).optional("Lets clients log in with client certificates."),
} as const;

/** Configuration fields in responses. */
export const reply = {
  enabled: flag.required(docs.enabled),
  default_mount: flag.required(docs.default_mount),
  default_path_policy: text.required(docs.default_path_policy),
  label_to_path_policy: texts.required(docs.label_to_path_policy),
  authenticators: mapOf(authenticators).required(docs.authenticators),
  enable_sentinel_parsing: flag.required(docs.enable_sentinel_parsing),
  audit_fields: list.required(docs.audit_fields),
  csr_attributes: list.required(docs.csr_attributes),
  last_updated: text.required("Time of the last update, RFC 3339."),
} as const;

/** Configuration fields in requests; absent fields stay unchanged. */
export const body = {
  enabled: flag.optional(docs.enabled),
  default_mount: flag.optional(docs.default_mount),
  default_path_policy: withNormalForm(text, trimmedForm).optional(docs.default_path_policy),
  label_to_path_policy: texts.optional(docs.label_to_path_policy),
  authenticators: mapOf(authenticators).optional(docs.authenticators),
  enable_sentinel_parsing: flag.optional(docs.enable_sentinel_parsing),
  audit_fields: list.optional(docs.audit_fields),
  csr_attributes: list.optional(docs.csr_attributes),
} as const;
/** The configuration fields in a request. */
export type SentEstConfig = Parsed<typeof body>;
