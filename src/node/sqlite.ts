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
  /** Closes the file. A process that just ends need not. */
  close(): void;
}

/**
 * Stores in one SQLite file on a local disk, all of an authority in it, over `node:sqlite`, which
 * Node has from 22.13 on. A commit is on the disk when it is answered. Processes may share the
 * file: conditions are judged inside the transaction that writes, and a writer waits for another
 * one, ten seconds at most. A file that is absent is made, for its owner alone; those ending in
 * -wal and -shm lie beside it while it is open. Failures are CaError `storage`. Throws one for a
 * file that cannot be opened, and TypeError where the platform has no SQLite.
 */
export function sqliteStore(file: string): SqliteStores {
  if (typeof file !== "string" || file === "" || /^(?::memory:|file:)/.test(file))
    throw new TypeError("sqliteStore needs the path of a file");
  // a process may go elsewhere
  const path = resolve(file);
  const opened = openFile(path);
  const reader: StoreReader = { file: opened, writable: true, open: () => openReader(path) };
  const stores = new Map<string, Store>();
  const open = (name: string): Store => {
    const known = stores.get(name);
    if (known) return known;
    const store = storeIn(name, reader);
    stores.set(name, store);
    return store;
  };
  return Object.assign(open, { durable: true as const, close: () => opened.close() });
}

/** The store of a name that this process changes by itself. */
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
