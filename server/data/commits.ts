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

/** A change of a store; without a batch the store is dropped. */
export interface Change {
  readonly store: string;
  readonly batch?: PackedBatch;
}
/** A CaError serialized between threads and processes, where errors lose their class. */
interface Failure {
  readonly code: Refusal;
  readonly message: string;
}
/** Outcome of a change. */
export type Outcome = { readonly done: PackedDone } | { readonly failure: Failure };

/** The rows that a change modified; without keys, any rows. */
export type ChangedRows = readonly [store: string, keys?: readonly string[]];

/** Returns the keys that a change modifies, including that of the epoch. */
export function changedBy({ store, batch }: Change): ChangedRows {
  if (!batch || batch.clear) return [store];
  const { put = [], del = [], epoch } = batch;
  const keys = [...put.map(([key]) => key), ...del];
  return [store, epoch === undefined ? keys : [...keys, "epoch"]];
}

/** The one writer of a database file. */
export interface CommitWriter {
  /**
   * Applies changes in order, in one transaction with one flush; each succeeds or fails by its own
   * preconditions. A change reported as applied is durable.
   */
  apply(changes: readonly Change[]): readonly Outcome[];
  /** Number of counted transactions. */
  readonly number: number;
  /** Migrates the tables of every store to the current layout. */
  migrateTables(): void;
  close(): void;
}

/** Maximum number of stores with cached state. */
const maxOpen = 1000;

interface OpenStore {
  readonly rows: Rows;
  readonly database: Database;
}

/**
 * Creates a writer for a file that no other writer has open. `counts`: counts transactions in the
 * file, so that readers can detect missed notifications.
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
      // one failing change must not fail the others
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

/** Opens the stores of a file, each once. */
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
    /** Drops the cached state of too many stores; not inside a transaction, which shares it. */
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

/** Rejects a change of a store that a later version has written, before it is applied. */
function withoutNewer(run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (error instanceof NewerFormatError) return { failure: failureOf(error) };
    throw error;
  }
}

/** Serializes a CaError. Any other error becomes `storage`, without its message. */
const failureOf = (error: unknown): Failure =>
  error instanceof CaError && error.code in refusals
    ? { code: error.code, message: error.message }
    : { code: "storage", message: "the storage failed; nothing was changed" };

/** Deserializes a CaError. */
export const errorOf = ({ code, message }: Failure): CaError => new CaError(code, message);

/** The table with the transaction counter. */
const countTable = "commits";

/** Creates the counter if missing, and returns it. */
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
/** Reads the number of transactions from the file. */
export function readCount(file: SqliteFile): number | undefined {
  const row = first(file.sql, `SELECT number FROM ${countTable}`);
  return row && Number(row[0]);
}
