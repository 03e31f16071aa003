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
    "Handling of requests for certificates that would outlive the issuer: `err`, `truncate`, `permit` or `always_enforce_err`.",
    ["err", "truncate", "permit", "always_enforce_err"],
  ),
  manual_chain: withNormalForm(list, listForm(referenceForm)).optional(
    "Manual chain: references to issuers, starting with this one (`self`). If empty, the chain is built automatically.",
  ),
  usage: list.optional(
    "Allowed usages: `read-only`, `issuing-certificates`, `crl-signing`, `ocsp-signing`.",
    ["read-only", "issuing-certificates", "crl-signing", "ocsp-signing"],
  ),
  revocation_signature_algorithm: withNormalForm(text, schemeForm).optional(
    "Signature algorithm for CRLs and OCSP responses, such as `SHA256WithRSAPSS`; if empty, the default for the key.",
  ),
  issuing_certificates: urls.optional(
    "URLs of the issuer's certificate, overriding those of the mount.",
  ),
  crl_distribution_points: urls.optional(
    "URLs of the issuer's CRL, overriding those of the mount.",
  ),
  delta_crl_distribution_points: urls.optional(
    "URLs of the issuer's delta CRL, overriding those of the mount.",
  ),
  ocsp_servers: urls.optional("URLs of OCSP responders, overriding those of the mount."),
  enable_aia_url_templating: flag.optional("Whether to fill in placeholders in these URLs."),
  disable_critical_extension_checks: flag.optional(
    "Issue certificates even if a certificate of the issuer's chain, or a certificate from sign-verbatim, has unknown critical extensions.",
  ),
  disable_path_length_checks: flag.optional(
    "Issue certificates even if the path length constraint of a certificate in the issuer's chain does not allow it.",
  ),
  disable_name_checks: flag.optional(
    "Issue certificates even if issuer and subject names in the issuer's chain do not match.",
  ),
  disable_name_constraint_checks: flag.optional(
    "Issue certificates even with names that the name constraints in the issuer's chain forbid.",
  ),
  ocsp_unknown_serials: flag.optional(
    "Respond with `unknown` over OCSP for serial numbers that this mount never issued, even if the issuer was imported with its key and may have issued them elsewhere.",
  ),
} as const;
/** The parsed writable fields of an issuer. */
export type IssuerInput = Omit<Input<typeof issuerFields, "POST /issuer/x">, never>;

/** The values to which a POST resets absent fields. */
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
