import { issuersConfig } from "../rows/settings.ts";
import { issuersById, type IssuerRow } from "../rows/records.ts";
import { rfc3339, rfc3339nano } from "../../base/duration.ts";
import { serialText } from "../../base/ids.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { flag, instant, list, listOrNull, records, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { certificateOf, chainRows, getIssuer } from "../issuer/issuer.ts";
import { issuerPem } from "../issuer/output.ts";
import { isBelowRevoked } from "../issuer/revoked-path.ts";
import { pageFields, pageOf } from "../request/paging.ts";

const validity = {
  not_before: text.required("Start of validity, RFC 3339."),
  not_after: text.required("End of validity, RFC 3339."),
} as const;

export const listIssuers = endpoint({
  id: "listIssuers",
  at: ["LIST /issuers"],
  access: "open",
  style: envelope,
  doc: "Lists the issuers.",
  body: pageFields,
  reply: {
    keys: list.required("Issuer IDs, sorted."),
    key_info: records({
      issuer_name: text.required("Name of the issuer, or empty."),
      is_default: flag.required("Whether it is the default issuer."),
      serial_number: text.required("Serial number of its certificate."),
      key_id: text.required("ID of its key, or empty."),
      revoked: flag.required("Whether it is revoked."),
      issuer_revoked: flag.required("Whether a CA above it is revoked, on every path to a root."),
      ...validity,
    }).required("Details of each issuer by ID."),
  },
  refuses: ["not_found"],
  run: async (ca, input) => {
    const config = await ca.config();
    const rows = pageOf([...config.get(issuersById).keys()].toSorted(), input).flatMap(
      (id) => config.get(issuersById).get(id) ?? [],
    );
    const info = (row: IssuerRow) => ({
      issuer_name: row.name,
      is_default: row.id === config.get(issuersConfig).default,
      serial_number: serialText(certificateOf(row).serial),
      key_id: row.key_id,
      revoked: row.revoked !== undefined,
      issuer_revoked: isBelowRevoked(row, config.get(issuersById)),
      ...validityOf(row),
    });
    return {
      keys: rows.map((row) => row.id),
      key_info: Object.fromEntries(rows.map((row) => [row.id, info(row)])),
    };
  },
});

const validityOf = (row: IssuerRow) => {
  const { notBefore, notAfter } = certificateOf(row);
  return { not_before: rfc3339(notBefore), not_after: rfc3339(notAfter) };
};

/** Reply fields of an issuer (A 3.7). */
export const issuerReply = {
  issuer_id: text.required("ID of the issuer."),
  issuer_name: text.required("Name of the issuer, or empty."),
  key_id: text.required("ID of its key, or empty."),
  certificate: text.required("CA certificate, PEM."),
  ca_chain: list.required("CA certificate and its parents, PEM."),
  ...validity,
  manual_chain: listOrNull.required("Issuer IDs of a manual chain, or null."),
  leaf_not_after_behavior: text.required(
    "Handling of certificates that would outlive it: `err`, `truncate`, `permit` or `always_enforce_err`.",
    ["err", "truncate", "permit", "always_enforce_err"],
  ),
  usage: text.required("Allowed usages, separated by commas."),
  revocation_signature_algorithm: text.required(
    "Signature algorithm of its CRLs; empty: the key's default.",
  ),
  revoked: flag.required("Whether it is revoked."),
  issuing_certificates: list.required("URLs of its certificate, overriding the mount's."),
  crl_distribution_points: list.required("URLs of its CRL, overriding the mount's."),
  delta_crl_distribution_points: list.required("URLs of its delta CRL, overriding the mount's."),
  ocsp_servers: list.required("URLs of its OCSP responders, overriding the mount's."),
  enable_aia_url_templating: flag.required("Whether these URLs contain placeholders."),
  disable_critical_extension_checks: flag.required(
    "Whether unknown critical extensions of its certificate and of sign-verbatim leaves are ignored.",
  ),
  disable_path_length_checks: flag.required("Whether its path length is ignored."),
  disable_name_checks: flag.required("Whether mismatched names in its chain are ignored."),
  disable_name_constraint_checks: flag.required(
    "Whether the name constraints of its chain are ignored.",
  ),
  ocsp_unknown_serials: flag.required(
    "Whether OCSP returns `unknown` for serial numbers that this mount never issued, even if the issuer was imported with its key.",
  ),
  revocation_time: instant.optional("When it was revoked, Unix seconds."),
  revocation_time_rfc3339: text.optional("Same time, RFC 3339."),
} as const;

/** Returns the reply for an issuer. */
export function issuerOutput(config: Snapshot, row: IssuerRow) {
  return {
    issuer_id: row.id as string,
    issuer_name: row.name,
    key_id: row.key_id,
    certificate: `${issuerPem(row)}\n`,
    ca_chain: chainRows(config, row).map((one) => `${issuerPem(one)}\n`),
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

/** Warns if OCSP cannot use an issuer's revocation signature algorithm (A 3.7). */
export function warnOfPss(row: IssuerRow, caller: Caller): void {
  if (row.revocation_signature_algorithm.endsWith("PSS"))
    caller.reply.warn(
      "This issuer signs its CRLs with RSA-PSS, which OCSP responses do not use: they are signed with PKCS#1 v1.5 instead.",
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
  run: async (ca, input, caller) => {
    const config = await ca.config();
    const row = getIssuer(config, input.issuer_ref);
    warnOfPss(row, caller);
    return issuerOutput(config, row);
  },
});
