import { concat } from "../src/base/bytes.ts";
import { mergeBatches } from "../src/engine/merge-batches.ts";
import type { Batch, Store } from "../src/engine/ports.ts";
import { pagesFor } from "../src/pki/crl/page-series.ts";
import {
  certIndex,
  keys,
  type CertRow,
  type IssuerRow,
  type RevokedRow,
} from "../src/pki/rows/records.ts";
import { prepareTbs } from "../src/pki/issuer/certify.ts";
import { shardOf } from "../src/pki/issuer/crl-retention.ts";
import { assembleSigned } from "../src/x509/certificate.ts";
import { revokedIndex } from "../src/pki/revoke/revocation.ts";
import { encodeRevokedEntry } from "../src/x509/crl.ts";
import { leafRequest } from "./leaf.ts";

/** Revocations to write directly into a store, in the engine's format. */
export interface Seeded {
  readonly count: number;
  /** Number of shards; 0 for none. */
  readonly shards?: number;
  /** Expiry of the certificates, in Unix seconds. */
  readonly notAfter?: number;
}
/** The number and the expiry (Unix seconds) of certificates to write. */
export interface SeededCertificates {
  readonly count: number;
  readonly notAfter: number;
  /** Whether the certificates are revoked; by default true. */
  readonly revoked?: boolean;
}
/** Number of revocations per batch, whose entries fit into a page. */
const perBatch = 1500;
const at = 1_800_000_000_000;

async function issuerIn(store: Store): Promise<IssuerRow> {
  const [issuer] = await store.list("issuer/", { limit: 1 });
  // the rows under issuer/ have this type
  const row = issuer?.[1].value as IssuerRow | undefined;
  if (!row) throw new TypeError("the mount has no issuer");
  return row;
}
/** Seeds a mount's store with revocations of certificates issued by its first issuer. */
export async function seedRevoked(store: Store, seeded: Seeded): Promise<void> {
  const { id, crl_set } = await issuerIn(store);
  const { count, shards = 0, notAfter = 3_000_000_000 } = seeded;
  const row: RevokedRow = { at, issuer: id, crl_set, not_after: notAfter };
  const perRound = perBatch * Math.max(1, shards);
  for (let from = 0; from < count; from += perRound) {
    const serials = Array.from({ length: Math.min(perRound, count - from) }, randomSerial);
    const byShard = new Map<string | undefined, Uint8Array[]>();
    for (const serial of serials) {
      const shard = shardOf(serial, { urls: anyUrls, shards });
      const own = byShard.get(shard) ?? [];
      own.push(serial);
      byShard.set(shard, own);
    }
    for (const [shard, own] of byShard)
      await commitRevoked(store, own, { ...row, ...(shard && { shard }) });
  }
}
/** URLs to which shards can be appended. */
export const anyUrls = {
  issuing_certificates: [],
  crl_distribution_points: ["http://ca.example.com/crl"],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
};
/**
 * Writes certificates, which are revoked by default, into the store of a mount. Their signatures
 * are invalid, but no measurement verifies them.
 */
export async function seedCertificates(store: Store, seeded: SeededCertificates): Promise<void> {
  const { id, crl_set } = await issuerIn(store);
  const { plan, template } = await leafRequest();
  const { count, notAfter } = seeded;
  const row: RevokedRow = { at, issuer: id, crl_set, not_after: notAfter };
  for (let from = 0; from < count; from += perBatch) {
    const serials = Array.from({ length: Math.min(perBatch, count - from) }, randomSerial);
    if (seeded.revoked !== false) await commitRevoked(store, serials, row);
    const ended = { ...template, notBefore: notAfter - 3600, notAfter };
    const put = serials.map((serial) => {
      const der = assembleSigned(
        prepareTbs(plan, ended, serial),
        plan.algorithm,
        new Uint8Array(71).fill(1),
      );
      const row: CertRow = { der, issuer: id, crl_set, role: "web" };
      return [
        keys.cert(serial),
        row,
        certIndex({ ...row, notBefore: 0, notAfter, name: "h" }),
      ] as const;
    });
    for (let part = 0; part < put.length; part += 500)
      await store.commit({ put: put.slice(part, part + 500) });
  }
}
/** Writes revocations, in one batch for each partition. */
async function commitRevoked(
  store: Store,
  serials: readonly Uint8Array[],
  row: RevokedRow,
): Promise<void> {
  const group = row.shard === undefined ? row.crl_set : `${row.crl_set}-${row.shard}`;
  const bySeries = new Map<string, Uint8Array[]>();
  for (const serial of serials) {
    const prefix = pagesFor(store, group, serial);
    const same = bySeries.get(prefix) ?? [];
    same.push(serial);
    bySeries.set(prefix, same);
  }
  const batches = new Map<unknown, Batch>();
  for (const [prefix, same] of bySeries) {
    const place = store.placement?.placeOf(prefix);
    batches.set(place, mergeBatches(batches.get(place) ?? {}, seriesBatch(prefix, same, row)));
  }
  for (const batch of batches.values()) await store.commit(batch);
}
function seriesBatch(prefix: string, serials: readonly Uint8Array[], row: RevokedRow): Batch {
  const entries = serials.map((serial) =>
    encodeRevokedEntry({ serial, revokedAt: Math.floor(row.at / 1000) }),
  );
  return {
    put: serials.map((serial) => [
      keys.revoked(serial),
      row,
      revokedIndex(row, row.not_after ?? 0),
    ]),
    append: [[prefix, concat(entries)]],
  };
}
/** Returns a random serial number of 20 bytes, which is positive and has no leading zeros. */
export function randomSerial(): Uint8Array {
  const serial = crypto.getRandomValues(new Uint8Array(20));
  serial[0] = 1 + ((serial[0] ?? 0) % 0x7f);
  return serial;
}
