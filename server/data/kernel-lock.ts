import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "../../src/node/sqlite-file.ts";

/** A lock that this process holds on a file. */
export interface KernelLock {
  /** Removes the file and releases the lock. */
  release(): void;
}

/**
 * Locks a file, which is created if missing. Returns undefined if another process holds the lock. A
 * kernel lock works across PID namespaces, and is released when its process exits in any way.
 */
export function tryLock(path: string): KernelLock | undefined {
  for (;;) {
    // do not open an existing file: closing it would release a lock that this process holds on it
    // (fcntl_locking(2))
    if (inodeOf(path) === undefined) closeSync(openSync(path, "a", 0o600));
    const inode = inodeOf(path);
    const database = new DatabaseSync(path);
    try {
      // nothing is written, so neither a journal nor disk space is needed
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    // the previous holder may have removed the file between open and lock; a lock on a removed file
    // does not exclude other processes
    if (inode !== undefined && inodeOf(path) === inode)
      return {
        release() {
          rmSync(path, { force: true });
          database.close();
        },
      };
    database.close();
  }
}

const inodeOf = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.ino;
