import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { time } from "../src/base/der-element.ts";
import { decode, encode } from "../src/base/encoding.ts";
import { toHex } from "../src/base/bytes.ts";
import { spreadOf } from "../src/engine/placement.ts";
import { partitionName } from "../src/engine/partition-stores.ts";
import { sqlIn } from "../src/node/sqlite-file.ts";
import { certIndex, keys, rowPrefixes, type CertRow } from "../src/pki/rows/records.ts";
import { columnsIn } from "../src/store/sql/columns.ts";
import { blob, first, run, type Sql } from "../src/store/sql/sql.ts";
import { randomSerial } from "./revoked.ts";

/** Rows to generate in the stores of a mount. */
interface Generated {
  /** The SQLite file, which no other process has open. */
  readonly file: string;
  /** UUID of the mount. */
  readonly mount: string;
  readonly partitions: number;
  /** Serial number of certificate 0, which the mount itself issued. */
  readonly issued: Uint8Array;
  /** Numbers of the certificates: from `from` up to, but not including, `to`. */
  readonly from: number;
  readonly to: number;
}

/** Returns the name of certificate `n`; all have the same length. */
export const hostName = (n: number): string => `h${String(n).padStart(8, "0")}.example.com`;
/** Returns the role of certificate `n`; all have the same length. */
export const generatedRole = (n: number): string => `role-${n % 10}`;

/** Rows per transaction. */
const perTransaction = 50_000;
const daySeconds = 86_400;

/**
 * The encoded row of a certificate, in which serial number, name, times, role and checksum can be
 * replaced, because encoding each row would take most of the time.
 */
interface Pattern {
  readonly bytes: Buffer;
  /** Offsets from the beginning of the row to the certificate and the parts that are replaced. */
  readonly der: number;
  readonly serial: number;
  readonly names: readonly number[];
  readonly times: number;
  readonly role: number;
  readonly crc: number;
  readonly issuer: string;
}
/** A checksum with the maximum number of digits. Shorter checksums are padded with spaces. */
const longCrc = 4_000_000_000;
function patternOf(row: CertRow, serial: Uint8Array): Pattern {
  const bytes = Buffer.from(encode({ ...row, role: generatedRole(0), crc: longCrc }));
  const name = Buffer.from(hostName(0));
  const names: number[] = [];
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) names.push(at);
  const der = bytes.indexOf(row.der);
  // a Validity of two UTCTimes
  const times = bytes.indexOf(Buffer.from([0x30, 0x1e, 0x17, 0x0d]), der) + 2;
  const pattern = {
    bytes,
    der,
    serial: bytes.indexOf(serial),
    names,
    times,
    role: bytes.indexOf(generatedRole(0)),
    crc: bytes.indexOf(String(longCrc)),
    issuer: row.issuer,
  };
  if (Math.min(...Object.values(pattern).filter((at) => typeof at === "number")) < 0 || !names[1])
    throw new TypeError("the first certificate is not as expected");
  return pattern;
}

/**
 * Returns a function that generates certificate `n`, with an invalid signature, and its index
 * values.
 */
function generator({ bytes, ...at }: Pattern, now: number) {
  const times = Array.from({ length: 800 }, (_, day) => time(now + (day - 400) * daySeconds));
  const replace = (text: string, place: number): void => void bytes.write(text, place, "latin1");
  return (n: number) => {
    const serial = randomSerial();
    bytes.set(serial, at.serial);
    const [name, role] = [hostName(n), generatedRole(n)];
    for (const place of at.names) replace(name, place);
    const [before, after] = [400 - (n % 300), 401 + (n % 397)];
    bytes.set(times[before] ?? [], at.times);
    bytes.set(times[after] ?? [], at.times + 15);
    replace(role, at.role);
    replace(String(crc32(bytes.subarray(at.der))).padStart(10), at.crc);
    return {
      key: keys.cert(serial),
      bytes,
      index: certIndex({
        notBefore: now + (before - 400) * daySeconds,
        notAfter: now + (after - 400) * daySeconds,
        name,
        role,
        issuer: at.issuer,
      }),
    };
  };
}

