import { resolve } from "node:path";
import type { Store, Stores } from "../engine/ports.ts";
import { groupCommit } from "../store/sql/group.ts";
import { openFile, openReader } from "./sqlite-file.ts";
import {
  dropTables,
  noteLife,
  ownBatch,
  sqliteStoreOf,
  untilFree,
  type StoreReader,
} from "./sqlite-store.ts";

/** Stores in a file, which can be closed. */
export interface SqliteStores extends Stores {
  /** The rows outlive the process. */
  readonly durable: true;
  /** Closes the file; not required before the process ends. */
  close(): void;
}

/**
 * Returns stores in one SQLite file on a local disk, which contains all stores of an authority.
 * Uses `node:sqlite`, which Node has since 22.13. A commit is on disk when it resolves. Processes
 * may share the file: conditions are checked inside the transaction that writes, and a writer waits
 * up to ten seconds for another one. A missing file is created, readable only by its owner; files
 * ending in -wal and -shm are next to it while it is open. Failures are CaError `storage`. Throws
 * one for a file that cannot be opened, and TypeError if the platform has no SQLite.
 */
export function sqliteStore(file: string): SqliteStores {
  if (typeof file !== "string" || file === "" || /^(?::memory:|file:)/.test(file))
    throw new TypeError("sqliteStore requires the path of a file");
  // resolved now, because the process may change its working directory
  const path = resolve(file);
  const opened = openFile(path);
  const reader: StoreReader = { file: opened, writable: true, open: () => openReader(path) };
  const stores = new Map<string, Store>();
  const open = (name: string): Store => {
    const cached = stores.get(name);
    if (cached) return cached;
    const store = storeIn(name, reader);
    stores.set(name, store);
    return store;
  };
  return Object.assign(open, {
    durable: true as const,
    partitions: true,
    close: () => opened.close(),
  });
}

/** Returns the store with a name, to which this process writes directly. */
const storeIn = (name: string, reader: StoreReader): Store =>
  sqliteStoreOf(name, reader, (rows, database) => {
    const commit = groupCommit(database, rows, { applied: (batches) => noteLife(rows, batches) });
    return {
      commit(batch) {
        const own = ownBatch(batch);
        return untilFree(() => commit(own));
      },
      drop: () => untilFree(async () => dropTables(database, rows)),
    };
  });
