import { toHex, utf8 } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import { sha1 } from "../../base/sha1.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type ListNeedRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findExtension, type Certificate } from "../../x509/certificate.ts";
import { readCrlDistributionPoints } from "../../x509/distribution-points.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { CertificateFields } from "../request/template.ts";
import type { Signing } from "./authority.ts";

/** Seconds of a week. */
export const week = 604_800;

/** A certificate that names a list, or none. */
interface CrlReference {
  readonly set: string;
  /** `<n>-<i>`; absent: it is on the complete list only. */
  readonly shard: string | undefined;
  /** Unix seconds. */
  readonly notAfter: number;
  /** The addresses of the complete list that are configured for it. */
  readonly addresses: readonly string[];
  /** Nothing else will tell of it when there are shards one day: it is not stored. */
  readonly unstored?: boolean;
}
/** What a batch puts for a certificate's list, and what is to be called when it is stored. */
export interface CrlRetention {
  readonly put: readonly (readonly [key: string, value: unknown])[];
  readonly done?: () => void;
}
const noRetention: CrlRetention = { put: [] };

/** The needs that are in the store for certain, of each configuration that was read. */
const storedRetentions = memoize<Snapshot, readonly [], Set<string>>(() => new Set());
/** Callers choose how long certificates live: what they make up must not fill the memory. */
const maxStored = 10_000;
const addressesId = memoize((addresses: readonly string[]) =>
  toHex(sha1(utf8(addresses.join("\n")))).slice(0, 16),
);

/**
 * What says that a list lives until a certificate ends, to be put in the batch that stores it.
 * Nothing where it is stored already, or where there are no shards, since complete lists stay then,
 * and stored certificates are looked through when there are shards.
 */
export function retainCrl(ca: Mount, config: Snapshot, naming: CrlReference): CrlRetention {
  const isSharded = config.crl.shards > 0;
  if (!isSharded && !naming.unstored) return noRetention;
  const { set, shard, notAfter, addresses } = naming;
  const [shards = "0"] = shard?.split("-") ?? [];
  const key = keys.listNeed(
    set,
    Number(shards),
    Math.ceil(notAfter / week),
    addressesId(addresses),
  );
  const known = storedRetentions(config);
  if (known.has(key)) return noRetention;
  const row: ListNeedRow = { addresses };
  const now = ca.ports.now();
  return {
    put: [
      [key, row],
      // the complete list may have been removed, because nobody needed it
      ...(isSharded && shard === undefined ? [jobRow({ due: now, now }, "crl-renewal", set)] : []),
    ],
    done: () => {
      if (known.size >= maxStored) known.clear();
      known.add(key);
    },
  };
}

/** Most shards that the certificates of a set are listed in. */
export const maxShards = 256;

/** By the last five hexadecimal digits but one, which is reserved and always 0 (D 4). */
function shardAmong(serial: Uint8Array, shards: number): string {
  const digits = [3, 2, 1].reduce((sum, at) => (sum << 8) + (serial.at(-at) ?? 0), 0) >> 4;
  return `${shards}-${digits % shards}`;
}
/** Whether there can be lists beside each other below an address: it is one of HTTP. */
const hasPath = (address: string): boolean => /^https?:/i.test(address);
/** Whether a certificate with these distribution points can be in a shard. */
export const canShard = (addresses: readonly string[]): boolean => addresses.some(hasPath);
/**
 * The shard of a new certificate, `<n>-<i>`: it follows from the serial number alone. Undefined
 * where none are wanted, or the certificate names no list that can have one.
 */
export const shardOf = (
  serial: Uint8Array,
  { urls, shards = 0 }: Pick<Signing, "urls" | "shards">,
): string | undefined =>
  shards === 0 || !canShard(urls.crl_distribution_points) ? undefined : shardAmong(serial, shards);

/** The same, for one whose request may have brought distribution points of its own. */
export const shardWith = (
  serial: Uint8Array,
  signing: Pick<Signing, "urls" | "shards">,
  { extra = [] }: Pick<CertificateFields, "extra">,
): string | undefined =>
  extra.some(({ oid }) => oid === extensionOid.crlDistributionPoints)
    ? undefined
    : shardOf(serial, signing);

/**
 * Where a shard's list is, by where the complete one is: below its path, before a query. What is
 * not asked by HTTP is the complete list's alone.
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
    // an extension of the request's own, which names nothing that is published here
    return [];
  }
}
const shardForm = /\/shard\/([1-9]\d{0,2}-(?:0|[1-9]\d{0,2}))(?:[?#]|$)/;
/** The shard whose list is at an address, `<n>-<i>`. */
export const shardAt = (address: string): string | undefined => shardForm.exec(address)?.[1];
/**
 * The shard that all distribution points of a certificate name; undefined where they do not, or
 * where it is not that of the serial number.
 */
export function namedShard(certificate: Certificate): string | undefined {
  const shards = new Set(pointsOf(certificate).map(shardAt));
  const [shard] = shards;
  if (shards.size !== 1 || shard === undefined) return undefined;
  const count = Number(shard.split("-")[0]);
  return count <= maxShards && shardAmong(certificate.serial, count) === shard ? shard : undefined;
}
