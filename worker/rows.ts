import type { DurableObjectStorage, SqlStorageValue } from "@cloudflare/workers-types";
import { indexNames, type Batch, type Index, type Page } from "../src/engine/ports.ts";
import { epochAfter, epochKey, pageBytes, pageKey } from "../src/store/batch.ts";
import { decode, encode } from "../src/store/encoding.ts";
import { answerBytes, list, partBytes, whole, type PackedList, type PackedRow } from "./listing.ts";
import { all, first, run, type Sql } from "./sql.ts";

export type { PackedList, PackedRow } from "./listing.ts";

/** A batch as it travels: values encoded. */
export interface PackedBatch extends Omit<Batch, "put"> {
  readonly put?: readonly (readonly [key: string, bytes: Uint8Array, index?: Index])[];
}
/** The rows of one object. Nothing here waits: whoever calls it decides what is one transaction. */
export interface Rows {
  /** The first of the wanted rows, as many as fit into one answer; at least one. */
  get(keys: readonly string[]): (PackedRow | null)[];
  list(prefix: string, page: Page): PackedList;
  epoch(): number;
  /**
   * Looks who wrote last, inside the caller's transaction, and tells whether another process has
   * written since this one did: then what was kept in memory is forgotten. Objects are alone with
   * their database, but two servers may be started on one directory.
   */
  look(): boolean;
  /**
   * Applies a batch inside the caller's transaction, and tells the epoch then held; null: a
   * condition does not hold. The first one that changes anything says who writes; one that changes
   * nothing writes nothing, because strangers may have it tried whether the storage takes writes.
   */
  apply(batch: PackedBatch): number | null;
  /**
   * Forgets what is kept in memory: after a transaction that was rolled back, or when the database
   * was emptied.
   */
  forget(): void;
  /** A fact about the object, kept beside its rows. */
  meta(name: string): SqlStorageValue | undefined;
  setMeta(name: string, value: string | number): void;
}

/**
 * Revisions are reserved in blocks, so that they only grow and no commit has to write the last one.
 */
const revisionBlock = 1 << 20;

const schema = `
  CREATE TABLE IF NOT EXISTS rows (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, rev INTEGER NOT NULL, value BLOB NOT NULL, not_after INTEGER, name TEXT, role TEXT, issuer TEXT
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS rows_key ON rows (key);
  CREATE INDEX IF NOT EXISTS rows_not_after ON rows (not_after) WHERE not_after IS NOT NULL;
  CREATE INDEX IF NOT EXISTS rows_name ON rows (name) WHERE name IS NOT NULL;
  CREATE INDEX IF NOT EXISTS rows_role ON rows (role) WHERE role IS NOT NULL;
  CREATE INDEX IF NOT EXISTS rows_issuer ON rows (issuer) WHERE issuer IS NOT NULL;
  CREATE TABLE IF NOT EXISTS parts (row INTEGER NOT NULL, n INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (row, n)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
`;
const insert =
  "INSERT INTO rows (key, rev, value, not_after, name, role, issuer) VALUES (?, ?, ?, ?, ?, ?, ?)";
const insertNew = `${insert} ON CONFLICT (key) DO NOTHING`;
const upsert = `${insert} ON CONFLICT (key) DO UPDATE SET rev = excluded.rev, value = excluded.value,
  not_after = excluded.not_after, name = excluded.name, role = excluded.role, issuer = excluded.issuer`;

interface Table {
  readonly sql: Sql;
  /**
   * Whether the tables are there. An object that was only asked, or has given its space back, has
   * none.
   */
  made: boolean;
  /** The epoch, for commits, which know that nobody else has written; undefined: not read yet. */
  epoch: number | undefined;
  /** The last revision given, and the last one reserved. */
  rev: number;
  reserved: number;
  /** Whether some value may have further parts. */
  split: boolean;
}

