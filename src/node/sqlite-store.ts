import { CaError } from "../base/errors.ts";
import { findNewerFormatError } from "../base/newer-format.ts";
import { pause } from "../base/event-loop.ts";
import type { ExportedRow, Store } from "../engine/ports.ts";
import { exportLost, exportedAtOnce } from "../store/batch.ts";
import type { PackedBatch, PackedDone } from "../store/sql/packed.ts";
import { rowsIn, type Rows } from "../store/sql/rows.ts";
import { run, type Database } from "../store/sql/sql.ts";
import { rowsWithIndex, storeOf, unpackExported } from "../store/sql/store.ts";
import type { Exporting } from "../store/sql/table.ts";
import { storageError } from "./failure.ts";
import { busyMs, isBusy, type SqliteFile } from "./sqlite-file.ts";

/** Writes to a store. */
export interface StoreWriter {
  commit(batch: PackedBatch): Promise<PackedDone>;
  drop(): Promise<void>;
}
/** A connection that reads rows, and a function that opens another one for an export. */
export interface StoreReader {
  readonly file: SqliteFile;
  /** Whether the connection may migrate tables of an older layout. */
  readonly writable: boolean;
  open(): SqliteFile;
}

/**
 * Returns the store with a name, which reads through one connection and writes through `writer`.
 */
export function sqliteStoreOf(
  name: string,
  { file, writable, open }: StoreReader,
  writer: (rows: Rows, database: Database) => StoreWriter,
): Store {
  const database = file.database(name);
  const rows = writable ? watchedRows(file, database) : readRows(file, database);
  const read = readerOf(file, rows, writable);
  const { commit, drop } = writer(rows, database);
  return {
    ...storeOf({
      get: (keys) => untilFree(async () => read(() => rows.get(keys))),
      list: (prefix, page) => untilFree(async () => read(() => rows.list(prefix, page))),
      epoch: () => untilFree(async () => read(() => rows.epoch())),
      size: () => untilFree(async () => read(() => rows.size())),
      commit,
      drop,
    }),
    getWithIndex: (keys) =>
      rowsWithIndex((some) => untilFree(async () => read(() => rows.getExported(some))), keys),
    export: (maxRows = exportedAtOnce) =>
      exported(name, { maxRows, reader: open, life: () => read(() => lifeOf(rows)) }),
  };
}

/** Pause between two attempts to get a lock of SQLite, during which the event loop is free (ms). */
const againMs = 150;
/**
 * Retries while SQLite rejects the work because another process is writing, for at most ten
 * seconds. Between attempts the event loop continues. Rejected work has changed nothing.
 */
export async function untilFree<T>(run: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (;;)
    try {
      return await run();
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isBusy(cause) || performance.now() - begun > busyMs) throw error;
      await pause(againMs);
    }
}

/** Converts an error of the storage to that of a store. */
export const storageFailure = (cause: unknown): CaError =>
  findNewerFormatError(cause) ?? storageError("the database failed", cause);

/**
 * Copies a waiting batch, so that it shares nothing with its sender; values are already encoded.
 */
export const ownBatch = ({ expect, del, read, append, ...batch }: PackedBatch): PackedBatch => ({
  ...batch,
  ...(expect ? { expect: expect.map(([key, rev]) => [key, rev]) } : {}),
  ...(del ? { del: [...del] } : {}),
  ...(read ? { read: [...read] } : {}),
  ...(append ? { append: append.map(([prefix, bytes]) => [prefix, bytes.slice()]) } : {}),
});

/**
 * Returns rows whose tables other processes may create, change and drop. Each transaction first
 * checks for that, and drops cached state.
 */
export function watchedRows(file: SqliteFile, database: Database): Rows {
  const rows = rowsIn(database);
  let lastSchema = file.schema();
  return {
    ...rows,
    refresh() {
      const schema = file.schema();
      if (schema !== lastSchema) rows.forget();
      lastSchema = schema;
      return rows.refresh();
    },
  };
}

/** Returns the same for a read-only connection, for which every change is made by others. */
function readRows(file: SqliteFile, database: Database): Rows {
  const rows = rowsIn(database);
  let lastSchema = file.schema();
  const checkSchema = (): boolean => {
    const schema = file.schema();
    if (schema !== lastSchema) rows.forget();
    lastSchema = schema;
    return false;
  };
  return { ...rows, refresh: checkSchema };
}

/** Returns a reader whose reads are each a snapshot. */
function readerOf(file: SqliteFile, rows: Rows, writable: boolean): <T>(run: () => T) => T {
  let isFirst = writable;
  return (run) => {
    try {
      // migrates older tables, which a read snapshot could not
      if (isFirst) bringUpToDate(rows);
      isFirst = false;
      return file.read(() => {
        rows.refresh();
        return run();
      });
    } catch (cause) {
      rows.forget();
      throw storageFailure(cause);
    }
  };
}

/** Migrates the tables of a store if they have an older layout. */
export function bringUpToDate(rows: Rows): void {
  rows.forget();
  rows.epoch();
}

/** Removes the tables of a store. */
export function dropTables({ sql, transactionSync }: Database, rows: Rows): void {
  try {
    transactionSync(() => {
      for (const table of ["rows", "parts", "indexes", "meta"])
        run(sql, `DROP TABLE IF EXISTS ${table}`);
    });
  } catch (cause) {
    throw storageFailure(cause);
  } finally {
    rows.forget();
  }
}

/** Identifies the rows of a store; changes when the store is cleared or dropped. */
const lifeOf = (rows: Rows): unknown => rows.meta("life");
/** Records that a store has new rows, inside the transaction that cleared or created them. */
export function noteLife(rows: Rows, batches: readonly PackedBatch[]): void {
  if (batches.some(({ clear }) => clear) || lifeOf(rows) === undefined)
    rows.setMeta("life", crypto.randomUUID());
}

/** Dependencies of an export. */
interface Exported {
  /** Maximum rows per part. */
  readonly maxRows: number;
  /** Opens another connection. */
  reader(): SqliteFile;
  /** Identifies the current rows of the store. */
  life(): unknown;
}
/** Yields all rows of one snapshot, read through a separate connection while others write. */
async function* exported(
  name: string,
  { maxRows, reader, life }: Exported,
): AsyncIterable<readonly ExportedRow[]> {
  const file = reader();
  try {
    file.lock();
    const rows = rowsIn(file.database(name));
    const begun = lifeOf(rows);
    const position: Exporting = { id: "", rev: Number.MAX_SAFE_INTEGER, after: "" };
    for (let more = true; more;) {
      const part = rows.part(position, maxRows);
      if (life() !== begun) throw exportLost();
      more = part.more;
      yield part.rows.map(unpackExported);
    }
  } catch (cause) {
    throw cause instanceof CaError ? cause : storageFailure(cause);
  } finally {
    file.close();
  }
}
