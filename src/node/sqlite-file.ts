import { closeSync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Binding, Database, QueryResult, Sql, SqlValue } from "../store/sql/sql.ts";
import { storageError } from "./failure.ts";

/** Time to wait for another writing process, ms. */
export const busyMs = 10_000;
/** Time for which SQLite itself waits, ms; it blocks the event loop of this process. */
const standstillMs = 50;
/** Maximum cached prepared statements; each store has about twenty. */
const maxPrepared = 1000;

/** An open file with the tables of many stores. */
export interface SqliteFile {
  /** Statements on tables that belong to no store. */
  readonly sql: Sql;
  /** Returns the tables of a store. */
  database(store: string): Database;
  /** Returns the names of stores with tables. */
  stores(): readonly string[];
  /** Runs writes as one transaction, which is on disk on return. */
  write<T>(run: () => T): T;
  /** Runs reads in one snapshot. */
  read<T>(run: () => T): T;
  /** Starts a snapshot that lasts until it is closed. */
  hold(): void;
  /** Returns a value that changes when any process creates or drops a table. */
  schema(): SqlValue | undefined;
  close(): void;
}

/** Returns the platform's SQLite module. Throws TypeError if there is none. */
function sqliteModule(): typeof import("node:sqlite") {
  // absent before Node 22.13; no import that would fail there
  const found = process.getBuiltinModule?.("node:sqlite");
  if (found) return found;
  throw new TypeError(
    `sqliteStore needs node:sqlite, which Node has from 22.13 on; this is ${process.version}`,
  );
}

/**
 * Opens a file, and creates it if missing, readable by its owner only. Throws CaError `storage` if
 * it cannot be opened or is not a database, TypeError if the platform has no SQLite.
 */
export function openFile(file: string): SqliteFile {
  const { DatabaseSync } = sqliteModule();
  try {
    makeFile(file);
    return opened(writable(new DatabaseSync(file)));
  } catch (cause) {
    throw storageError(`the database ${file} cannot be opened`, cause);
  }
}
/**
 * Creates the file, readable by its owner only: keys in it are sealed, but names, roles and token
 * hashes are not. An existing file is not opened, because closing it would release all locks of
 * this process on it (POSIX fcntl), and another process might then remove the log.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
/** Opens a second connection for a reader, which may keep a snapshot for long. */
export function openReader(file: string): SqliteFile {
  const { DatabaseSync } = sqliteModule();
  return opened(new DatabaseSync(file, { readOnly: true }));
}

function writable(database: DatabaseSync): DatabaseSync {
  try {
    database.exec(`PRAGMA busy_timeout = ${standstillMs}`);
    logAhead(database);
    // a commit returns once it is on disk, and a grown log is truncated
    database.exec("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Enables the write-ahead log, so that readers continue during writes. This needs exclusive access
 * for a moment.
 */
function logAhead(database: DatabaseSync): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (let left = busyMs; ; left -= 10) {
    try {
      const mode = Object.values(database.prepare("PRAGMA journal_mode = WAL").get() ?? {})[0];
      if (mode === "wal") return;
      throw new TypeError("its file system does not let processes share it");
    } catch (error) {
      // SQLite does not wait itself here
      if (!isBusy(error) || left <= 0) throw error;
      Atomics.wait(nobody, 0, 0, 10);
    }
  }
}
/** Reports whether SQLite failed because another process is writing. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;

function opened(database: DatabaseSync): SqliteFile {
  const prepared = preparing(database);
  const { write, read } = transactions(database);
  return {
    sql: sqlOf(database, prepared, ""),
    database: (store) => ({
      sql: sqlOf(database, prepared, tablesOf(store)),
      transactionSync: write,
      // commits of this turn of the event loop share one transaction and one flush
      sync: () => new Promise((resolve) => setImmediate(resolve)),
    }),
    stores: () => storesIn(rowsOf(prepared(tablesQuery), [])),
    write,
    read,
    hold: () => database.exec("BEGIN"),
    schema: () => rowsOf(prepared("PRAGMA schema_version"), [])[0]?.[0],
    close: () => database.close(),
  };
}

/**
 * Returns the statements of a store's tables in an open database. Without a store name: of a
 * database with tables of one store only.
 */
export const sqlIn = (database: DatabaseSync, store?: string): Sql =>
  sqlOf(database, preparing(database), store === undefined ? "" : tablesOf(store));

/**
 * Returns the prefix of a store's tables: letters and digits of its name, other characters as two
 * digits for each byte, so that different names never collide.
 */
function tablesOf(store: string): string {
  const bytes = [...new TextEncoder().encode(store)];
  const name = bytes.map((byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9]/.test(character) ? character : `_${byte.toString(16).padStart(2, "0")}`;
  });
  return `ca_${name.join("")}_`;
}

const tablesQuery = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'ca_*_meta'";
/** Returns the names of stores from the names of their tables. */
const storesIn = (tables: readonly SqlValue[][]): readonly string[] =>
  tables.map(([table]) => {
    const name = (typeof table === "string" ? table : "").slice("ca_".length, -"_meta".length);
    return decodeURIComponent(name.replace(/_([0-9a-f]{2})/g, "%$1"));
  });

/** Returns a function that prepares each statement once. */
function preparing(database: DatabaseSync): (query: string) => StatementSync {
  const known = new Map<string, StatementSync>();
  return (query) => {
    const found = known.get(query);
    if (found) return found;
    if (known.size >= maxPrepared) known.clear();
    const made = database.prepare(query);
    known.set(query, made);
    return made;
  };
}

/**
 * Returns rows as arrays; the columns of a query have distinct names, so that their order is kept.
 */
const rowsOf = (statement: StatementSync, bindings: readonly Binding[]): SqlValue[][] =>
  // no column has integers beyond a number
  statement.all(...bindings.map(bound)).map((row) => Object.values(row) as SqlValue[]);
const bound = (value: Binding): string | number | null | Uint8Array =>
  value instanceof ArrayBuffer ? new Uint8Array(value) : (value ?? null);

const tableNames = /\b(?:rows(?=_|\b)|(?:parts|indexes|meta)\b)/g;
/** The statements of a store, over its own tables. */
function sqlOf(
  database: DatabaseSync,
  prepared: (query: string) => StatementSync,
  of: string,
): Sql {
  const named = new Map<string, string>();
  const ownOf = (query: string): string => {
    const known = named.get(query) ?? query.replace(tableNames, `${of}$&`);
    named.set(query, known);
    return known;
  };
  return {
    exec(query, ...bindings) {
      const own = ownOf(query);
      if (query.startsWith("SELECT")) return foundIn(rowsOf(prepared(own), bindings));
      if (bindings.length > 0)
        return foundIn([], Number(prepared(own).run(...bindings.map(bound)).changes));
      database.exec(own);
      return foundIn([]);
    },
  };
}
const foundIn = (rows: SqlValue[][], rowsWritten = 0): QueryResult => ({
  raw: () => rows,
  rowsWritten,
});

/** Transactions that write, one at a time among all processes, and views for those that read. */
function transactions(database: DatabaseSync): {
  readonly write: <T>(run: () => T) => T;
  readonly read: <T>(run: () => T) => T;
} {
  let inside = false;
  const within = <T>(begin: string, run: () => T): T => {
    if (inside) return run();
    database.exec(begin);
    inside = true;
    try {
      const result = run();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    } finally {
      inside = false;
    }
  };
  return {
    // one that began by reading could not go on to write when another process has written meanwhile
    write: (run) => within("BEGIN IMMEDIATE", run),
    read: (run) => within("BEGIN", run),
  };
}
function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has done so itself, as it does when the disk is full
  }
}
