import type { DurableObjectStorage, SqlStorageValue } from "@cloudflare/workers-types";
import { indexNames, type Batch, type Index, type Page } from "../src/ports.ts";
import { afterPrefix, epochAfter, epochKey, isPage, pageBytes, pageKey } from "../src/store/batch.ts";
import { decode, encode } from "../src/store/encoding.ts";

/** A row as it travels: its value encoded; without bytes where a listing leaves values out. */
export type PackedRow = readonly [rev: number, bytes?: Uint8Array];
/** A batch as it travels: values encoded. */
export interface PackedBatch extends Omit<Batch, "put"> {
  readonly put?: readonly (readonly [key: string, bytes: Uint8Array, index?: Index])[];
}
/** Part of a listing: as many rows as fit into one answer, and whether more follow. */
export interface PackedList {
  readonly rows: readonly (readonly [key: string, row: PackedRow, at?: string | number])[];
  readonly more: boolean;
}
/** The rows of one object. Nothing here waits: whoever calls it decides what is one transaction. */
export interface Rows {
  /** The first of the wanted rows, as many as fit into one answer; at least one. */
  get(keys: readonly string[]): (PackedRow | null)[];
  list(prefix: string, page: Page): PackedList;
  epoch(): number;
  /** Applies a batch inside the caller's transaction, and tells the epoch then held; null: a condition does not hold. */
  apply(batch: PackedBatch): number | null;
  /** Forgets what is kept in memory: after a transaction that was rolled back. */
  forget(): void;
  /** A fact about the object, kept beside its rows. */
  meta(name: string): SqlStorageValue | undefined;
  setMeta(name: string, value: string | number): void;
}

/** Most bytes of a value in one physical row: a row may have 2,000,000 bytes, four index values take up to 786,432 of them and the key 512. */
const partBytes = 1_200_000;
/** An answer is cut when it has more bytes than this; a call between Worker and object carries 32 MiB. */
const answerBytes = 8 * 1024 * 1024;
/** Revisions are reserved in blocks, so that they only grow and no commit has to write the last one. */
const revisionBlock = 1 << 20;

/** From so many rows of one index value on: sorting them takes some 10 ms. */
const commonRows = 20_000;

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
const insert = "INSERT INTO rows (key, rev, value, not_after, name, role, issuer) VALUES (?, ?, ?, ?, ?, ?, ?)";
const insertNew = `${insert} ON CONFLICT (key) DO NOTHING`;
const upsert = `${insert} ON CONFLICT (key) DO UPDATE SET rev = excluded.rev, value = excluded.value,
  not_after = excluded.not_after, name = excluded.name, role = excluded.role, issuer = excluded.issuer`;

interface Table {
  readonly sql: DurableObjectStorage["sql"];
  /** The epoch; undefined: not read yet. */
  epoch: number | undefined;
  /** Its row as it is answered: every refusal and every certificate that is not stored asks for it. */
  epochRow: PackedRow | null | undefined;
  /** The last revision given, and the last one reserved. */
  rev: number;
  reserved: number;
  /** Whether some value may have further parts. */
  split: boolean;
}

