import { CaError } from "../base/errors.ts";
import { findNewerFormatError } from "../base/newer-format.ts";
import { pause } from "../base/event-loop.ts";
import type { ExportedRow, Store } from "../engine/ports.ts";
import { exportLost, exportedAtOnce } from "../store/batch.ts";
import type { PackedBatch, PackedDone } from "../store/sql/packed.ts";
import { rowsIn, type Rows } from "../store/sql/rows.ts";
import { run, type Database } from "../store/sql/sql.ts";
import { storeOf, unpackExported } from "../store/sql/store.ts";
import type { Exporting } from "../store/sql/table.ts";
import { storageError } from "./failure.ts";
import { busyMs, isBusy, type SqliteFile } from "./sqlite-file.ts";

/** Functions that write to a store. */
export interface StoreWriter {
  commit(batch: PackedBatch): Promise<PackedDone>;
  drop(): Promise<void>;
}
/** A connection that reads rows, and a function that opens another connection for an export. */
export interface StoreReader {
  readonly file: SqliteFile;
  /** Whether the connection may migrate tables that have an older layout. */
  readonly writable: boolean;
  open(): SqliteFile;
}

/**
 * Returns the store with the given name, which reads through one connection and writes through
 * `writer`.
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
      getWithIndex: (keys) => untilFree(async () => read(() => rows.getExported(keys))),
      list: (prefix, page) => untilFree(async () => read(() => rows.list(prefix, page))),
      epoch: () => untilFree(async () => read(() => rows.epoch())),
      size: () => untilFree(async () => read(() => rows.size())),
      commit,
      drop,
    }),
    export: (maxRows = exportedAtOnce) =>
      exported(name, { maxRows, reader: open, life: () => read(() => lifeOf(rows)) }),
  };
}

/** Pause between two attempts to lock the database, in ms, during which the event loop is free. */
const againMs = 150;
/**
 * Runs a function, and retries it for up to ten seconds while another process has locked the
 * database (`SQLITE_BUSY`). A failed attempt changes nothing. The event loop is not blocked between
 * attempts.
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

/** Converts a database error to the error that a store reports. */
export const storageFailure = (cause: unknown): CaError =>
  findNewerFormatError(cause) ?? storageError("the database failed", cause);

/**
 * Copies a waiting batch, because the caller may change its arrays. The values are already encoded.
 */
export const ownBatch = ({ expect, del, read, append, ...batch }: PackedBatch): PackedBatch => ({
  ...batch,
  ...(expect ? { expect: expect.map(([key, rev]) => [key, rev]) } : {}),
  ...(del ? { del: [...del] } : {}),
  ...(read ? { read: [...read] } : {}),
  ...(append ? { append: append.map(([prefix, bytes]) => [prefix, bytes.slice()]) } : {}),
});

/**
 * Returns the rows of a store whose tables other processes may create, change and drop. Each
 * transaction first checks whether this has happened, and drops the cached state if so.
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

/**
 * Returns the rows of a store for a read-only connection, for which all changes are made by other
 * connections.
 */
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

/** Returns a function that runs each read in its own snapshot. */
function readerOf(file: SqliteFile, rows: Rows, writable: boolean): <T>(run: () => T) => T {
  let isFirst = writable;
  return (run) => {
    try {
      // migrates older tables, which cannot be done in a read snapshot
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

/** Drops the tables of a store. */
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

/** Returns an identifier that changes if a store is cleared or dropped. */
const lifeOf = (rows: Rows): unknown => rows.meta("life");
/** Stores a new `life` identifier inside a transaction that clears or creates a store. */
export function noteLife(rows: Rows, batches: readonly PackedBatch[]): void {
  if (batches.some(({ clear }) => clear) || lifeOf(rows) === undefined)
    rows.setMeta("life", crypto.randomUUID());
}

/** Parameters of an export. */
interface Exported {
  /** Maximum number of rows per part. */
  readonly maxRows: number;
  /** Opens a connection for the export. */
  reader(): SqliteFile;
  /** Returns the current `life` identifier of the store. */
  life(): unknown;
}
/**
 * Yields all rows of a snapshot, read through a separate connection so that writes can continue.
 */
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
