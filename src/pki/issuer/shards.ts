import { findExtension, type Certificate } from "../../x509/certificate.ts";
import { readCrlDistributionPoints } from "../../x509/distribution-points.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { Particulars } from "../request/template.ts";
import type { Signing } from "./authority.ts";

/** Most shards that the certificates of a set are listed in. */
export const mostShards = 256;

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
  { extra = [] }: Pick<Particulars, "extra">,
): string | undefined =>
  extra.some(({ oid }) => oid === extensionOid.crlDistributionPoints)
    ? undefined
    : shardOf(serial, signing);

/**
 * Where a shard's list is, by where the complete one is: below its path, before a query. What is
 * not asked by HTTP is the complete list's alone.
 */
export const listAddresses = (
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
  return count <= mostShards && shardAmong(certificate.serial, count) === shard ? shard : undefined;
}
