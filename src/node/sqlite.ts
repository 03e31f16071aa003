import { resolve } from "node:path";
import { CaError } from "../base/errors.ts";
import { pause } from "../base/turn.ts";
import { newerFormatIn } from "../base/newer-format.ts";
import type { ExportedRow, Store, Stores } from "../engine/ports.ts";
import { exportLost, exportedAtOnce } from "../store/batch.ts";
import { groupCommit } from "../store/sql/group.ts";
import { rowsIn, type Rows } from "../store/sql/rows.ts";
import type { PackedBatch } from "../store/sql/packed.ts";
import { run, type Database } from "../store/sql/sql.ts";
import { storeOf, unpackExported } from "../store/sql/store.ts";
import type { Exporting } from "../store/sql/table.ts";
import { failure } from "./failure.ts";
import { busyMs, isBusy, openFile, openReader, type SqliteFile } from "./sqlite-file.ts";

/** Stores in a file, which can be closed. */
export interface SqliteStores extends Stores {
  readonly durable: true;
  /** Closes the file. A process that just ends need not. */
  close(): void;
}

/**
 * Stores in one SQLite file on a local disk, all of an authority in it, over `node:sqlite`, which
 * Node has from 22.13 on. A commit is on the disk when it is answered. Processes may share the
 * file: conditions are judged inside the transaction that writes, and a writer waits for another
 * one, ten seconds at most. A file that is absent is made, for its owner alone; those ending in
 * -wal and -shm lie beside it while it is open. Failures are CaError `storage`. Throws one for a
 * file that cannot be opened, and TypeError where the platform has no SQLite.
 */
export function sqliteStore(file: string): SqliteStores {
  if (typeof file !== "string" || file === "" || /^(?::memory:|file:)/.test(file))
    throw new TypeError("sqliteStore needs the path of a file");
  // a process may go elsewhere
  const path = resolve(file);
  const opened = openFile(path);
  const stores = new Map<string, Store>();
  const open = (name: string): Store => {
    const known = stores.get(name);
    if (known) return known;
    const store = storeIn(opened, name, () => openReader(path));
    stores.set(name, store);
    return store;
  };
  return Object.assign(open, { durable: true as const, close: () => opened.close() });
}

/** How long the event loop is free before SQLite is asked again, milliseconds. */
const againMs = 150;
/**
 * Repeats what SQLite refuses while another process is writing, for ten seconds at most. Between
 * two tries the event loop goes on. What is refused so has changed nothing.
 */
async function patient<T>(run: () => Promise<T>): Promise<T> {
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

const failed = (cause: unknown): CaError =>
  newerFormatIn(cause) ?? failure("the database failed", cause);

/** What a store consists of. */
interface Parts {
  readonly file: SqliteFile;
  readonly database: Database;
  readonly rows: Rows;
}

function storeIn(file: SqliteFile, name: string, reader: () => SqliteFile): Store {
  const database = file.database(name);
  const parts = { file, database, rows: watching(file, rowsIn(database)) };
  const read = reading(parts);
  const { rows } = parts;
  const commit = groupCommit(database, rows, { applied: (batches) => noteLife(rows, batches) });
  return {
    ...storeOf({
      get: (keys) => patient(async () => read(() => rows.get(keys))),
      list: (prefix, page) => patient(async () => read(() => rows.list(prefix, page))),
      commit(batch) {
        const mine = own(batch);
        return patient(() => commit(mine));
      },
      drop: () => patient(async () => drop(parts)),
    }),
    export: (most = exportedAtOnce) =>
      exported(name, { most, reader, life: () => read(() => lifeOf(rows)) }),
  };
}

/** A batch that waits for its turn shares nothing with who sent it; values are encoded already. */
const own = ({ expect, del, read, append, ...batch }: PackedBatch): PackedBatch => ({
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
function watching(file: SqliteFile, rows: Rows): Rows {
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

/** Reads of one moment each. */
function reading({ file, rows }: Parts): <T>(run: () => T) => T {
  let first = true;
  return (run) => {
    try {
      // older tables are brought up to date, which a view for reading could not
      if (first) bringUpToDate(rows);
      first = false;
      return file.read(() => {
        rows.look();
        return run();
      });
    } catch (cause) {
      rows.forget();
      throw failed(cause);
    }
  };
}

function bringUpToDate(rows: Rows): void {
  rows.forget();
  rows.epoch();
}

function drop({ database, rows }: Parts): void {
  try {
    database.transactionSync(() => {
      for (const table of ["rows", "parts", "indexes", "meta"])
        run(database.sql, `DROP TABLE IF EXISTS ${table}`);
    });
  } catch (cause) {
    throw failed(cause);
  } finally {
    rows.forget();
  }
}

/** Which rows they are: others once the store was cleared or dropped. */
const lifeOf = (rows: Rows): unknown => rows.meta("life");
function noteLife(rows: Rows, batches: readonly PackedBatch[]): void {
  if (batches.some(({ clear }) => clear) || lifeOf(rows) === undefined)
    rows.setMeta("life", crypto.randomUUID());
}

/** What an export reads by. */
interface Exported {
  /** Most rows of a part. */
  readonly most: number;
  /** Opens another connection. */
  reader(): SqliteFile;
  /** Which rows the store has now. */
  life(): unknown;
}
/** A view on a connection of its own shows all rows as they were, whoever writes meanwhile. */
async function* exported(
  name: string,
  { most, reader, life }: Exported,
): AsyncIterable<readonly ExportedRow[]> {
  const file = reader();
  try {
    file.hold();
    const rows = rowsIn(file.database(name));
    const begun = lifeOf(rows);
    const place: Exporting = { id: "", rev: Number.MAX_SAFE_INTEGER, after: "" };
    for (let more = true; more;) {
      const part = rows.part(place, most);
      if (life() !== begun) throw exportLost();
      more = part.more;
      yield part.rows.map(unpackExported);
    }
  } catch (cause) {
    throw cause instanceof CaError ? cause : failed(cause);
  } finally {
    file.close();
  }
}
