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

/** Writes to a store. */
export interface StoreWriter {
  commit(batch: PackedBatch): Promise<PackedDone>;
  drop(): Promise<void>;
}
/** A connection by which rows are read, and what opens another one for an export. */
export interface StoreReader {
  readonly file: SqliteFile;
  /** Whether the connection may bring tables of an older layout up to date. */
  readonly writable: boolean;
  open(): SqliteFile;
}

/** The store of a name: read by one connection, changed by whatever `writer` is. */
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
      commit,
      drop,
    }),
    export: (maxRows = exportedAtOnce) =>
      exported(name, { maxRows, reader: open, life: () => read(() => lifeOf(rows)) }),
  };
}

/** Pause between two attempts to get a lock of SQLite, in which the event loop is free (ms). */
const againMs = 150;
/**
 * Repeats what SQLite refuses while another process is writing, for ten seconds at most. Between
 * two tries the event loop goes on. What is refused so has changed nothing.
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

/** Converts an error of the storage into the refusal of a store. */
export const storageFailure = (cause: unknown): CaError =>
  findNewerFormatError(cause) ?? storageError("the database failed", cause);

/** A batch that waits for its turn shares nothing with who sent it; values are encoded already. */
export const ownBatch = ({ expect, del, read, append, ...batch }: PackedBatch): PackedBatch => ({
  ...batch,
  ...(expect ? { expect: expect.map(([key, rev]) => [key, rev]) } : {}),
  ...(del ? { del: [...del] } : {}),
  ...(read ? { read: [...read] } : {}),
  ...(append ? { append: append.map(([prefix, bytes]) => [prefix, bytes.slice()]) } : {}),
});

/**
 * Rows whose tables others may make, change and drop: what is known of them is forgotten with that.
 * Each transaction looks first.
 */
export function watchedRows(file: SqliteFile, database: Database): Rows {
  const rows = rowsIn(database);
  let seen = file.schema();
  return {
    ...rows,
    look() {
      const schema = file.schema();
      if (schema !== seen) rows.forget();
      seen = schema;
      return rows.look();
    },
  };
}

/** The same for a connection that never writes: others have written whatever it reads. */
function readRows(file: SqliteFile, database: Database): Rows {
  const rows = rowsIn(database);
  let seen = file.schema();
  const look = (): boolean => {
    const schema = file.schema();
    if (schema !== seen) rows.forget();
    seen = schema;
    return false;
  };
  return { ...rows, look };
}

/** Reads of one moment each. */
function readerOf(file: SqliteFile, rows: Rows, writable: boolean): <T>(run: () => T) => T {
  let isFirst = writable;
  return (run) => {
    try {
      // older tables are brought up to date, which a view for reading could not
      if (isFirst) bringUpToDate(rows);
      isFirst = false;
      return file.read(() => {
        rows.look();
        return run();
      });
    } catch (cause) {
      rows.forget();
      throw storageFailure(cause);
    }
  };
}

/** Brings the tables of a store up to date, where they are of an older layout. */
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

/** Which rows they are: others once the store was cleared or dropped. */
const lifeOf = (rows: Rows): unknown => rows.meta("life");
/** Notes that the rows of a store are others, inside the transaction that cleared or made them. */
export function noteLife(rows: Rows, batches: readonly PackedBatch[]): void {
  if (batches.some(({ clear }) => clear) || lifeOf(rows) === undefined)
    rows.setMeta("life", crypto.randomUUID());
}

/** Dependencies of an export. */
interface Exported {
  /** Most rows of a part. */
  readonly maxRows: number;
  /** Opens another connection. */
  reader(): SqliteFile;
  /** Which rows the store has now. */
  life(): unknown;
}
/** A separate connection reads all rows of one snapshot, while others write. */
async function* exported(
  name: string,
  { maxRows, reader, life }: Exported,
): AsyncIterable<readonly ExportedRow[]> {
  const file = reader();
  try {
    file.hold();
    const rows = rowsIn(file.database(name));
    const begun = lifeOf(rows);
    const place: Exporting = { id: "", rev: Number.MAX_SAFE_INTEGER, after: "" };
    for (let more = true; more;) {
      const part = rows.part(place, maxRows);
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
