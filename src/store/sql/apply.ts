import {
  jobPrefix,
  lastNumberKey,
  lastNumberPrefix,
  logKey,
  parseLastNumber,
} from "../../base/row-keys.ts";
import {
  endOfLog,
  epochAfter,
  epochKey,
  hasGap,
  joinedBytes,
  pageBytes,
  pageKey,
} from "../batch.ts";
import { equalBytes } from "../../base/bytes.ts";
import { decode, encode, joinEncoded } from "../../base/encoding.ts";
import { saveCopy, saveOldForm } from "./export.ts";
import { partBytes } from "./listing.ts";
import { areMany, revisions, jsonKeys } from "./lookup.ts";
import type { PackedBatch, PackedEntry, PackedPut } from "./packed.ts";
import { all, blob, first, run, type Sql } from "./sql.ts";
import type { JoinedEntries, Table } from "./table.ts";
import type { Writer } from "./writer.ts";

const nextEpoch = (storedEpoch: number, { at, ...batch }: PackedBatch): number | undefined =>
  at === undefined || at === storedEpoch ? epochAfter(storedEpoch, batch) : undefined;
/**
 * Reports whether the conditions of a batch hold in an empty store. If they do not, no tables are
 * created for the batch.
 */
export const isForEmptyStore = (batch: PackedBatch): boolean =>
  nextEpoch(0, batch) !== undefined && !batch.expect?.some(([, rev]) => rev !== null);

/** Reads the epoch. */
export function readEpoch(sql: Sql): number {
  const value = blob(first(sql, "SELECT value FROM rows WHERE key = ?", epochKey)?.[0]);
  return value ? Number(decode(value)) : 0;
}

/**
 * Applies a batch in the caller's transaction and returns the new epoch, or null if a condition
 * does not hold.
 */
export function apply(table: Table, batch: PackedBatch, writer: Writer): number | null {
  const isNaming = namesLogRows(table, batch);
  if (isNaming) writeLogs(table);
  const epoch = applyRows(table, batch, writer);
  if (isNaming) writeLogs(table);
  else if (batch.read) writeJoined(table);
  for (const key of batch.read ?? []) table.jobs.delete(key);
  return epoch;
}
/** Writes the rows that the batches of a transaction share. Does nothing if there are no tables. */
export function complete(table: Table | undefined): void {
  if (!table) return;
  writeJoined(table);
  writeNumbers(table);
  table.jobs.clear();
}
function applyRows(table: Table, batch: PackedBatch, writer: Writer): number | null {
  const current = (table.epoch ??= readEpoch(table.sql));
  const epoch = nextEpoch(current, batch);
  if (epoch === undefined) return null;
  const added = epoch === current ? additionIn(batch) : undefined;
  const fresh = new Set<string>();
  const expect = batch.expect?.filter(([key, rev]) => rev !== null || key !== added?.[0]) ?? [];
  const stored =
    expect.length > 0
      ? revisions(
          table.sql,
          expect.map(([key]) => key),
        )
      : [];
  for (const [i, [key, rev]] of expect.entries()) {
    if (stored[i] !== rev) return null;
    if (rev === null) fresh.add(key);
  }
  if (batch.clear) clear(table);
  // the statement runs even if no such key exists, so that read-only storage rejects it
  const removed = removeAll(table, batch.del ?? []);
  if (batch.clear || removed) writer.claim();
  if (!batch.put?.length && !batch.append?.length && !batch.log?.length && epoch === current)
    return epoch;
  const rev = writer.revision();
  if (added && !add(table, added, rev)) return null;
  for (const row of batch.put ?? [])
    if (row !== added && !isPlanned(table, row)) put(table, row, rev, fresh.delete(row[0]));
  for (const [prefix, bytes] of batch.append ?? []) append(table, prefix, rev, bytes);
  for (const entry of batch.log ?? []) log(table, entry, rev);
  if (epoch !== current) {
    put(table, [epochKey, encode(epoch)], rev);
    table.epoch = epoch;
  }
  return epoch;
}

