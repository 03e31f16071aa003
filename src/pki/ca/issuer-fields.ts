import { schemeForm } from "../../x509/forms.ts";
import { listForm, referenceForm, trimmedForm, uriForm } from "../../base/forms.ts";
import { usages } from "../../engine/records.ts";
import { flag, withNormalForm, list, text } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";

const urls = withNormalForm(list, listForm(uriForm));
/** The writable fields of an issuer (A 3.7). */
export const issuerFields = {
  issuer_name: withNormalForm(text, trimmedForm).optional("Its name."),
  leaf_not_after_behavior: text.optional(
    "What happens to certificates that would outlive it: `err`, `truncate`, `permit`, `always_enforce_err`.",
    ["err", "truncate", "permit", "always_enforce_err"],
  ),
  manual_chain: withNormalForm(list, listForm(referenceForm)).optional(
    "Its chain as issuer references, starting with itself (`self`); empty to build the chain automatically.",
  ),
  usage: list.optional(
    "What it may be used for: `read-only`, `issuing-certificates`, `crl-signing`, `ocsp-signing`.",
    ["read-only", "issuing-certificates", "crl-signing", "ocsp-signing"],
  ),
  revocation_signature_algorithm: withNormalForm(text, schemeForm).optional(
    "Signature algorithm of its CRLs and OCSP responses, such as `SHA256WithRSAPSS`; empty for the key's default.",
  ),
  issuing_certificates: urls.optional("Its own URLs of its certificate."),
  crl_distribution_points: urls.optional("Its own URLs of its CRL."),
  delta_crl_distribution_points: urls.optional("Its own URLs of its delta CRL."),
  ocsp_servers: urls.optional("Its own URLs of OCSP responders."),
  enable_aia_url_templating: flag.optional("Whether these URLs contain placeholders."),
  disable_critical_extension_checks: flag.optional(
    "Issue even if its certificate, or a leaf of sign-verbatim, has unknown critical extensions.",
  ),
  disable_path_length_checks: flag.optional("Issue even if its path length does not allow it."),
  disable_name_checks: flag.optional(
    "Issue even if issuer and subject names along its chain do not match.",
  ),
  disable_name_constraint_checks: flag.optional(
    "Issue names that the name constraints of its chain forbid.",
  ),
  ocsp_unknown_serials: flag.optional(
    "Answer `unknown` over OCSP for serial numbers that this mount never issued, although the issuer was imported with its key and may have issued them elsewhere.",
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
