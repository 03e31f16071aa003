import { concat } from "../src/base/bytes.ts";
import type { Batch, Store } from "../src/engine/ports.ts";
import {
  certIndex,
  keys,
  type CertRow,
  type IssuerRow,
  type RevokedRow,
} from "../src/engine/records.ts";
import { prepareTbs } from "../src/pki/issuer/certify.ts";
import { assembleSigned } from "../src/x509/certificate.ts";
import { revokedIndex } from "../src/pki/revoke/revocation.ts";
import { encodeRevokedEntry } from "../src/x509/crl.ts";
import { leafRequest } from "./leaf.ts";

/** Revocations that were never asked for: straight into the store, as the engine leaves them. */
export interface Seeded {
  readonly count: number;
  /** Over how many shards; 0: over none. */
  readonly shards?: number;
  /** When they end, Unix seconds. */
  readonly notAfter?: number;
}
/** How many certificates end when, Unix seconds. */
export interface SeededCertificates {
  readonly count: number;
  readonly notAfter: number;
  /** False: they are not revoked. */
  readonly revoked?: boolean;
}
/** As many as a page has room for. */
const perBatch = 1500;
const at = 1_800_000_000_000;

async function issuerIn(store: Store): Promise<IssuerRow> {
  const [issuer] = await store.list("issuer/", { limit: 1 });
  // rows below issuer/ have this type
  const held = issuer?.[1].value as IssuerRow | undefined;
  if (!held) throw new TypeError("there is no issuer");
  return held;
}
/** Puts revocations below the first issuer of a mount into its store. */
export async function seedRevoked(store: Store, seeded: Seeded): Promise<void> {
  const { id, crl_set } = await issuerIn(store);
  const { count, shards = 0, notAfter = 3_000_000_000 } = seeded;
  for (let from = 0, group = 0; from < count; from += perBatch, group++) {
    const shard = shards > 0 ? `${shards}-${group % shards}` : undefined;
    const row: RevokedRow = {
      at,
      issuer: id,
      crl_set,
      not_after: notAfter,
      ...(shard && { shard }),
    };
    const serials = Array.from({ length: Math.min(perBatch, count - from) }, drawn);
    await store.commit(batchOf(serials, row, notAfter));
  }
}
/**
 * Puts certificates into the store of a mount, revoked unless said. They carry no true signature:
 * nothing that is measured with them verifies one.
 */
export async function seedCertificates(store: Store, seeded: SeededCertificates): Promise<void> {
  const { id, crl_set } = await issuerIn(store);
  const { plan, template } = await leafRequest();
  const { count, notAfter } = seeded;
  const row: RevokedRow = { at, issuer: id, crl_set, not_after: notAfter };
  for (let from = 0; from < count; from += perBatch) {
    const serials = Array.from({ length: Math.min(perBatch, count - from) }, drawn);
    if (seeded.revoked !== false) await store.commit(batchOf(serials, row, notAfter));
    const ended = { ...template, notBefore: notAfter - 3600, notAfter };
    const put = serials.map((serial) => {
      const der = assembleSigned(
        prepareTbs(plan, ended, serial),
        plan.algorithm,
        new Uint8Array(71).fill(1),
      );
      const held: CertRow = { der, issuer: id, crl_set, role: "web" };
      return [keys.cert(serial), held, certIndex({ ...held, notAfter, name: "h" })] as const;
    });
    for (let part = 0; part < put.length; part += 500)
      await store.commit({ put: put.slice(part, part + 500) });
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
      { ...row, not_after: notAfter },
      revokedIndex(row, notAfter),
    ]),
    append: [[keys.crlPages(group), concat(entries)]],
  };
}
function drawn(): Uint8Array {
  const serial = crypto.getRandomValues(new Uint8Array(20));
  serial[0] = 1 + ((serial[0] ?? 0) % 0x7f);
  return serial;
}