/** The rows in the SQLite database of an object; creates the tables when absent. */
export function rowsIn({ sql }: DurableObjectStorage): Rows {
  sql.exec(schema);
  const split = sql.exec("SELECT 1 FROM parts LIMIT 1").toArray().length > 0;
  const table: Table = { sql, epoch: undefined, epochRow: undefined, rev: 0, reserved: 0, split };
  const meta = (name: string): SqlStorageValue | undefined => first(table, "SELECT value FROM meta WHERE name = ?", name)?.[0];
  const setMeta = (name: string, value: string | number): void => {
    sql.exec("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value);
  };
  const revision = (): number => {
    if (table.rev >= table.reserved) {
      table.rev = Number(meta("reserved") ?? 0);
      table.reserved = table.rev + revisionBlock;
      setMeta("reserved", table.reserved);
    }
    table.rev += 1;
    return table.rev;
  };
  return {
    get: (keys) => get(table, keys),
    list: (prefix, page) => list(table, prefix, page),
    epoch: () => epochOf(table),
    apply: (batch) => apply(table, batch, revision),
    forget() {
      table.epoch = table.epochRow = undefined;
      table.rev = table.reserved = 0;
      table.split = true;
    },
    meta,
    setMeta,
  };
}

function first({ sql }: Table, query: string, ...bindings: (string | number)[]): SqlStorageValue[] | undefined {
  return sql
    .exec(query, ...bindings)
    .raw()
    .next().value;
}

function get(table: Table, keys: readonly string[]): (PackedRow | null)[] {
  const found: (PackedRow | null)[] = [];
  let room = answerBytes;
  for (const key of keys) {
    if (key === epochKey && table.epochRow !== undefined) {
      found.push(table.epochRow);
      continue;
    }
    const row = first(table, "SELECT rev, value, id FROM rows WHERE key = ?", key);
    const bytes = row && whole(table, row[1], row[2]);
    if (bytes && found.length > 0 && bytes.length > room) break;
    room -= bytes?.length ?? 0;
    const packed: PackedRow | null = row && bytes ? [Number(row[0]), bytes] : null;
    if (key === epochKey) table.epochRow = packed;
    found.push(packed);
  }
  return found;
}

function whole({ sql, split }: Table, value: SqlStorageValue | undefined, id: SqlStorageValue | undefined): Uint8Array {
  const start = new Uint8Array(value as ArrayBuffer);
  if (!split || start.length < partBytes) return start;
  const parts = [start];
  for (const [part] of sql.exec("SELECT value FROM parts WHERE row = ? ORDER BY n", id).raw<[ArrayBuffer]>()) parts.push(new Uint8Array(part));
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function list(table: Table, prefix: string, page: Page): PackedList {
  const [where, bindings] = page.by ? byIndex(table, prefix, page.by) : byKey(prefix, page.after);
  const columns = `key, rev, ${page.by ? page.by.name : "NULL"}${page.values === false ? "" : ", value, id"}`;
  const cursor = table.sql.exec(`SELECT ${columns} FROM rows ${where} LIMIT ?`, ...bindings, Number.isFinite(page.limit) ? page.limit : -1);
  const rows: (readonly [string, PackedRow, (string | number)?])[] = [];
  let room = answerBytes;
  for (const [key, rev, at, value, id] of cursor.raw<[string, number, string | number | null, ArrayBuffer, number]>()) {
    const bytes = page.values === false ? undefined : whole(table, value, id);
    room -= key.length + 32 + (bytes?.length ?? 0);
    if (room < 0 && rows.length > 0) return { rows, more: true };
    const row: PackedRow = bytes ? [rev, bytes] : [rev];
    rows.push(at === null ? [key, row] : [key, row, at]);
  }
  return { rows, more: false };
}

type Where = [where: string, bindings: (string | number)[]];

function byKey(prefix: string, after: string | undefined): Where {
  const later = after !== undefined && after >= prefix;
  return [`WHERE key ${later ? ">" : ">="} ? AND key < ? ORDER BY key`, [later ? after : prefix, afterPrefix(prefix)]];
}

function byIndex(table: Table, prefix: string, by: NonNullable<Page["by"]>): Where {
  const { name, from, to } = by;
  const after = by.after && (from === undefined || by.after[0] >= from) ? by.after : undefined;
  if (to !== undefined && (after?.[0] ?? from) === to && isCommon(table, name, to)) {
    const [where, bindings] = byKey(prefix, after?.[1]);
    return [where.replace("WHERE", `INDEXED BY rows_key WHERE ${name} = ? AND`), [to, ...bindings]];
  }
  // the plus keeps the key's own index out of the plan
  let where = `INDEXED BY rows_${name} WHERE ${name} IS NOT NULL`;
  const bindings: (string | number)[] = [];
  const add = (condition: string, ...values: readonly (string | number)[]): void => {
    where += ` AND ${condition}`;
    bindings.push(...values);
  };
  if (after) add(`${name} >= ? AND (${name} > ? OR +key > ?)`, after[0], ...after);
  else if (from !== undefined) add(`${name} >= ?`, from);
  if (to !== undefined) add(`${name} <= ?`, to);
  if (prefix !== "") add("+key >= ? AND +key < ?", prefix, afterPrefix(prefix));
  return [`${where} ORDER BY ${name}, key`, bindings];
}

/** Whether so many rows share an index value that walking the keys, and skipping other rows, is cheaper than sorting those by key for each page. */
function isCommon(table: Table, name: string, value: string | number): boolean {
  return first(table, `SELECT 1 FROM rows INDEXED BY rows_${name} WHERE ${name} = ? LIMIT 1 OFFSET ${commonRows}`, value) !== undefined;
}

function epochOf(table: Table): number {
  if (table.epoch === undefined) {
    const value = first(table, "SELECT value FROM rows WHERE key = ?", epochKey)?.[0];
    table.epoch = value instanceof ArrayBuffer ? Number(decode(new Uint8Array(value))) : 0;
  }
  return table.epoch;
}

function apply(table: Table, batch: PackedBatch, revision: () => number): number | null {
  const held = epochOf(table);
  const epoch = epochAfter(held, batch);
  if (epoch === undefined) return null;
  if (epoch === held && isAddition(batch)) return add(table, batch.put[0], revision) ? epoch : null;
  const fresh = new Set<string>();
  for (const [key, rev] of batch.expect ?? []) {
    const is = first(table, "SELECT rev FROM rows WHERE key = ?", key)?.[0] ?? null;
    if (is !== rev) return null;
    if (is === null) fresh.add(key);
  }
  const rev = revision();
  if (batch.clear) clear(table);
  for (const key of batch.del ?? []) remove(table, key);
  for (const [key, bytes, index] of batch.put ?? []) put(table, key, rev, bytes, index, fresh.delete(key));
  for (const [prefix, bytes] of batch.append ?? []) append(table, prefix, rev, bytes);
  if (epoch !== held) {
    put(table, epochKey, rev, encode(epoch));
    table.epoch = epoch;
    table.epochRow = undefined;
  }
  return epoch;
}

type Put = NonNullable<PackedBatch["put"]>[number];
/** Whether a batch is one small row that must be new, under an epoch that stays: then the insertion itself is the test. */
function isAddition(batch: PackedBatch): batch is PackedBatch & { readonly put: readonly [Put] } {
  const { epoch, expect, put } = batch;
  if (typeof epoch !== "number" || batch.append || batch.del || batch.clear || expect?.length !== 1 || put?.length !== 1) return false;
  return expect[0]?.[1] === null && expect[0][0] === put[0]?.[0] && put[0][1].length <= partBytes;
}
function add({ sql }: Table, [key, bytes, index]: Put, revision: () => number): boolean {
  const { rowsWritten } = sql.exec(
    insertNew,
    key,
    revision(),
    bytes,
    index?.not_after ?? null,
    index?.name ?? null,
    index?.role ?? null,
    index?.issuer ?? null,
  );
  return rowsWritten > 0;
}

function clear({ sql }: Table): void {
  sql.exec("DELETE FROM parts");
  sql.exec("DELETE FROM rows WHERE key <> ?", epochKey);
}

function remove(table: Table, key: string): void {
  dropParts(table, key);
  table.sql.exec("DELETE FROM rows WHERE key = ?", key);
}

function dropParts({ sql, split }: Table, key: string): void {
  if (split) sql.exec("DELETE FROM parts WHERE row = (SELECT id FROM rows WHERE key = ?)", key);
}

function put(table: Table, key: string, rev: number, bytes: Uint8Array, index?: Index, fresh = false): void {
  if (!fresh) dropParts(table, key);
  const [notAfter, name, role, issuer] = indexNames.map((of) => index?.[of] ?? null);
  const start = bytes.length > partBytes ? bytes.subarray(0, partBytes) : bytes;
  table.sql.exec(fresh ? insert : upsert, key, rev, start, notAfter, name, role, issuer);
  if (bytes.length <= partBytes) return;
  table.split = true;
  const id = first(table, "SELECT id FROM rows WHERE key = ?", key)?.[0];
  for (let n = 1; n * partBytes < bytes.length; n += 1) {
    table.sql.exec("INSERT INTO parts (row, n, value) VALUES (?, ?, ?)", id, n, bytes.subarray(n * partBytes, (n + 1) * partBytes));
  }
}

function append(table: Table, prefix: string, rev: number, bytes: Uint8Array): void {
  const last = lastPage(table, prefix);
  // an encoded page has one byte more than the page
  if (last && last.length - 1 + bytes.length <= pageBytes) {
    // joining two blobs gives text of the same bytes
    table.sql.exec("UPDATE rows SET rev = ?, value = CAST(value || ? AS BLOB) WHERE id = ?", rev, bytes, last.id);
  } else {
    put(table, pageKey(prefix, last ? Number(last.key.slice(prefix.length)) + 1 : 0), rev, encode(bytes));
  }
}

function lastPage({ sql }: Table, prefix: string): { id: number; key: string; length: number } | undefined {
  const rows = sql.exec("SELECT id, key, length(value) FROM rows WHERE key >= ? AND key < ? ORDER BY key DESC", prefix, afterPrefix(prefix));
  for (const [id, key, length] of rows.raw<[number, string, number]>()) {
    if (isPage(key, prefix)) return { id, key, length };
  }
  return undefined;
}
