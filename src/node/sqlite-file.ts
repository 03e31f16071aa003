import { closeSync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Binding, Database, QueryResult, Sql, SqlValue } from "../store/sql/sql.ts";
import { storageError } from "./failure.ts";

/** Maximum time to wait for another process to finish writing, in ms. */
export const busyMs = 10_000;
/**
 * Maximum time that SQLite itself waits, in ms. Meanwhile, the event loop of the process is
 * blocked.
 */
const standstillMs = 50;
/** Maximum number of cached prepared statements. Each store has about twenty. */
const maxPrepared = 1000;

/** An open database file with the tables of many stores. */
export interface SqliteFile {
  /** Access to the tables that do not belong to a store. */
  readonly sql: Sql;
  /** Returns the tables of a store. */
  database(store: string): Database;
  /** Returns the names of all stores that have tables. */
  stores(): readonly string[];
  /** Performs writes as one transaction, which is on disk when the call returns. */
  write<T>(run: () => T): T;
  /** Performs reads in one snapshot. */
  read<T>(run: () => T): T;
  /** Begins a snapshot that lasts until the connection is closed. */
  lock(): void;
  /** Returns a value that changes whenever any process creates, changes or drops a table. */
  schema(): SqlValue | undefined;
  close(): void;
}

/** Returns the module `node:sqlite`. Throws TypeError if the platform does not have it. */
function sqliteModule(): typeof import("node:sqlite") {
  // missing before Node 22.13, where an import would fail
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  if (sqlite) return sqlite;
  throw new TypeError(
    `sqliteStore requires node:sqlite (Node 22.13 or later); this is Node ${process.version}`,
  );
}

/**
 * Opens a database file. Creates the file if it is missing, readable only by its owner. Throws
 * CaError `storage` if the file cannot be opened or is not a database, and TypeError if the
 * platform has no SQLite.
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
 * Creates a file that only its owner can read, because names, roles and token hashes in the
 * database, unlike keys, are not sealed. Does not open an existing file: closing it would release
 * all locks of this process on the file (POSIX fcntl). Another process might then remove the
 * write-ahead log.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
/** Opens another connection for a reader that may hold a snapshot for a long time. */
export function openReader(file: string): SqliteFile {
  const { DatabaseSync } = sqliteModule();
  return opened(new DatabaseSync(file, { readOnly: true }));
}

function writable(database: DatabaseSync): DatabaseSync {
  try {
    database.exec(`PRAGMA busy_timeout = ${standstillMs}`);
    logAhead(database);
    // a commit returns when it is on disk, and the write-ahead log is truncated after it has grown
    database.exec("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Enables the write-ahead log, so that writes do not block readers. This briefly requires exclusive
 * access to the file.
 */
function logAhead(database: DatabaseSync): void {
  const sleepCell = new Int32Array(new SharedArrayBuffer(4));
  for (let left = busyMs; ; left -= 10) {
    try {
      const mode = Object.values(database.prepare("PRAGMA journal_mode = WAL").get() ?? {})[0];
      if (mode === "wal") return;
      throw new TypeError("its file system does not support sharing it between processes");
    } catch (error) {
      // SQLite itself does not wait for exclusive access
      if (!isBusy(error) || left <= 0) throw error;
      Atomics.wait(sleepCell, 0, 0, 10);
    }
  }
}
/** Reports whether an error is `SQLITE_BUSY`: another process has locked the database. */
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
      // commits in the same turn of the event loop share a transaction and a flush
      sync: () => new Promise((resolve) => setImmediate(resolve)),
    }),
    stores: () => storesIn(rowsOf(prepared(tablesQuery), [])),
    write,
    read,
    lock: () => database.exec("BEGIN"),
    schema: () => rowsOf(prepared("PRAGMA schema_version"), [])[0]?.[0],
    close: () => database.close(),
  };
}

/**
 * Returns access to a store's tables in an open database. If `store` is absent, the database
 * contains the tables of only one store.
 */
export const sqlIn = (database: DatabaseSync, store?: string): Sql =>
  sqlOf(database, preparing(database), store === undefined ? "" : tablesOf(store));

/**
 * Returns the name prefix of a store's tables: lower-case letters and digits of the store's name
 * are kept, and every other byte becomes `_` and two hexadecimal digits, so that different names
 * never collide.
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
/** Returns the names of stores, given the names of their tables. */
const storesIn = (tables: readonly SqlValue[][]): readonly string[] =>
  tables.map(([table]) => {
    const name = (typeof table === "string" ? table : "").slice("ca_".length, -"_meta".length);
    return decodeURIComponent(name.replace(/_([0-9a-f]{2})/g, "%$1"));
  });

/** Returns a function that prepares each statement only once. */
function preparing(database: DatabaseSync): (query: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (query) => {
    const cached = prepared.get(query);
    if (cached) return cached;
    if (prepared.size >= maxPrepared) prepared.clear();
    const statement = database.prepare(query);
    // arrays are cheaper than objects; the method is missing before Node 24
    if ("setReturnArrays" in statement) statement.setReturnArrays(true);
    prepared.set(query, statement);
    return statement;
  };
}

/**
 * Runs a query and returns its rows as arrays. Columns stay in order even if rows are objects,
 * because their names are distinct.
 */
const rowsOf = (statement: StatementSync, bindings: readonly Binding[]): SqlValue[][] =>
  // all integers in the columns are safe integers
  statement
    .all(...bindings.map(bound))
    .map((row) => (Array.isArray(row) ? row : Object.values(row)) as SqlValue[]);
const bound = (value: Binding): string | number | null | Uint8Array =>
  value instanceof ArrayBuffer ? new Uint8Array(value) : (value ?? null);

const tableNames = /\b(?:rows(?=_|\b)|(?:parts|indexes|meta)\b)/g;
/** Returns access to a store's tables, whose names have a prefix. */
function sqlOf(
  database: DatabaseSync,
  prepared: (query: string) => StatementSync,
  of: string,
): Sql {
  const named = new Map<string, string>();
  const ownOf = (query: string): string => {
    const prefixed = named.get(query) ?? query.replace(tableNames, `${of}$&`);
    named.set(query, prefixed);
    return prefixed;
  };
  return {
    exec(query, ...bindings) {
      const own = ownOf(query);
      if (query.startsWith("SELECT")) return existingIn(rowsOf(prepared(own), bindings));
      if (bindings.length > 0)
        return existingIn([], Number(prepared(own).run(...bindings.map(bound)).changes));
      database.exec(own);
      return existingIn([]);
    },
  };
}
const existingIn = (rows: SqlValue[][], rowsWritten = 0): QueryResult => ({
  raw: () => rows,
  rowsWritten,
});

/**
 * Returns functions that run write transactions and read snapshots. Across all processes, only one
 * write transaction runs at a time.
 */
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
    // a transaction that begins with a read could not write after another process has written
    write: (run) => within("BEGIN IMMEDIATE", run),
    read: (run) => within("BEGIN", run),
  };
}
function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled the transaction back, for example because the disk is full
  }
}
