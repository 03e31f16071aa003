import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "../../src/node/sqlite-file.ts";

/** A lock of this process on a file. */
export interface KernelLock {
  /** Removes the file and releases the lock. */
  release(): void;
}

/**
 * Locks a file, which is created if missing; undefined if another process holds the lock. A kernel
 * lock works across PID namespaces and is released whenever its process exits.
 */
export function tryLock(path: string): KernelLock | undefined {
  for (;;) {
    // opened and closed once more, a file would lose the lock that this very process has on it
    // already (fcntl_locking(2))
    if (inodeOf(path) === undefined) closeSync(openSync(path, "a", 0o600));
    const inode = inodeOf(path);
    const database = new DatabaseSync(path);
    try {
      // nothing is ever written, so no journal either: a lock needs no room on the disk
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    // the last holder may have removed the file between open and lock: such a lock would exclude
    // nobody
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