/** The rows in the SQLite database of an object; its tables are made by the first commit. */
export function rowsIn({ sql }: DurableObjectStorage): Rows {
  const table: Table = { sql, made: false, epoch: undefined, rev: 0, reserved: 0, split: true };
  const writer = crypto.randomUUID();
  // whether this process has written ever, and whether it wrote last
  let [wrote, last] = [false, false];
  const made = (): boolean => {
    if (!table.made && first(sql, "SELECT 1 FROM sqlite_master WHERE name = 'meta'")) make(table);
    return table.made;
  };
  const meta = (name: string): SqlStorageValue | undefined =>
    made() ? first(sql, "SELECT value FROM meta WHERE name = ?", name)?.[0] : undefined;
  const setMeta = (name: string, value: string | number): void => {
    if (!made()) make(table);
    run(
      sql,
      "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      name,
      value,
    );
  };
  const claim = (): void => {
    if (!last) setMeta("writer", writer);
    wrote = last = true;
  };
  const revision = (): number => {
    claim();
    if (table.rev >= table.reserved) {
      table.rev = Number(meta("reserved") ?? 0);
      table.reserved = table.rev + revisionBlock;
      setMeta("reserved", table.reserved);
    }
    table.rev += 1;
    return table.rev;
  };
  const forget = (): void => {
    table.epoch = undefined;
    table.rev = table.reserved = 0;
    table.split = true;
    table.made = false;
  };
  return {
    get: (keys) => (made() ? get(table, keys) : keys.map(() => null)),
    list: (prefix, page) => (made() ? list(table, prefix, page) : { rows: [], more: false }),
    epoch: () => (made() ? readEpoch(table) : 0),
    look() {
      last = meta("writer") === writer;
      if (!last) forget();
      return wrote && !last;
    },
    apply(batch) {
      if (!made()) {
        if (!fitsNothing(batch)) return null;
        make(table);
      }
      return apply(table, batch, { revision, claim });
    },
    forget,
    meta,
    setMeta,
  };
}

/** Makes the tables that are absent. */
function make(table: Table): void {
  run(table.sql, schema);
  table.made = true;
  table.split = first(table.sql, "SELECT 1 FROM parts LIMIT 1") !== undefined;
}

function get(table: Table, keys: readonly string[]): (PackedRow | null)[] {
  const found: (PackedRow | null)[] = [];
  let room = answerBytes;
  for (const key of keys) {
    const row = first(table.sql, "SELECT rev, value, id FROM rows WHERE key = ?", key);
    const bytes = row && whole(table, row[1], row[2]);
    if (bytes && found.length > 0 && bytes.length > room) break;
    room -= bytes?.length ?? 0;
    found.push(row && bytes ? [Number(row[0]), bytes] : null);
  }
  return found;
}

function readEpoch({ sql }: Table): number {
  const value = first(sql, "SELECT value FROM rows WHERE key = ?", epochKey)?.[0];
  return value instanceof ArrayBuffer ? Number(decode(new Uint8Array(value))) : 0;
}

/**
 * Whether the conditions of a batch hold where there is nothing: no tables are made for one that is
 * refused.
 */
const fitsNothing = (batch: PackedBatch): boolean =>
  epochAfter(0, batch) !== undefined && !batch.expect?.some(([, rev]) => rev !== null);

/** Who writes: `revision` gives the next revision, and says so as `claim` does. */
interface Writer {
  revision(): number;
  claim(): void;
}

function apply(table: Table, batch: PackedBatch, writer: Writer): number | null {
  const held = (table.epoch ??= readEpoch(table));
  const epoch = epochAfter(held, batch);
  if (epoch === undefined) return null;
  if (epoch === held && isAddition(batch)) return add(table, batch.put[0], writer) ? epoch : null;
  const fresh = new Set<string>();
  for (const [key, rev] of batch.expect ?? []) {
    const is = first(table.sql, "SELECT rev FROM rows WHERE key = ?", key)?.[0] ?? null;
    if (is !== rev) return null;
    if (is === null) fresh.add(key);
  }
  if (batch.clear) clear(table);
  // a key that is not there is deleted like any other: storage that takes no writes refuses that
  // too
  const removed = (batch.del ?? []).map((key) => remove(table, key)).some(Boolean);
  if (batch.clear || removed) writer.claim();
  if (!batch.put?.length && !batch.append?.length && epoch === held) return epoch;
  const rev = writer.revision();
  for (const [key, bytes, index] of batch.put ?? [])
    put(table, key, rev, bytes, index, fresh.delete(key));
  for (const [prefix, bytes] of batch.append ?? []) append(table, prefix, rev, bytes);
  if (epoch !== held) {
    put(table, epochKey, rev, encode(epoch));
    table.epoch = epoch;
  }
  return epoch;
}

