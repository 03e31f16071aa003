import { DatabaseSync } from "node:sqlite";
import { encode } from "../src/base/encoding.ts";
import { serialKey } from "../src/base/ids.ts";
import { partitionName } from "../src/engine/partition-stores.ts";
import { slotOf, spreadOf } from "../src/engine/placement.ts";
import { sqlIn } from "../src/node/sqlite-file.ts";
import { joinToPages } from "../src/pki/crl/crl-pages.ts";
import { encodeEntry } from "../src/pki/crl/crl-revocations.ts";
import { crlIdOf } from "../src/pki/crl/crl-set.ts";
import { shardOf } from "../src/pki/issuer/crl-retention.ts";
import { revokedIndex } from "../src/pki/revoke/revocation.ts";
import { keys, type RevokedRow } from "../src/pki/rows/records.ts";
import { columnsIn } from "../src/store/sql/columns.ts";
import { run } from "../src/store/sql/sql.ts";
import { anyUrls, randomSerial } from "./revoked.ts";

/** Revocations to generate in the stores of a mount. */
interface Generated {
  /** The SQLite file, which no other process has open. */
  readonly file: string;
  /** UUID of the mount. */
  readonly mount: string;
  readonly partitions: number;
  readonly shards: number;
  readonly count: number;
  /** A revocation without a shard, which is copied. */
  readonly row: RevokedRow;
}

/**
 * Writes revocations with random serial numbers, and their CRL entries, into the tables of a mount.
 * Each partition must already have a revocation, and each series of entries a page at most.
 */
export function generateRevocations(generated: Generated): void {
  const { file, mount, partitions, shards, count, row } = generated;
  const database = new DatabaseSync(file);
  // no other process has the file open, and a lost file can be generated again
  database.exec(
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -3000000",
  );
  const inserts = Array.from({ length: partitions }, (_, at) => {
    const sql = sqlIn(database, partitionName(mount, at));
    const columns = columnsIn(sql);
    return (key: string, value: unknown, index = {}) =>
      void run(sql, columns.insert, key, 1, encode(value), ...columns.values(index));
  });
  const series = new Map<string, { readonly slot: number; readonly entries: Uint8Array[] }>();
  database.exec("BEGIN");
  for (let n = 0; n < count; n++) {
    const serial = randomSerial();
    const shard = shardOf(serial, { urls: anyUrls, shards });
    const own: RevokedRow = { ...row, ...(shard === undefined ? {} : { shard }) };
    const slot = spreadOf(serialKey(serial));
    const value = { ...own, not_after: row.not_after };
    inserts[slot % partitions]?.(
      keys.revoked(serial),
      value,
      revokedIndex(own, row.not_after ?? 0),
    );
    const of = partitions > 1 ? slotOf(serialKey(serial)) : undefined;
    const prefix = keys.crlPages(crlIdOf(row.crl_set, shard), of);
    const pages = series.get(prefix) ?? { slot: of === undefined ? 0 : slot, entries: [] };
    series.set(prefix, pages);
    pages.entries.push(encodeEntry(serial, own));
  }
  for (const [prefix, { slot, entries }] of series)
    for (const [at, page] of joinToPages(entries).entries())
      inserts[slot % partitions]?.(`${prefix}${String(at + 1).padStart(8, "0")}`, page);
  database.exec("COMMIT");
  database.exec("PRAGMA journal_mode = WAL");
  database.close();
}
