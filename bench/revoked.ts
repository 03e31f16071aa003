import { concat } from "../src/base/bytes.ts";
import type { Batch, Store } from "../src/engine/ports.ts";
import { keys, type IssuerRow, type RevokedRow } from "../src/engine/records.ts";
import { encodeRevokedEntry } from "../src/x509/crl.ts";

/** Revocations that were never asked for: straight into the store, as the engine leaves them. */
export interface Seeded {
  readonly count: number;
  /** Over how many shards; 0: over none. */
  readonly shards?: number;
  /** When they end, Unix seconds. */
  readonly notAfter?: number;
}
/** As many as a page has room for. */
const perBatch = 1500;
const at = 1_800_000_000_000;

/** Puts revocations below the first issuer of a mount into its store. */
export async function seedRevoked(store: Store, seeded: Seeded): Promise<void> {
  const [issuer] = await store.list("issuer/", { limit: 1 });
  // rows below issuer/ have this type
  const held = issuer?.[1].value as IssuerRow | undefined;
  if (!held) throw new TypeError("there is no issuer");
  const { id, crl_set } = held;
  const { count, shards = 0, notAfter = 3_000_000_000 } = seeded;
  for (let from = 0, group = 0; from < count; from += perBatch, group++) {
    const shard = shards > 0 ? `${shards}-${group % shards}` : undefined;
    const row: RevokedRow = { at, issuer: id, crl_set, ...(shard ? { shard } : {}) };
    const serials = Array.from({ length: Math.min(perBatch, count - from) }, drawn);
    await store.commit(batchOf(serials, row, notAfter));
  }
}
function batchOf(serials: readonly Uint8Array[], row: RevokedRow, notAfter: number): Batch {
  const group = row.shard === undefined ? row.crl_set : `${row.crl_set}-${row.shard}`;
  const entries = serials.map((serial) =>
    encodeRevokedEntry({ serial, revokedAt: Math.floor(row.at / 1000) }),
  );
  return {
    put: serials.map((serial) => [
      keys.revoked(serial),
      row,
      { not_after: notAfter, issuer: row.issuer },
    ]),
    append: [[keys.crlPages(group), concat(entries)]],
  };
}
function drawn(): Uint8Array {
  const serial = crypto.getRandomValues(new Uint8Array(20));
  serial[0] = 1 + ((serial[0] ?? 0) % 0x7f);
  return serial;
}
