import { crlConfig } from "../rows/settings.ts";
import { toHex, utf8 } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import { sha1 } from "../../base/hashes.ts";
import { serialKey } from "../../base/ids.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { maxPartitions, spreadOf } from "../../engine/placement.ts";
import { keys, type ListNeedRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findExtension, type Certificate } from "../../x509/certificate.ts";
import { readCrlDistributionPoints } from "../../x509/distribution-points.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { CertificateFields } from "../request/template.ts";
import type { Signing } from "./authority.ts";

/** Number of seconds in a week. */
export const secondsPerWeek = 604_800;

/** The reference from a certificate to the CRL that covers it. */
interface CrlReference {
  readonly set: string;
  /** The shard, `<n>-<i>`, or undefined if only the unsharded CRL covers the certificate. */
  readonly shard: string | undefined;
  /** notAfter, Unix seconds. */
  readonly notAfter: number;
  /** The configured URLs of the unsharded CRL. */
  readonly addresses: readonly string[];
  /**
   * True if the certificate is not stored, so that a later scan of the certificates cannot find it.
   */
  readonly unstored?: boolean;
}
/**
 * The rows that ensure that the CRL of a certificate is kept current, and a callback for when they
 * are stored.
 */
export interface CrlRetention {
  readonly put: readonly (readonly [key: string, value: unknown])[];
  readonly done?: () => void;
}
const noRetention: CrlRetention = { put: [] };

/** Cached keys of retention rows that are known to be stored, per configuration. */
const storedRetentions = memoize<Snapshot, readonly [], Set<string>>(() => new Set());
/**
 * Maximum number of keys in the cache of retention rows. There is a limit because callers choose
 * lifetimes, and could otherwise fill the memory.
 */
const maxStored = 10_000;
const addressesId = memoize((addresses: readonly string[]) =>
  toHex(sha1(utf8(addresses.join("\n")))).slice(0, 16),
);

/**
 * Returns the rows to store with a certificate so that its CRL is kept current until the
 * certificate expires. Returns no rows if they are already stored. Also returns none if the
 * certificate is stored and the mount has no shards, because unsharded CRLs are then always built,
 * and enabling shards scans the stored certificates.
 */
export function retainCrl(mount: Mount, config: Snapshot, naming: CrlReference): CrlRetention {
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
  const now = mount.ports.now();
  return {
    put: [
      [key, row],
      // the unsharded CRL may have been removed because no certificate needed it
      ...(isSharded && shard === undefined ? [jobRow({ due: now, now }, "crl-renewal", set)] : []),
    ],
    done: () => {
      if (retentions.size >= maxStored) retentions.clear();
      retentions.add(key);
    },
  };
}

/**
 * In a partitioned mount, stores the rows of a retention immediately, because the batch that stores
 * the certificate may belong to another partition. A retention without a certificate is harmless.
 * In other mounts, returns the retention unchanged, for that batch.
 */
export async function retainFirst(mount: Mount, retention: CrlRetention): Promise<CrlRetention> {
  const { put, done } = retention;
  if (!mount.store.placement || put.length === 0) return retention;
  await mount.storeContext.commit({ put, upkeep: put.map(([key]) => key) });
  done?.();
  return noRetention;
}

/** Maximum number of shards per CRL set. */
export const maxShards = 256;

/**
 * Returns the shard of a serial number, as assigned by this version (`current`) and by earlier
 * versions (`former`). If the number of shards is a power of two, this version derives the shard
 * from the slot, so that the CRL entries of a shard are in few partitions. Otherwise, both versions
 * use the last hexadecimal digits except the very last digit, which is reserved (D 4).
 */
function shardsOf(serial: Uint8Array, shards: number): readonly [current: string, former: string] {
  const digits = [3, 2, 1].reduce((sum, at) => (sum << 8) + (serial.at(-at) ?? 0), 0) >> 4;
  const number = isPowerOfTwo(shards)
    ? digits * maxPartitions + spreadOf(serialKey(serial))
    : digits;
  return [`${shards}-${number % shards}`, `${shards}-${digits % shards}`];
}
/** Reports whether a positive number is a power of two. */
export const isPowerOfTwo = (number: number): boolean => (number & (number - 1)) === 0;

/** Reports whether shard paths can be appended to a CRL URL, which requires HTTP or HTTPS. */
const hasPath = (address: string): boolean => /^https?:/i.test(address);
/** Reports whether certificates with these CRL URLs can belong to a shard. */
export const canShard = (addresses: readonly string[]): boolean => addresses.some(hasPath);
/**
 * Returns the shard of a new certificate, `<n>-<i>`, computed from the serial number alone. Returns
 * undefined if CRLs are not sharded, or if no CRL URL permits shards.
 */
export const shardOf = (
  serial: Uint8Array,
  { urls, shards = 0 }: Pick<Signing, "urls" | "shards">,
): string | undefined =>
  shards === 0 || !canShard(urls.crl_distribution_points) ? undefined : shardsOf(serial, shards)[0];

/**
 * Returns the shard of a new certificate, or undefined if the request sets the distribution points
 * itself.
 */
export const shardWith = (
  serial: Uint8Array,
  signing: Pick<Signing, "urls" | "shards">,
  { extra = [] }: Pick<CertificateFields, "extra">,
): string | undefined =>
  extra.some(({ oid }) => oid === extensionOid.crlDistributionPoints)
    ? undefined
    : shardOf(serial, signing);

/**
 * Returns the URLs of a shard's CRL: those of the unsharded CRL with the shard appended to the
 * path, before a query. Omits URLs other than HTTP and HTTPS, which serve only the unsharded CRL.
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
    // the extension was copied from a CSR, and refers to no CRL of this mount
    return [];
  }
}
const shardForm = /\/shard\/([1-9]\d{0,2}-(?:0|[1-9]\d{0,2}))(?:[?#]|$)/;
/** Returns the shard in a URL, `<n>-<i>`, if any. */
export const shardAt = (address: string): string | undefined => shardForm.exec(address)?.[1];
/**
 * Returns the shard to which all distribution points of a certificate refer. Returns undefined if
 * they refer to different shards or to none, or if the shard does not match the serial number.
 */
export function namedShard(certificate: Certificate): string | undefined {
  const shards = new Set(pointsOf(certificate).map(shardAt));
  const [shard] = shards;
  if (shards.size !== 1 || shard === undefined) return undefined;
  const count = Number(shard.split("-")[0]);
  return count <= maxShards && shardsOf(certificate.serial, count).includes(shard)
    ? shard
    : undefined;
}
