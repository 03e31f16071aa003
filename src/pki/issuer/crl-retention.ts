import { crlConfig } from "../rows/settings.ts";
import { toHex, utf8 } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import { sha1 } from "../../base/hashes.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type ListNeedRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findExtension, type Certificate } from "../../x509/certificate.ts";
import { readCrlDistributionPoints } from "../../x509/distribution-points.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { CertificateFields } from "../request/template.ts";
import type { Signing } from "./authority.ts";

/** Seconds of a week. */
export const secondsPerWeek = 604_800;

/** A certificate, and the shard that it names, if any. */
interface CrlReference {
  readonly set: string;
  /** `<n>-<i>`; undefined if only the complete CRL covers it. */
  readonly shard: string | undefined;
  /** Unix seconds. */
  readonly notAfter: number;
  /** The configured addresses of the complete CRL. */
  readonly addresses: readonly string[];
  /** Whether the certificate is not stored, so that a later scan cannot find it. */
  readonly unstored?: boolean;
}
/** The rows that keep a certificate's CRL current, and a callback for when they are stored. */
export interface CrlRetention {
  readonly put: readonly (readonly [key: string, value: unknown])[];
  readonly done?: () => void;
}
const noRetention: CrlRetention = { put: [] };

/** Keys of retentions known to be stored, per configuration. */
const storedRetentions = memoize<Snapshot, readonly [], Set<string>>(() => new Set());
/**
 * Maximum size of that cache: callers choose lifetimes, and must not be able to fill the memory.
 */
const maxStored = 10_000;
const addressesId = memoize((addresses: readonly string[]) =>
  toHex(sha1(utf8(addresses.join("\n")))).slice(0, 16),
);

/**
 * Returns the rows that keep a CRL current until a certificate expires, for the batch that stores
 * the certificate. Empty if they are already stored, or if there are no shards: complete CRLs are
 * then always built, and stored certificates are scanned once there are shards.
 */
export function retainCrl(ca: Mount, config: Snapshot, naming: CrlReference): CrlRetention {
  const isSharded = config.get(crlConfig).shards > 0;
  if (!isSharded && !naming.unstored) return noRetention;
  const { set, shard, notAfter, addresses } = naming;
  const [shards = "0"] = shard?.split("-") ?? [];
  const key = keys.listNeed(
    set,
    Number(shards),
    Math.ceil(notAfter / secondsPerWeek),
    addressesId(addresses),
  );
  const retentions = storedRetentions(config);
  if (retentions.has(key)) return noRetention;
  const row: ListNeedRow = { addresses };
  const now = ca.ports.now();
  return {
    put: [
      [key, row],
      // the complete CRL may have been removed as unused
      ...(isSharded && shard === undefined ? [jobRow({ due: now, now }, "crl-renewal", set)] : []),
    ],
    done: () => {
      if (retentions.size >= maxStored) retentions.clear();
      retentions.add(key);
    },
  };
}

/**
 * Stores the rows of a retention before the batch of the certificate, which may be of another
 * partition; a retention without a certificate is harmless. Without partitions they are left to
 * that batch.
 */
export async function retainFirst(ca: Mount, retention: CrlRetention): Promise<CrlRetention> {
  const { put, done } = retention;
  if (!ca.store.placement || put.length === 0) return retention;
  await ca.storeContext.commit({ put, upkeep: put.map(([key]) => key) });
  done?.();
  return noRetention;
}

/** Maximum number of shards per set. */
export const maxShards = 256;

/**
 * Returns the shard of a serial number, computed from its last hexadecimal digits except the very
 * last one, which is reserved and always 0 (D 4).
 */
function shardAmong(serial: Uint8Array, shards: number): string {
  const digits = [3, 2, 1].reduce((sum, at) => (sum << 8) + (serial.at(-at) ?? 0), 0) >> 4;
  return `${shards}-${digits % shards}`;
}
/** Reports whether an address can have shards below its path, as HTTP addresses can. */
const hasPath = (address: string): boolean => /^https?:/i.test(address);
/** Reports whether a certificate with these distribution points can belong to a shard. */
export const canShard = (addresses: readonly string[]): boolean => addresses.some(hasPath);
/**
 * Returns the shard of a new certificate, `<n>-<i>`, computed from the serial number alone.
 * Undefined without shards, or if no distribution point can have one.
 */
export const shardOf = (
  serial: Uint8Array,
  { urls, shards = 0 }: Pick<Signing, "urls" | "shards">,
): string | undefined =>
  shards === 0 || !canShard(urls.crl_distribution_points) ? undefined : shardAmong(serial, shards);

/** Returns the shard of a new certificate whose request may set distribution points. */
export const shardWith = (
  serial: Uint8Array,
  signing: Pick<Signing, "urls" | "shards">,
  { extra = [] }: Pick<CertificateFields, "extra">,
): string | undefined =>
  extra.some(({ oid }) => oid === extensionOid.crlDistributionPoints)
    ? undefined
    : shardOf(serial, signing);

/**
 * Returns the addresses of a shard's CRL, which is below the path of the complete CRL's, before a
 * query. Addresses other than HTTP only serve the complete CRL.
 */
export const crlAddresses = (
  addresses: readonly string[],
  shard: string | undefined,
): readonly string[] =>
  shard === undefined
    ? addresses
    : addresses
        .filter(hasPath)
        .map((address) => address.replace(/\/*(?=[?#]|$)/, `/shard/${shard}`));

function pointsOf(certificate: Certificate): readonly string[] {
  const points = findExtension(certificate, extensionOid.crlDistributionPoints);
  try {
    return points ? readCrlDistributionPoints(points.value) : [];
  } catch {
    // a requested extension without names of CRLs published here
    return [];
  }
}
const shardForm = /\/shard\/([1-9]\d{0,2}-(?:0|[1-9]\d{0,2}))(?:[?#]|$)/;
/** Returns the shard in an address, `<n>-<i>`. */
export const shardAt = (address: string): string | undefined => shardForm.exec(address)?.[1];
/**
 * Returns the shard that all distribution points of a certificate name; undefined if they differ or
 * do not match the serial number.
 */
export function namedShard(certificate: Certificate): string | undefined {
  const shards = new Set(pointsOf(certificate).map(shardAt));
  const [shard] = shards;
  if (shards.size !== 1 || shard === undefined) return undefined;
  const count = Number(shard.split("-")[0]);
  return count <= maxShards && shardAmong(certificate.serial, count) === shard ? shard : undefined;
}
