import { CaError, refusals, type Refusal } from "../../src/base/errors.ts";
import { NewerFormatError } from "../../src/base/newer-format.ts";
import type { SqliteFile } from "../../src/node/sqlite-file.ts";
import {
  bringUpToDate,
  dropTables,
  noteLife,
  storageFailure,
  watchedRows,
} from "../../src/node/sqlite-store.ts";
import type { PackedBatch, PackedDone } from "../../src/store/sql/packed.ts";
import type { Rows } from "../../src/store/sql/rows.ts";
import { first, run, type Database } from "../../src/store/sql/sql.ts";

/** A change to a store. If `batch` is absent, the store is dropped. */
export interface Change {
  readonly store: string;
  readonly batch?: PackedBatch;
}
/** A CaError in serialized form, because errors lose their class between threads and processes. */
interface Failure {
  readonly code: Refusal;
  readonly message: string;
}
/** The outcome of a change: its result, or the error that rejected it. */
export type Outcome = { readonly done: PackedDone } | { readonly failure: Failure };

/** The rows that a change modified. If `keys` is absent, it may have modified any row. */
export type ChangedRows = readonly [store: string, keys?: readonly string[]];

/** Returns the keys of the rows that a change modifies, including the key of the epoch. */
export function changedBy({ store, batch }: Change): ChangedRows {
  if (!batch || batch.clear) return [store];
  const { put = [], del = [], epoch } = batch;
  const keys = [...put.map(([key]) => key), ...del];
  return [store, epoch === undefined ? keys : [...keys, "epoch"]];
}

/** The only writer of a database file. */
export interface CommitWriter {
  /**
   * Applies changes in order, in one transaction with one flush. Each change succeeds or fails
   * according to its own preconditions. A change reported as applied is durable.
   */
  apply(changes: readonly Change[]): readonly Outcome[];
  /** Number of counted transactions. */
  readonly number: number;
  /** Migrates the tables of all stores to the current layout. */
  migrateTables(): void;
  close(): void;
}

/** Maximum number of stores whose state is cached. */
const maxOpen = 1000;

interface OpenStore {
  readonly rows: Rows;
  readonly database: Database;
}

/**
 * Creates a writer for a file that no other writer has open. If `counts`, the file contains a
 * transaction counter, by which readers detect missed notifications.
 */
export function commitWriter(file: SqliteFile, counts = false): CommitWriter {
  let number = counts ? startCount(file) : 0;
  const { open: opened, limit } = storesOf(file);
  const one = ({ store, batch }: Change, refreshed: Set<Rows>): Outcome => {
    const { rows, database } = opened(store);
    if (!batch) {
      refreshed.delete(rows);
      dropTables(database, rows);
      return { done: null };
    }
    // no other writer can commit before the transaction ends
    if (!refreshed.has(rows)) rows.refresh();
    refreshed.add(rows);
    const done = committed(rows, batch);
    if (done !== null) noteLife(rows, [batch]);
    return { done };
  };
  const apply = (changes: readonly Change[]): readonly Outcome[] => {
    limit();
    try {
      const outcomes = file.write(() => {
        const refreshed = new Set<Rows>();
        const all = changes.map((change) => withoutNewer(() => one(change, refreshed)));
        for (const rows of refreshed) rows.complete();
        if (counts) setCount(file, number + 1);
        return all;
      });
      if (counts) number++;
      return outcomes;
    } catch (cause) {
      for (const { store } of changes) opened(store).rows.forget();
      // apply the changes one by one, so that a failing change does not fail the others
      if (changes.length > 1) return changes.flatMap((change) => apply([change]));
      return [{ failure: failureOf(storageFailure(cause)) }];
    }
  };
  return {
    apply,
    get number() {
      return number;
    },
    migrateTables() {
      for (const name of file.stores()) bringUpToDate(opened(name).rows);
    },
    close: () => file.close(),
  };
}

/** Returns functions that open the stores of a file, each once. */
function storesOf(file: SqliteFile) {
  const stores = new Map<string, OpenStore>();
  return {
    open(name: string): OpenStore {
      const known = stores.get(name);
      if (known) return known;
      const database = file.database(name);
      const made = { database, rows: watchedRows(file, database) };
      stores.set(name, made);
      return made;
    },
    /**
     * Drops the cached state if there are too many stores. Must not be called inside a transaction,
     * which shares the state.
     */
    limit(): void {
      if (stores.size >= maxOpen) stores.clear();
    },
  };
}

/** Applies a batch, and reads the requested rows before another batch changes them. */
function committed(rows: Rows, batch: PackedBatch): PackedDone {
  const epoch = rows.apply(batch);
  return epoch === null || !batch.read ? epoch : [epoch, rows.get(batch.read)];
}

/** Rejects a change, before it is applied, if a later version has written the store. */
function withoutNewer(run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (error instanceof NewerFormatError) return { failure: failureOf(error) };
    throw error;
  }
}

/**
 * Serializes an error. An error other than a CaError becomes `storage`, and its message is dropped.
 */
const failureOf = (error: unknown): Failure =>
  error instanceof CaError && error.code in refusals
    ? { code: error.code, message: error.message }
    : { code: "storage", message: "the write to storage failed; nothing was changed" };

/** Deserializes a CaError. */
export const errorOf = ({ code, message }: Failure): CaError => new CaError(code, message);

/** Name of the table with the transaction counter. */
const countTable = "commits";

/** Creates the transaction counter if it is missing, and returns its value. */
function startCount(file: SqliteFile): number {
  return file.write(() => {
    run(file.sql, `CREATE TABLE IF NOT EXISTS ${countTable} (number INTEGER NOT NULL)`);
    const count = readCount(file);
    if (count === undefined) run(file.sql, `INSERT INTO ${countTable} VALUES (?)`, 0);
    return count ?? 0;
  });
}
function setCount(file: SqliteFile, number: number): void {
  run(file.sql, `UPDATE ${countTable} SET number = ?`, number);
}
/** Reads the transaction counter. Returns undefined if there is none. */
export function readCount(file: SqliteFile): number | undefined {
  const row = first(file.sql, `SELECT number FROM ${countTable}`);
  return row && Number(row[0]);
}
