import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { first, type Sql, type SqlValue } from "../../src/store/sql/sql.ts";
import { storedFact, hasTables, isNewer } from "../../src/store/sql/tables.ts";
import { sqlIn } from "../../src/node/sqlite-file.ts";
import { LaunchError } from "../settings/launch-error.ts";

/**
 * An error that means that a database of version 0.2 is damaged. The message describes the damage.
 */
export class DamagedDatabase extends Error {
  constructor(cause: unknown) {
    const words = cause instanceof Error ? cause.message : String(cause);
    super(words.replace(/\s+/g, " ").replace(/^\*{3} .*? \*{3} /, ""), { cause });
    this.name = "DamagedDatabase";
  }
}

/**
 * Opens the database of a store read-only and resolves with the result of `read`. Resolves with
 * undefined if the database does not exist or has no tables. Its files stay unchanged. Rejects with
 * {@link DamagedDatabase} if the database is damaged, and with {@link LaunchError} if a later
 * version wrote it.
 */
export const readObject = <T>(
  path: string,
  store: string,
  read: (sql: Sql) => Promise<T>,
): Promise<T | undefined> =>
  readTables(path, (sql) => {
    requireWhole(sql, path, store);
    return read(sql);
  });

/**
 * Reports whether a database has rows with keys other than the given ones. Resolves with true if
 * the database cannot be read.
 */
export async function hasRows(path: string, except: readonly string[]): Promise<boolean> {
  const query = `SELECT 1 FROM rows WHERE key NOT IN (${except.map(() => "?").join()}) LIMIT 1`;
  try {
    const row = await readTables(path, async (sql) => first(sql, query, ...except));
    return row !== undefined;
  } catch (error) {
    if (error instanceof DamagedDatabase) return true;
    throw error;
  }
}

async function readTables<T>(path: string, read: (sql: Sql) => Promise<T>): Promise<T | undefined> {
  if (!existsSync(path)) return undefined;
  const hadLog = existsSync(`${path}-wal`);
  const database = intact(() => new DatabaseSync(path, { readOnly: true }));
  try {
    // read each result completely here, so that a failure is attributed to the source database
    const tables = sqlIn(database);
    const sql: Sql = { exec: (...query) => intact(() => tables.exec(...query)) };
    // a transaction, so that all statements read the same snapshot
    intact(() => database.exec("BEGIN"));
    return hasTables(sql) ? await read(sql) : undefined;
  } finally {
    database.close();
    // a reader creates an empty write-ahead log and leaves it behind
    if (!hadLog) for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  }
}

/** Runs a read. Converts errors of SQLite or its driver to {@link DamagedDatabase}. */
function intact<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new DamagedDatabase(error);
  }
}

function requireWhole(sql: Sql, path: string, store: string): void {
  if (isNewer(sql)) {
    const version = storedFact(sql, "version");
    throw new LaunchError(
      `${path} was written by a later version${typeof version === "string" ? `, ${version} or later` : ""}; start that version.`,
    );
  }
  const [result] = first(sql, "SELECT integrity_check FROM pragma_integrity_check LIMIT 1") ?? [];
  if (result !== "ok") throw new DamagedDatabase(result);
  const owner = storedFact(sql, "name");
  if (owner !== store) throw new DamagedDatabase(`it belongs to another store, ${textOf(owner)}`);
}

/** Returns a value that should be a string, or "unknown" if it is not one. */
export const textOf = (value: SqlValue | undefined): string =>
  typeof value === "string" ? value : "unknown";
