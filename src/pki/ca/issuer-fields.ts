import { schemeForm } from "../../x509/forms.ts";
import { listForm, referenceForm, trimmedForm, uriForm } from "../../base/forms.ts";
import { usages } from "../rows/records.ts";
import { flag, withNormalForm, list, text } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";

const urls = withNormalForm(list, listForm(uriForm));
/** The writable fields of an issuer (A 3.7). */
export const issuerFields = {
  issuer_name: withNormalForm(text, trimmedForm).optional("Name of the issuer."),
  leaf_not_after_behavior: text.optional(
    "Handling of certificates that would outlive it: `err`, `truncate`, `permit` or `always_enforce_err`.",
    ["err", "truncate", "permit", "always_enforce_err"],
  ),
  manual_chain: withNormalForm(list, listForm(referenceForm)).optional(
    "Manual chain: issuer references, starting with itself (`self`); empty: built automatically.",
  ),
  usage: list.optional(
    "Allowed usages: `read-only`, `issuing-certificates`, `crl-signing`, `ocsp-signing`.",
    ["read-only", "issuing-certificates", "crl-signing", "ocsp-signing"],
  ),
  revocation_signature_algorithm: withNormalForm(text, schemeForm).optional(
    "Signature algorithm of its CRLs and OCSP responses, such as `SHA256WithRSAPSS`; empty: the key's default.",
  ),
  issuing_certificates: urls.optional("URLs of its certificate, overriding the mount's."),
  crl_distribution_points: urls.optional("URLs of its CRL, overriding the mount's."),
  delta_crl_distribution_points: urls.optional("URLs of its delta CRL, overriding the mount's."),
  ocsp_servers: urls.optional("URLs of its OCSP responders, overriding the mount's."),
  enable_aia_url_templating: flag.optional("Whether these URLs contain placeholders."),
  disable_critical_extension_checks: flag.optional(
    "Issue even if its certificate, or a sign-verbatim leaf, has unknown critical extensions.",
  ),
  disable_path_length_checks: flag.optional("Issue even if its path length does not allow it."),
  disable_name_checks: flag.optional(
    "Issue even if issuer and subject names in its chain do not match.",
  ),
  disable_name_constraint_checks: flag.optional(
    "Issue names that the name constraints in its chain forbid.",
  ),
  ocsp_unknown_serials: flag.optional(
    "Return `unknown` over OCSP for serial numbers that this mount never issued, even if the issuer was imported with its key and may have issued them elsewhere.",
  ),
} as const;
/** The parsed fields. */
export type IssuerInput = Omit<Input<typeof issuerFields, "POST /issuer/x">, never>;

/** Values that a POST sets for absent fields. */
export const clearedIssuerFields: Required<
  Omit<{ [K in keyof IssuerInput]: NonNullable<IssuerInput[K]> }, "issuer_name">
> = {
  leaf_not_after_behavior: "err",
  manual_chain: [],
  usage: usages,
  revocation_signature_algorithm: "",
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
  enable_aia_url_templating: false,
  disable_critical_extension_checks: false,
  disable_path_length_checks: false,
  disable_name_checks: false,
  disable_name_constraint_checks: false,
  ocsp_unknown_serials: false,
};
