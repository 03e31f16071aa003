import { concat, asBytes, toHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { keys, usages, type IssuerId, type IssuerRow, type Usage } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findExtension, parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { extensionOid } from "../../x509/oid.ts";
import { readKeyUsage } from "../../x509/usage.ts";
import { isReference } from "../request/parameters.ts";
import { withChains } from "./chain.ts";
import { crlSetsOf } from "./issuer.ts";

/** Checks a name for an issuer (A 2). `own`: the issuer that may keep its name. */
export function checkIssuerName(config: Snapshot, name: string, own?: IssuerId): string {
  const trimmed = name.trim();
  if (trimmed === "") throw new CaError("malformed", "expected non-empty issuer name");
  if (trimmed.toLowerCase() === "default")
    throw new CaError("malformed", "reserved keyword 'default' can not be used as issuer name");
  if (!isReference(trimmed))
    throw new CaError("malformed", "issuer name contained invalid characters");
  for (const issuer of config.issuers.values())
    if (issuer.id !== own && (issuer.name === trimmed || issuer.id === trimmed.toLowerCase()))
      throw new CaError("already_exists", "issuer name already in use");
  return trimmed;
}

/**
 * Issuers with one public key and one subject share a CRL: the first 16 hexadecimal digits of
 * SHA-256 over both.
 */
async function crlSetOf(certificate: Certificate): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    asBytes(concat([certificate.spki, certificate.subject])),
  );
  return toHex(new Uint8Array(digest).subarray(0, 8));
}

/**
 * Whether a CA certificate may sign CRLs: it says so, or says nothing about usage (RFC 5280 section
 * 4.2.1.3).
 */
export function maySignCrls(certificate: Certificate): boolean {
  const usage = findExtension(certificate, extensionOid.keyUsage);
  return !usage || readKeyUsage(usage.value).includes("CRLSign");
}

/** The row of an issuer that comes to the mount, with the defaults of A 3.7. */
export async function issuerRow(
  ca: Mount,
  der: Uint8Array,
  given: Pick<IssuerRow, "name" | "key_id" | "revocation_signature_algorithm" | "imported">,
): Promise<IssuerRow> {
  const certificate = parseCertificate(der);
  const usage: readonly Usage[] = maySignCrls(certificate)
    ? usages
    : usages.filter((one) => one !== "crl-signing");
  const id: IssuerId = uuid(ca.ports.random);
  return {
    id,
    ...given,
    der,
    chain: [id],
    manual_chain: [],
    leaf_not_after_behavior: "err",
    usage,
    urls: {
      issuing_certificates: [],
      crl_distribution_points: [],
      delta_crl_distribution_points: [],
      ocsp_servers: [],
    },
    enable_aia_url_templating: false,
    checks: {
      disable_critical_extension_checks: false,
      disable_path_length_checks: false,
      disable_name_checks: false,
      disable_name_constraint_checks: false,
    },
    ocsp_unknown_serials: false,
    crl_set: await crlSetOf(certificate),
    modified: ca.ports.now(),
  };
}

/** Limit of issuers per mount: all of them are read with the configuration. */
const maxIssuers = 1000;

/**
 * The rows that bring new and changed issuers into the mount: the issuers, every chain that
 * changes, the default (A 2.1), and a job that builds their CRLs. `follow`: the new issuer that the
 * default follows where it is set to.
 */
export async function issuerRows(
  ca: Mount,
  config: Snapshot,
  changed: readonly IssuerRow[],
  follow?: IssuerId,
): Promise<readonly (readonly [string, unknown])[]> {
  const all = new Map([...config.issuers, ...changed.map((row) => [row.id, row] as const)]);
  if (all.size > maxIssuers)
    throw new CaError("malformed", `a mount holds at most ${maxIssuers} issuers`);
  const chained = await withChains([...all.values()]);
  // a chain is a part of what is published of an issuer: who asks whether that was modified is told
  // so
  const now = ca.ports.now();
  const dated = (row: IssuerRow): IssuerRow => ({ ...row, modified: now });
  const touched = chained.flatMap((row) => {
    const before = config.issuers.get(row.id);
    return before === row ? [] : [before && before.chain !== row.chain ? dated(row) : row];
  });
  const held = config.issuersConfig;
  const withKey = changed.filter((row) => row.key_id !== "");
  const follows = held.default_follows_latest_issuer ? follow : undefined;
  // one that had its key before was passed over for a reason
  const newlyAble = withKey.find((row) => !config.issuers.get(row.id)?.key_id);
  const next =
    follows ?? (config.issuers.has(held.default) ? held.default : (newlyAble?.id ?? held.default));
  // a list that no longer is the default's loses what no issuer is left for
  const lists = crlSetsOf([
    ...withKey,
    next === held.default ? undefined : config.issuers.get(held.default),
  ]);
  return [
    ...touched.map((row) => [keys.issuer(row.id), row] as const),
    ...(next === held.default
      ? []
      : [[keys.config("issuers"), { ...held, default: next }] as const]),
    ...lists.map((set) => jobRow({ due: now, now }, "crl", set)),
  ];
}

/**
 * The change that removes issuers, with every chain that they leave, and the configuration without
 * them. Keys and certificates stay; nobody becomes the default by this.
 */
export async function issuerRemoval(
  ca: Mount,
  config: Snapshot,
  ids: ReadonlySet<IssuerId>,
): Promise<{ readonly without: Snapshot; readonly batch: Required<Pick<Batch, "put" | "del">> }> {
  const wasDefault = config.issuersConfig.default !== "" && ids.has(config.issuersConfig.default);
  const issuersConfig = wasDefault
    ? { ...config.issuersConfig, default: "" }
    : config.issuersConfig;
  const issuers = new Map([...config.issuers].filter(([id]) => !ids.has(id)));
  const without = { ...config, issuers, issuersConfig };
  const key = keys.config("issuers");
  const rows = (await issuerRows(ca, without, [])).filter(([name]) => name !== key);
  return {
    without,
    batch: {
      put: [...rows, ...(wasDefault ? [[key, issuersConfig] as const] : [])],
      del: [...ids].flatMap(keys.ofIssuer),
    },
  };
}
