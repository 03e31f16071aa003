import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { first, type Sql } from "../../src/store/sql/sql.ts";
import { sqlIn } from "../../src/node/sqlite-file.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { DamagedDatabase, textOf } from "./object-database.ts";
import { copyStore, digestStore, type StoreDigest } from "./store-copy.ts";

/** The database that an import writes, which is renamed when it is complete. */
export interface ImportDraft {
  /** Copies a store. A failed copy leaves nothing behind. */
  add(store: string, source: Sql): Promise<void>;
  /** Returns the number of copied stores. */
  stores(): number;
  /**
   * Verifies the copies, flushes the file to disk and renames it. Rejects with {@link LaunchError}
   * if that fails.
   */
  publish(): Promise<void>;
  /** Removes the file unless it was published. */
  discard(): void;
}

/**
 * Creates the draft of a database and discards the draft of an interrupted import. This and the
 * methods of the draft reject with {@link LaunchError} if the draft cannot be written.
 */
export async function beginDraft(file: string): Promise<ImportDraft> {
  const path = draftOf(file);
  return writing(path, () => draftIn(path, file));
}

/**
 * Removes the leftovers of an interrupted import. Rejects with {@link LaunchError} if they cannot
 * be removed.
 */
export async function removeDraft(file: string): Promise<void> {
  const path = draftOf(file);
  await writing(path, () => rmSync(path, { force: true }));
}

const draftOf = (file: string): string => `${file}.import`;

function draftIn(path: string, file: string): ImportDraft {
  const database = open(path);
  const copied = new Map<string, StoreDigest>();
  let [isOpen, published] = [true, false];
  const close = (): void => {
    if (isOpen) database.close();
    isOpen = false;
  };
  const inTransaction = async (run: () => Promise<void>): Promise<void> => {
    database.exec("BEGIN");
    try {
      await run();
      database.exec("COMMIT");
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };
  return {
    add: (store, source) =>
      writing(path, () =>
        inTransaction(async () => {
          copied.set(store, await copyStore(source, sqlIn(database, store)));
        }),
      ),
    stores: () => copied.size,
    publish: () =>
      writing(path, async () => {
        close();
        await verify(path, copied);
        flush(path);
        renameSync(path, file);
        published = true;
        flush(dirname(path));
      }),
    discard() {
      if (published) return;
      close();
      rmSync(path, { force: true });
    },
  };
}

/**
 * Creates an empty draft file that only its owner can access, replacing any existing one. A draft
 * is discarded after a crash, so it needs neither a journal nor a flush before it is complete.
 */
function open(path: string): DatabaseSync {
  rmSync(path, { force: true });
  closeSync(openSync(path, "wx", 0o600));
  const database = new DatabaseSync(path);
  database.exec(
    "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384",
  );
  return database;
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled back, as it does on a full disk
  }
}

/**
 * Reads the draft again and compares it with the digests of the sources. Throws {@link LaunchError}
 * if they differ.
 */
async function verify(path: string, copied: ReadonlyMap<string, StoreDigest>): Promise<void> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const [result] = first(sqlIn(database), "SELECT * FROM pragma_integrity_check LIMIT 1") ?? [];
    const faults = result === "ok" ? [] : [textOf(result)];
    for (const [store, { rows, digest }] of copied) {
      const written = await digestStore(sqlIn(database, store));
      if (written.rows !== rows)
        faults.push(`the store ${store} has ${written.rows} rows, but ${rows} were read`);
      else if (written.digest !== digest)
        faults.push(`the rows of the store ${store} differ from those that were read`);
    }
    if (faults.length > 0)
      throw new LaunchError(
        `${path} does not contain what was written (${faults.join("; ")}): check the disk and start again.`,
      );
  } finally {
    database.close();
  }
}

function flush(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Runs a part of the import. Converts errors from the file system and SQLite to {@link
 * LaunchError}.
 */
async function writing<T>(path: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof LaunchError || error instanceof DamagedDatabase) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new LaunchError(
      `${path} cannot be written (${code === "ERR_SQLITE_ERROR" ? message : code}); nothing was imported.`,
    );
  }
}