type Put = NonNullable<PackedBatch["put"]>[number];
/**
 * Whether a batch is one small row that must be new, under an epoch that stays: then the insertion
 * itself is the test.
 */
function isAddition(batch: PackedBatch): batch is PackedBatch & { readonly put: readonly [Put] } {
  const { expect, put } = batch;
  if (batch.append || batch.del || batch.clear || expect?.length !== 1 || put?.length !== 1)
    return false;
  return expect[0]?.[1] === null && expect[0][0] === put[0]?.[0] && put[0][1].length <= partBytes;
}
function add({ sql }: Table, [key, bytes, index]: Put, { revision }: Writer): boolean {
  const { not_after: notAfter = null, name = null, role = null, issuer = null } = index ?? {};
  return run(sql, insertNew, key, revision(), bytes, notAfter, name, role, issuer) > 0;
}

function clear({ sql }: Table): void {
  run(sql, "DELETE FROM parts");
  run(sql, "DELETE FROM rows WHERE key <> ?", epochKey);
}

/** Whether there was such a row. */
function remove(table: Table, key: string): boolean {
  dropParts(table, key);
  return run(table.sql, "DELETE FROM rows WHERE key = ?", key) > 0;
}

function dropParts({ sql, split }: Table, key: string): void {
  if (split) run(sql, "DELETE FROM parts WHERE row = (SELECT id FROM rows WHERE key = ?)", key);
}

function put(
  table: Table,
  key: string,
  rev: number,
  bytes: Uint8Array,
  index?: Index,
  fresh = false,
): void {
  if (!fresh) dropParts(table, key);
  const [notAfter, name, role, issuer] = indexNames.map((of) => index?.[of] ?? null);
  const start = bytes.length > partBytes ? bytes.subarray(0, partBytes) : bytes;
  run(table.sql, fresh ? insert : upsert, key, rev, start, notAfter, name, role, issuer);
  if (bytes.length <= partBytes) return;
  table.split = true;
  const id = first(table.sql, "SELECT id FROM rows WHERE key = ?", key)?.[0];
  for (let n = 1; n * partBytes < bytes.length; n += 1) {
    run(
      table.sql,
      "INSERT INTO parts (row, n, value) VALUES (?, ?, ?)",
      id,
      n,
      bytes.subarray(n * partBytes, (n + 1) * partBytes),
    );
  }
}

function append(table: Table, prefix: string, rev: number, bytes: Uint8Array): void {
  const last = lastPage(table, prefix);
  // an encoded page has one byte more than the page
  if (last && last.length - 1 + bytes.length <= pageBytes) {
    // joining two blobs gives text of the same bytes
    run(
      table.sql,
      "UPDATE rows SET rev = ?, value = CAST(value || ? AS BLOB) WHERE id = ?",
      rev,
      bytes,
      last.id,
    );
  } else {
    put(
      table,
      pageKey(prefix, last ? Number(last.key.slice(prefix.length)) + 1 : 0),
      rev,
      encode(bytes),
    );
  }
}

/** Other rows may lie below the prefix: a page is what has eight digits after it. */
const pageQuery = `SELECT id, key, length(value) FROM rows WHERE key >= ? AND key <= ? AND length(key) = ? AND substr(key, ?) NOT GLOB '*[^0-9]*'
  ORDER BY key DESC LIMIT 1`;

function lastPage(
  { sql }: Table,
  prefix: string,
): { id: number; key: string; length: number } | undefined {
  const [row] = all<[id: number, key: string, length: number]>(
    sql,
    pageQuery,
    prefix,
    `${prefix}99999999`,
    prefix.length + 8,
    prefix.length + 1,
  );
  return row && { id: row[0], key: row[1], length: row[2] };
}
