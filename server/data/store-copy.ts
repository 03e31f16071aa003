import { createHash, randomUUID } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { oldFormKey } from "../../src/store/batch.ts";
import { all, run, type Sql, type SqlValue } from "../../src/store/sql/sql.ts";
import {
  addIndex,
  storedFact,
  indexColumns,
  columnOf,
  makeTables,
  setFact,
  type IndexColumn,
} from "../../src/store/sql/tables.ts";

/** The number of rows in a store, and a digest of their values and indexes. */
export interface StoreDigest {
  readonly rows: number;
  readonly digest: string;
}

/**
 * Number of rows that one statement reads. A value has up to 1.2 MB, and memory use must stay
 * constant.
 */
const batchSize = 32;
/** Number of rows after which pending events are handled: a few milliseconds of work. */
const rowsAtOnce = 1000;

/** The ID, key and revision of a row, the first part of its value, and its index values by slot. */
type StoredRecord = [id: number, key: string, rev: number, value: SqlValue, ...SqlValue[]];
/** A row's ID, and the number and bytes of another part of its value. */
type StoredPart = [row: number, n: number, value: SqlValue];

/**
 * Copies a store, inside the caller's transaction, into a database that does not contain the
 * store's tables yet. The source may have an older layout. Returns a digest of the rows that were
 * read.
 */
export async function copyStore(source: Sql, target: Sql): Promise<StoreDigest> {
  const indexes = indexColumns(source);
  makeTables(target);
  for (const { slot, name, kind } of indexes) addIndex(target, slot, name, kind);
  setFact(target, "reserved", reservedIn(source));
  // set it now, because an export compares it before the first commit would set it
  setFact(target, "life", randomUUID());
  const columns = ["id", "key", "rev", "value", ...indexes.map(({ slot }) => columnOf(slot))];
  const insertRow = `INSERT INTO rows (${columns.join()}) VALUES (${columns.map(() => "?").join()})`;
  const insertPart = "INSERT INTO parts (row, n, value) VALUES (?, ?, ?)";
  return digestOf(source, indexes, {
    row: (row) => void run(target, insertRow, ...row),
    part: (part) => void run(target, insertPart, ...part),
  });
}

/** Returns the digest of a store. */
export const digestStore = (sql: Sql): Promise<StoreDigest> => digestOf(sql, indexColumns(sql));

const reservedIn = (sql: Sql): number => Number(storedFact(sql, "reserved") ?? 0);

/** A visitor of each row and each part, called after the row or part was added to the digest. */
interface Visitor {
  row(row: StoredRecord): void;
  part(part: StoredPart): void;
}

async function digestOf(
  sql: Sql,
  indexes: readonly IndexColumn[],
  visitor?: Visitor,
): Promise<StoreDigest> {
  const hash = createHash("sha256");
  const add = (value: SqlValue, ...rest: readonly SqlValue[]): void => {
    // Node returns a BLOB as a Uint8Array
    const bytes = value instanceof Uint8Array ? value : new Uint8Array();
    hash.update(JSON.stringify([bytes.length, ...rest]));
    hash.update(bytes);
  };
  hash.update(JSON.stringify([reservedIn(sql), indexes.map(({ slot, name }) => [slot, name])]));
  let rows = 0;
  for (const row of rowsIn(sql, indexes)) {
    const [id, key, rev, value, ...values] = row;
    rows += 1;
    add(value, id, key, rev, ...values);
    visitor?.row(row);
    if (rows % rowsAtOnce === 0) await yieldToEventLoop();
  }
  for (const part of partsIn(sql)) {
    const [row, n, value] = part;
    add(value, row, n);
    visitor?.part(part);
    await yieldToEventLoop();
  }
  return { rows, digest: hash.digest("hex") };
}

/**
 * Yields the rows in ID order, which is the order of insertion. Skips the old copies of rows that
 * an interrupted export has left behind; their keys are used by no other rows.
 */
function* rowsIn(sql: Sql, indexes: readonly IndexColumn[]): Iterable<StoredRecord> {
  const columns = ["id", "key", "rev", "value", ...indexes.map(({ column }) => column)];
  // the plus sign prevents SQLite from using the index on `key`
  const query = `SELECT ${columns.join()} FROM rows WHERE id > ? AND +key < ? ORDER BY id LIMIT ?`;
  for (let after: number | undefined = -1; after !== undefined;) {
    const rows: StoredRecord[] = all(sql, query, after, oldFormKey(""), batchSize);
    yield* rows;
    after = rows.at(-1)?.[0];
  }
}

function* partsIn(sql: Sql): Iterable<StoredPart> {
  const query = `SELECT row, n, value FROM parts WHERE (row, n) > (?, ?)
    AND row NOT IN (SELECT id FROM rows WHERE key >= ?) ORDER BY row, n LIMIT ?`;
  for (let last: StoredPart | undefined = [-1, 0, null]; last;) {
    const parts: StoredPart[] = all(sql, query, last[0], last[1], oldFormKey(""), batchSize);
    yield* parts;
    last = parts.at(-1);
  }
}