/**
 * Returns a small row that a batch expects not to exist: inserting it first checks this without a
 * query. Returns undefined if there is no such row, or if the batch deletes or appends.
 */
function additionIn({ expect, put, append, del, clear }: PackedBatch): PackedPut | undefined {
  if (!expect || append || del || clear) return undefined;
  return put?.find(
    ([key, bytes]) =>
      bytes.length <= partBytes && expect.some(([of, rev]) => rev === null && of === key),
  );
}
function add({ sql, columns }: Table, [key, bytes, index]: PackedPut, rev: number): boolean {
  const values = columns.values(index);
  return run(sql, columns.insertNew, key, rev, bytes, ...values) > 0;
}

function clear(table: Table): void {
  const { sql } = table;
  table.exporting = undefined;
  table.numbers.clear();
  table.joined.length = 0;
  table.jobs.clear();
  run(sql, "DELETE FROM parts");
  run(sql, "DELETE FROM rows WHERE key <> ?", epochKey);
}

/** Deletes rows, and returns whether any of them existed. */
function removeAll(table: Table, keys: readonly string[]): boolean {
  const { sql, split, exporting, jobs } = table;
  for (const key of keys) jobs.delete(key);
  if (exporting || !areMany(keys)) return keys.map((key) => remove(table, key)).some(Boolean);
  const names = jsonKeys(keys);
  // IDs are in the order of insertion, so rows that were inserted together are adjacent
  const ids = "SELECT id FROM rows WHERE key IN (SELECT value FROM json_each(?))";
  if (split) run(sql, `DELETE FROM parts WHERE row IN (${ids})`, names);
  return run(sql, `DELETE FROM rows WHERE id IN (${ids})`, names) > 0;
}
/** Deletes a row, and returns whether it existed. */
function remove(table: Table, key: string): boolean {
  if (saveOldForm(table, key)) return true;
  dropParts(table, key);
  return run(table.sql, "DELETE FROM rows WHERE key = ?", key) > 0;
}

function dropParts({ sql, split }: Table, key: string): void {
  if (split) run(sql, "DELETE FROM parts WHERE row = (SELECT id FROM rows WHERE key = ?)", key);
}

function put(table: Table, [key, bytes, index]: PackedPut, rev: number, fresh = false): void {
  const { columns } = table;
  if (!fresh && !saveOldForm(table, key)) dropParts(table, key);
  const start = bytes.length > partBytes ? bytes.subarray(0, partBytes) : bytes;
  const values = columns.values(index);
  run(table.sql, fresh ? columns.insert : columns.upsert, key, rev, start, ...values);
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
  // the encoding adds one byte to a page
  if (last && last.length - 1 + bytes.length <= pageBytes) {
    saveCopy(table, last.key);
    // SQLite concatenates two BLOBs into TEXT with the same bytes
    run(
      table.sql,
      "UPDATE rows SET rev = ?, value = CAST(value || ? AS BLOB) WHERE id = ?",
      rev,
      bytes,
      last.id,
    );
  } else {
    const key = pageKey(prefix, last ? Number(last.key.slice(prefix.length)) + 1 : 0);
    put(table, [key, encode(bytes)], rev);
  }
}

function log(table: Table, [prefix, bytes, maxEntries, joins]: PackedEntry, rev: number): void {
  const key = lastNumberKey(prefix);
  const n = (table.numbers.get(key)?.n ?? readNumber(table, key)) + 1;
  table.numbers.set(key, { n, unwritten: rev });
  if (joins) return joinEntry(table, [prefix, bytes], { n, rev });
  put(table, [logKey(prefix, n), bytes], rev);
  const end = endOfLog(n, maxEntries);
  if (end === undefined) return;
  const old = "SELECT key FROM rows WHERE key >= ? AND key <= ?";
  const removed = all<[string]>(table.sql, old, logKey(prefix, 0), logKey(prefix, end)).map(
    ([key]) => key,
  );
  if (hasGap(removed, prefix, end))
    removed.splice(Math.max(0, countEntries(table, prefix, n) - (n - end)));
  removeAll(table, removed);
}
function countEntries({ sql }: Table, prefix: string, last: number): number {
  const count = "SELECT count(*) FROM rows WHERE key >= ? AND key <= ?";
  return Number(first(sql, count, logKey(prefix, 0), logKey(prefix, last))?.[0] ?? 0);
}

