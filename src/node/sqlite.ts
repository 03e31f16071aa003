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

/** The stores in an SQLite file, which can be closed. */
export interface SqliteStores extends Stores {
  /** Always true, because the rows are still there after the process exits. */
  readonly durable: true;
  /** Closes the file. This is not required before the process exits. */
  close(): void;
}

/**
 * Opens an SQLite file on a local disk, which contains all stores of an authority. Requires
 * `node:sqlite` (Node 22.13 or later). A commit is on disk when it resolves. Several processes may
 * share the file: conditions are checked inside the transaction that writes, and a writer waits up
 * to ten seconds for another writer. A missing file is created, and only its owner can read it.
 * While it is open, there are two more files next to it, whose names end in -wal and -shm. If the
 * database fails, calls reject with CaError `storage`. Throws CaError `storage` if the file cannot
 * be opened, and TypeError if the path is invalid or the platform has no SQLite.
 */
export function sqliteStore(file: string): SqliteStores {
  if (typeof file !== "string" || file === "" || /^(?::memory:|file:)/.test(file))
    throw new TypeError("sqliteStore requires the path of a file");
  // the path is made absolute now, because the working directory of the process may change later
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

/** Returns the store with the given name, which commits in this process. */
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
