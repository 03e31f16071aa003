import { issuersConfig } from "../rows/settings.ts";
import {
  issuersById,
  keys,
  usages,
  type IssuerId,
  type IssuerRow,
  type Usage,
} from "../rows/records.ts";
import { concat, asBytes, toHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { withValue, type Snapshot } from "../../engine/snapshot.ts";
import { findExtension, parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { extensionOid } from "../../x509/oid.ts";
import { readKeyUsage } from "../../x509/usage.ts";
import { isReference } from "../../base/names.ts";
import { withChains } from "./chain.ts";
import { crlSetsOf } from "./issuer.ts";

/**
 * Validates an issuer name, and returns it trimmed (A 2). `own` is the ID of the issuer to be
 * named, if that issuer already exists. Throws `malformed` for an invalid name, and
 * `already_exists` if another issuer has the name.
 */
export function checkIssuerName(config: Snapshot, name: string, own?: IssuerId): string {
  const trimmed = name.trim();
  if (trimmed === "") throw new CaError("malformed", "expected non-empty issuer name");
  if (trimmed.toLowerCase() === "default")
    throw new CaError("malformed", "reserved keyword 'default' can not be used as issuer name");
  if (!isReference(trimmed))
    throw new CaError("malformed", "issuer name contained invalid characters");
  for (const issuer of config.get(issuersById).values())
    if (issuer.id !== own && (issuer.name === trimmed || issuer.id === trimmed.toLowerCase()))
      throw new CaError("already_exists", "issuer name already in use");
  return trimmed;
}

/**
 * Returns the CRL set of a CA: the first 16 hexadecimal digits of the SHA-256 of its public key and
 * subject, because issuers with the same key and subject share a CRL.
 */
async function crlSetOf(certificate: Certificate): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    asBytes(concat([certificate.spki, certificate.subject])),
  );
  return toHex(new Uint8Array(digest).subarray(0, 8));
}

/**
 * Reports whether a CA certificate permits signing CRLs, that is, has the key usage cRLSign or no
 * key usage extension (RFC 5280 section 4.2.1.3).
 */
export function maySignCrls(certificate: Certificate): boolean {
  const usage = findExtension(certificate, extensionOid.keyUsage);
  return !usage || readKeyUsage(usage.value).includes("CRLSign");
}

/** Returns the row of a new issuer, with the defaults of A 3.7. */
export async function issuerRow(
  mount: Mount,
  der: Uint8Array,
  fields: Pick<IssuerRow, "name" | "key_id" | "revocation_signature_algorithm" | "imported">,
): Promise<IssuerRow> {
  const certificate = parseCertificate(der);
  const usage: readonly Usage[] = maySignCrls(certificate)
    ? usages
    : usages.filter((one) => one !== "crl-signing");
  const id: IssuerId = uuid(mount.ports.random);
  return {
    id,
    ...fields,
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
    modified: mount.ports.now(),
  };
}

/**
 * Maximum number of issuers per mount. There is a limit because the configuration contains all
 * issuers.
 */
const maxIssuers = 1000;

/**
 * Returns the rows that add or change issuers: the issuers themselves, other issuers whose chains
 * change, the default issuer (A 2.1), and jobs that build their CRLs. `follow` is the new issuer
 * that becomes the default if the default follows the latest issuer. Throws `malformed` if there
 * would be too many issuers.
 */
export async function issuerRows(
  mount: Mount,
  config: Snapshot,
  changed: readonly IssuerRow[],
  follow?: IssuerId,
): Promise<readonly (readonly [string, unknown])[]> {
  const before = config.get(issuersById);
  const all = new Map([...before, ...changed.map((row) => [row.id, row] as const)]);
  if (all.size > maxIssuers)
    throw new CaError("malformed", `a mount can have at most ${maxIssuers} issuers`);
  const chained = await withChains([...all.values()]);
  // a changed chain counts as a modification, because readers of the chain see it
  const now = mount.ports.now();
  const dated = (row: IssuerRow): IssuerRow => ({ ...row, modified: now });
  const touched = chained.flatMap((row) => {
    const old = before.get(row.id);
    return old === row ? [] : [old && old.chain !== row.chain ? dated(row) : row];
  });
  const current = config.get(issuersConfig);
  const withKey = changed.filter((row) => row.key_id !== "");
  const follows = current.default_follows_latest_issuer ? follow : undefined;
  // an issuer that already had its key was not made the default, which may be deliberate
  const newlyAble = withKey.find((row) => !before.get(row.id)?.key_id);
  const next =
    follows ?? (before.has(current.default) ? current.default : (newlyAble?.id ?? current.default));
  // the CRL of the former default issuer no longer lists certificates issued by deleted issuers
  const crlIds = crlSetsOf([
    ...withKey,
    next === current.default ? undefined : before.get(current.default),
  ]);
  return [
    ...touched.map((row) => [keys.issuer(row.id), row] as const),
    ...(next === current.default
      ? []
      : [[keys.config("issuers"), { ...current, default: next }] as const]),
    ...crlIds.map((set) => jobRow({ due: now, now }, "crl", set)),
  ];
}

/**
 * Returns the change that deletes issuers and updates all affected chains, and the resulting
 * configuration. Keeps keys and certificates. No other issuer becomes the default.
 */
export async function issuerRemoval(
  mount: Mount,
  config: Snapshot,
  ids: ReadonlySet<IssuerId>,
): Promise<{ readonly without: Snapshot; readonly batch: Required<Pick<Batch, "put" | "del">> }> {
  const current = config.get(issuersConfig);
  const wasDefault = current.default !== "" && ids.has(current.default);
  const defaults = wasDefault ? { ...current, default: "" } : current;
  const issuers = new Map([...config.get(issuersById)].filter(([id]) => !ids.has(id)));
  const without = withValue(withValue(config, issuersById, issuers), issuersConfig, defaults);
  const key = keys.config("issuers");
  const rows = (await issuerRows(mount, without, [])).filter(([name]) => name !== key);
  return {
    without,
    batch: {
      put: [...rows, ...(wasDefault ? [[key, defaults] as const] : [])],
      del: [...ids].flatMap(keys.ofIssuer),
    },
  };
}
