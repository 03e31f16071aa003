import { closeSync, openSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { flock } from "./file-lock.ts";
import { sqlite } from "./sqlite.ts";

/** A lock of this process on a file. */
export interface KernelLock {
  /** Removes the file and gives the lock up. */
  release(): void;
}

/** SQLITE_BUSY in the last byte of an extended code. */
const BUSY = 5;

/** Whether SQLite refused because another connection holds its lock. */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    "errcode" in error &&
    typeof error.errcode === "number" &&
    (error.errcode & 0xff) === BUSY
  );
}

/**
 * Locks a file, made if need be, or answers undefined while another process holds it. The kernel
 * keeps the lock: it holds across namespaces of process ids, where an id in a file means nothing,
 * and ends with its process however that ends.
 */
export function tryLock(path: string): KernelLock | undefined {
  for (;;) {
    // opened and closed once more, a file would lose the lock that this very process has on it
    // already (fcntl_locking(2))
    if (inodeOf(path) === undefined) closeSync(openSync(path, "a", 0o600));
    const inode = inodeOf(path);
    if (sqlite === undefined) return byFlock(path);
    const database = new sqlite.DatabaseSync(path);
    try {
      // nothing is ever written, so no journal either: a lock needs no room on the disk
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    // between opening and locking, the last holder may have removed the file: such a lock would
    // keep nobody out
    if (inode !== undefined && inodeOf(path) === inode)
      return { release: () => release(path, database) };
    database.close();
  }
}

/** Where SQLite is not there to lock it. Nobody removes a file that is locked so. */
function byFlock(path: string): KernelLock | undefined {
  const lock = flock(path);
  return lock === "held" ? undefined : { release: () => lock?.release() };
}

function release(path: string, database: DatabaseSync): void {
  rmSync(path, { force: true });
  database.close();
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