/**
 * Writes certificates with random serial numbers into the tables of a mount, in the order of their
 * names, and builds the indexes afterwards. The certificates are copies of one that the mount
 * issued, so that nothing is signed.
 */
export function generateRows({ file, mount, partitions, issued, from, to }: Generated): void {
  const database = new DatabaseSync(file);
  // no other process has the file open, and a lost file can be generated again
  database.exec(
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -3000000",
  );
  const stores = Array.from({ length: partitions }, (_, at) =>
    sqlIn(database, partitionName(mount, at)),
  );
  const inserts = stores.map((sql) => {
    const columns = columnsIn(sql);
    return ({ key, bytes, index }: ReturnType<ReturnType<typeof generator>>) =>
      void run(sql, columns.insert, key, 1, bytes, ...columns.values(index));
  });
  const now = Math.floor(Date.now() / 1000);
  const rowFor = generator(patternOf(rowOf(stores, issued), issued), now);
  const createIndexes = dropIndexes(database);
  for (let n = Math.max(from, 1); n < to;) {
    database.exec("BEGIN");
    for (const end = Math.min(to, n + perTransaction); n < end; n++) {
      const row = rowFor(n);
      inserts[spreadOf(row.key.slice(rowPrefixes.certs.length)) % partitions]?.(row);
    }
    database.exec("COMMIT");
  }
  createIndexes();
  database.exec("PRAGMA journal_mode = WAL");
  database.close();
}
/**
 * Drops the indexes of all tables, and returns a function that creates them again. Inserting into
 * an index in random order takes hours once the index exceeds the cache.
 */
function dropIndexes(database: DatabaseSync): () => void {
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    .all();
  for (const { name } of indexes) database.exec(`DROP INDEX "${String(name)}"`);
  return () => {
    for (const { sql } of indexes) database.exec(String(sql));
  };
}
function rowOf(stores: readonly Sql[], serial: Uint8Array): CertRow {
  for (const sql of stores) {
    const value = blob(first(sql, "SELECT value FROM rows WHERE key = ?", keys.cert(serial))?.[0]);
    // rows under cert/ have this type
    if (value) return decode(value) as CertRow;
  }
  throw new TypeError(`the mount has no certificate ${toHex(serial)}`);
}

/**
 * Returns the keys of about `count` random certificates of a mount: the same number from each
 * partition, less duplicates.
 */
export function someKeys(
  { file, mount, partitions }: Pick<Generated, "file" | "mount" | "partitions">,
  count: number,
): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const found: string[] = [];
  const query =
    "SELECT key FROM rows WHERE id >= ? AND +key >= 'cert/' AND +key < 'cert0' ORDER BY id LIMIT 1";
  for (let at = 0; at < partitions; at++) {
    const sql = sqlIn(database, partitionName(mount, at));
    const max = Number(first(sql, "SELECT max(id) FROM rows")?.[0] ?? 0);
    for (let n = 0; n < count / partitions; n++) {
      const key = first(sql, query, Math.floor(Math.random() * max))?.[0];
      if (typeof key === "string") found.push(key);
    }
  }
  database.close();
  return [...new Set(found)];
}

/** Returns the size in bytes of a mount's tables and B-trees, each summed over all partitions. */
export function tableBytes(file: string): ReadonlyMap<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  const sizes = new Map<string, number>();
  const query =
    "SELECT name, sum(pgsize) AS bytes FROM dbstat WHERE aggregate = true GROUP BY name";
  for (const { name, bytes } of database.prepare(query).all()) {
    const tree = /_(rows(?:_\w+)?|parts|meta|indexes)$/.exec(String(name))?.[1] ?? "other";
    sizes.set(tree, (sizes.get(tree) ?? 0) + Number(bytes));
  }
  database.close();
  return sizes;
}
