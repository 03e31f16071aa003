import { rfc3339, rfc3339nano } from "../../base/duration.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { IssuerRow } from "../rows/records.ts";
import { flag, instant, list, listOrNull, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { certificateOf, chainRows, getIssuer } from "../issuer/issuer.ts";
import { issuerPem } from "../issuer/output.ts";

/** Reply members with the validity of a CA certificate. */
export const validity = {
  not_before: text.required("Start of the validity period (notBefore), RFC 3339."),
  not_after: text.required("End of the validity period (notAfter), RFC 3339."),
} as const;

/** Returns the validity of an issuer's certificate. */
export const validityOf = (row: IssuerRow) => {
  const { notBefore, notAfter } = certificateOf(row);
  return { not_before: rfc3339(notBefore), not_after: rfc3339(notAfter) };
};

/** Reply members that describe an issuer (A 3.7). */
export const issuerReply = {
  issuer_id: text.required("ID of the issuer."),
  issuer_name: text.required("Name of the issuer, or empty if it has none."),
  key_id: text.required("ID of the issuer's key, or empty if the mount does not have it."),
  certificate: text.required("CA certificate, PEM."),
  ca_chain: list.required("The chain, PEM: the CA certificate, followed by its issuers."),
  ...validity,
  manual_chain: listOrNull.required(
    "IDs of the issuers in the manual chain, or null if the chain is built automatically.",
  ),
  leaf_not_after_behavior: text.required(
    "Handling of requests for certificates that would outlive the issuer: `err`, `truncate`, `permit` or `always_enforce_err`.",
    ["err", "truncate", "permit", "always_enforce_err"],
  ),
  usage: text.required("Allowed usages, separated by commas."),
  revocation_signature_algorithm: text.required(
    "Signature algorithm for CRLs and OCSP responses; if empty, the default for the key.",
  ),
  revoked: flag.required("Whether the issuer is revoked."),
  issuing_certificates: list.required(
    "URLs of the issuer's certificate, overriding those of the mount.",
  ),
  crl_distribution_points: list.required(
    "URLs of the issuer's CRL, overriding those of the mount.",
  ),
  delta_crl_distribution_points: list.required(
    "URLs of the issuer's delta CRL, overriding those of the mount.",
  ),
  ocsp_servers: list.required("URLs of OCSP responders, overriding those of the mount."),
  enable_aia_url_templating: flag.required("Whether placeholders in these URLs are filled in."),
  disable_critical_extension_checks: flag.required(
    "Whether unknown critical extensions in the issuer's chain and in certificates from sign-verbatim are ignored.",
  ),
  disable_path_length_checks: flag.required(
    "Whether path length constraints in the issuer's chain are ignored.",
  ),
  disable_name_checks: flag.required("Whether mismatched names in the issuer's chain are ignored."),
  disable_name_constraint_checks: flag.required(
    "Whether name constraints in the issuer's chain are ignored.",
  ),
  ocsp_unknown_serials: flag.required(
    "Whether OCSP responds with `unknown` for serial numbers that this mount never issued, even if the issuer was imported with its key.",
  ),
  revocation_time: instant.optional("Time of revocation, Unix seconds; absent if not revoked."),
  revocation_time_rfc3339: text.optional("Time of revocation, RFC 3339; absent if not revoked."),
} as const;

/** Returns the response that describes an issuer. */
export const issuerOutput = (config: Snapshot, row: IssuerRow) => ({
  ...issuerMembers(row),
  ca_chain: chainRows(config, row).map((one) => certificateMember(one)),
});
/** Returns an issuer's certificate as in responses, PEM. */
export const certificateMember = (row: IssuerRow): string => `${issuerPem(row)}\n`;
/** Returns the members of a response that describe an issuer without its chain. */
export function issuerMembers(row: IssuerRow) {
  return {
    issuer_id: row.id as string,
    issuer_name: row.name,
    key_id: row.key_id,
    certificate: certificateMember(row),
    ...validityOf(row),
    manual_chain: row.manual_chain.length ? row.manual_chain : null,
    leaf_not_after_behavior: row.leaf_not_after_behavior as string,
    usage: [...row.usage].sort().join(","),
    revocation_signature_algorithm: row.revocation_signature_algorithm,
    revoked: row.revoked !== undefined,
    ...row.urls,
    enable_aia_url_templating: row.enable_aia_url_templating,
    ...row.checks,
    ocsp_unknown_serials: row.ocsp_unknown_serials,
    ...(row.revoked === undefined
      ? {}
      : {
          revocation_time: Math.floor(row.revoked / 1000),
          revocation_time_rfc3339: rfc3339nano(row.revoked),
        }),
  };
}

/** Warns if an issuer's revocation signature algorithm does not apply to OCSP responses (A 3.7). */
export function warnOfPss(row: IssuerRow, caller: Caller): void {
  if (row.revocation_signature_algorithm.endsWith("PSS"))
    caller.reply.warn(
      "This issuer signs CRLs with RSA-PSS, but OCSP responses with PKCS#1 v1.5, because OCSP does not use RSA-PSS.",
    );
}

export const readIssuer = endpoint({
  id: "readIssuer",
  at: ["GET /issuer/:issuer_ref"],
  access: "token",
  style: envelope,
  doc: "Reads an issuer.",
  body: {},
  reply: issuerReply,
  refuses: ["unknown_issuer"],
  run: async (mount, input, caller) => {
    const config = await mount.config();
    const row = getIssuer(config, input.issuer_ref);
    warnOfPss(row, caller);
    return issuerOutput(config, row);
  },
});
