import { closeSync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Binding, Database, QueryResult, Sql, SqlValue } from "../store/sql/sql.ts";
import { storageError } from "./failure.ts";

/** How long one waits for another process that is writing, milliseconds. */
export const busyMs = 10_000;
/**
 * How long SQLite itself waits, milliseconds: meanwhile the event loop of this process stands
 * still.
 */
const standstillMs = 50;
/** Statements that are kept prepared; each store has about twenty. */
const maxPrepared = 1000;

/** A file with the tables of many stores, as this process has opened it. */
export interface SqliteFile {
  /** Statements over tables that are no store's. */
  readonly sql: Sql;
  /** The tables of one store. */
  database(store: string): Database;
  /** The names of the stores that have tables. */
  stores(): readonly string[];
  /** Runs what writes as one transaction, which is on the disk when this returns. */
  write<T>(run: () => T): T;
  /** Runs what only reads, which sees one moment however many statements it has. */
  read<T>(run: () => T): T;
  /** Begins a view of one moment that lasts until it is closed. */
  hold(): void;
  /** Changes when anybody has made or dropped a table. */
  schema(): SqlValue | undefined;
  close(): void;
}

/** The module of the platform. Throws TypeError where there is none. */
function sqliteModule(): typeof import("node:sqlite") {
  // absent before Node 22.13, without any import that would fail there
  const found = process.getBuiltinModule?.("node:sqlite");
  if (found) return found;
  throw new TypeError(
    `sqliteStore needs node:sqlite, which Node has from 22.13 on; this is ${process.version}`,
  );
}

/**
 * Opens a file, and makes it where it is absent, for its owner alone. Throws CaError `storage` for
 * one that cannot be opened or is no database, TypeError where the platform has no SQLite.
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
 * Makes the file for its owner alone: keys are sealed in it, but names, roles and hashes of tokens
 * are not. One that is there is not opened, because closing it would give back every lock that this
 * process holds on it (POSIX fcntl), and another might then take the log away.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
/** The same for a reader beside it, which may hold one view of all rows for long. */
export function openReader(file: string): SqliteFile {
  const { DatabaseSync } = sqliteModule();
  return opened(new DatabaseSync(file, { readOnly: true }));
}

function writable(database: DatabaseSync): DatabaseSync {
  try {
    database.exec(`PRAGMA busy_timeout = ${standstillMs}`);
    logAhead(database);
    // a commit is answered when the disk has it, and a log that has grown is cut again
    database.exec("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Readers go on while one writes. Whoever makes it so needs the file alone for a moment. */
function logAhead(database: DatabaseSync): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (let left = busyMs; ; left -= 10) {
    try {
      const mode = Object.values(database.prepare("PRAGMA journal_mode = WAL").get() ?? {})[0];
      if (mode === "wal") return;
      throw new TypeError("its file system does not let processes share it");
    } catch (error) {
      // SQLite does not wait by itself here
      if (!isBusy(error) || left <= 0) throw error;
      Atomics.wait(nobody, 0, 0, 10);
    }
  }
}
/** Reports whether SQLite refused something because another process is writing. */
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
      // those of this turn of the event loop share one transaction, and one wait for the disk
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
 * Returns the statements of a store's tables in a database that the caller has opened. Without the
 * name of a store: those of tables that are the only ones of their database.
 */
export const sqlIn = (database: DatabaseSync, store?: string): Sql =>
  sqlOf(database, preparing(database), store === undefined ? "" : tablesOf(store));

/**
 * What the names of a store's tables begin with: letters and digits of its name as they are, others
 * as two digits for each byte, so that different names never meet.
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
/** The names of stores by the names of one of their tables each. */
const storesIn = (tables: readonly SqlValue[][]): readonly string[] =>
  tables.map(([table]) => {
    const name = (typeof table === "string" ? table : "").slice("ca_".length, -"_meta".length);
    return decodeURIComponent(name.replace(/_([0-9a-f]{2})/g, "%$1"));
  });

/** Statements that are prepared once. */
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

/** Rows as arrays: the columns of a query have different names, so that their order is its own. */
const rowsOf = (statement: StatementSync, bindings: readonly Binding[]): SqlValue[][] =>
  // no column holds integers that need more than a number
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