/** Adds an entry to the entries that will share the next row of its log. */
function joinEntry(
  table: Table,
  [prefix, bytes]: PackedEntry,
  { n, rev }: { readonly n: number; readonly rev: number },
): void {
  const at = table.joined.findIndex((one) => one.prefix === prefix);
  const before = table.joined[at];
  if (before && before.last === n - 1 && before.size < joinedBytes) {
    before.values.push(bytes);
    before.size += bytes.length;
    before.last = n;
    before.rev = rev;
    return;
  }
  if (before) {
    writeJoinedRow(table, before);
    table.joined.splice(at, 1);
  }
  table.joined.push({ prefix, values: [bytes], size: bytes.length, last: n, rev });
}
function writeJoinedRow(table: Table, { prefix, values, last, rev }: JoinedEntries): void {
  const [one, another] = values;
  if (one) put(table, [logKey(prefix, last), another ? joinEncoded(values) : one], rev);
}
/** Writes the rows that log entries of this transaction share. */
function writeJoined(table: Table): void {
  for (const entries of table.joined) writeJoinedRow(table, entries);
  table.joined.length = 0;
}

/** Reads the last number of a log from its row. */
function readNumber({ sql }: Table, key: string): number {
  const value = blob(first(sql, "SELECT value FROM rows WHERE key = ?", key)?.[0]);
  return parseLastNumber(value && decode(value));
}
/** Writes the last sequence number of each log that was appended to in this transaction. */
function writeNumbers(table: Table): void {
  for (const [key, { n, unwritten }] of table.numbers) {
    if (unwritten === undefined) continue;
    put(table, [key, encode(n)], unwritten);
    table.numbers.set(key, { n });
  }
}
/**
 * Writes pending log entries and last numbers, and clears the cached numbers, because a batch
 * accesses their rows.
 */
function writeLogs(table: Table): void {
  writeJoined(table);
  writeNumbers(table);
  table.numbers.clear();
}
/**
 * Reports whether a batch reads or changes the last number of a log, or rows of a log with pending
 * entries.
 */
function namesLogRows(table: Table, { expect, put, del, read }: PackedBatch): boolean {
  // loops instead of callbacks, because this runs for every batch
  if (expect) for (const row of expect) if (isLogKey(table, row[0])) return true;
  if (put) for (const row of put) if (isLogKey(table, row[0])) return true;
  if (del) for (const key of del) if (isLogKey(table, key)) return true;
  if (read) for (const key of read) if (isLogKey(table, key)) return true;
  return false;
}
function isLogKey({ joined }: Table, key: string): boolean {
  if (key.startsWith(lastNumberPrefix)) return true;
  for (const { prefix } of joined) if (key.startsWith(prefix)) return true;
  return false;
}

/**
 * Reports whether an earlier batch of this transaction put the same row of a job and no batch has
 * read it since. Otherwise remembers the row.
 */
function isPlanned({ jobs }: Table, [key, bytes, index]: PackedPut): boolean {
  if (!key.startsWith(jobPrefix)) return false;
  const planned = jobs.get(key);
  if (planned && !index && (planned === bytes || equalBytes(planned, bytes))) return true;
  jobs.set(key, bytes);
  return false;
}

/**
 * Query for the last page under a prefix. Other rows may have the same prefix, but only the keys of
 * pages have exactly eight digits after it.
 */
const pageQuery = `SELECT id, key, length(value) FROM rows
  WHERE key >= ? AND key <= ? AND length(key) = ? AND substr(key, ?) NOT GLOB '*[^0-9]*'
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
