import type { DurableObjectStorage } from "@cloudflare/workers-types";
import { CaError, refusals, type Refusal } from "../src/base/errors.ts";
import { findNewerFormatError } from "../src/base/newer-format.ts";
import type { Page, Store, StoreSize } from "../src/engine/ports.ts";
import { epochKey } from "../src/store/batch.ts";
import { decode } from "../src/base/encoding.ts";
import { groupCommit, type GroupHooks } from "../src/store/sql/group.ts";
import type {
  PackedBatch,
  PackedDone,
  PackedExport,
  PackedExportRow,
  PackedList,
  PackedListThenGet,
  PackedRow,
} from "../src/store/sql/packed.ts";
import { rowsIn } from "../src/store/sql/rows.ts";
import { storeOf, type PackedStore } from "../src/store/sql/store.ts";

/**
 * The methods of the Durable Object that contains a store. `name` is the name of the store, which
 * the object records. `at` is the caller's time (Unix ms), by which the object corrects its own
 * time.
 */
export interface RemoteStore {
  /** Returns only the epoch, at two thirds of the cost of returning its row. */
  epoch?(at?: number): Promise<number>;
  size?(at?: number): Promise<StoreSize | undefined>;
  get(keys: readonly string[], at?: number): Promise<readonly (PackedRow | null)[]>;
  getWithIndex?(keys: readonly string[], at?: number): Promise<readonly (PackedExportRow | null)[]>;
  /** Lists rows, and then reads the row `key` if that argument is given. */
  list(
    prefix: string,
    page: Page,
    at?: number,
    key?: string,
  ): Promise<PackedList | PackedListThenGet>;
  commit(name: string, batch: PackedBatch, at?: number): Promise<PackedDone>;
  once(name: string, kind: string, id: string, at?: number): Promise<Failure | null>;
  /** Deletes all data, so that later commits that expect existing rows fail. */
  drop?(name: string, at?: number): Promise<void>;
  exported?(
    name: string,
    id: string | null,
    maxRows: number,
    at?: number,
  ): Promise<PackedExport | null>;
}
/**
 * A CaError in serialized form, because errors lose their class between an object and the Worker.
 */
export type Failure = readonly [code: Refusal, text: string];

/**
 * Returns the rows in an object's SQLite database, with encoded values. Call it at most once for
 * each object, because the result caches the epoch.
 */
export function durableRows(
  storage: DurableObjectStorage,
  rows = rowsIn(storage),
  attending?: GroupHooks,
): Required<Omit<PackedStore, "drop">> {
  return {
    epoch: async () => rows.epoch(),
    size: async () => ({ ...rows.size(), bytes: storage.sql.databaseSize }),
    get: async (keys) => rows.get(keys),
    getWithIndex: async (keys) => rows.getExported(keys),
    list: async (prefix, page) => rows.list(prefix, page),
    listThenGet: async (prefix, page, key) => ({
      ...rows.list(prefix, page),
      row: rows.get([key])[0] ?? null,
    }),
    commit: groupCommit(storage, rows, attending),
    async exported(id, maxRows) {
      try {
        return storage.transactionSync(() => {
          if (rows.refresh()) attending?.takenOver?.();
          return rows.exported(id, maxRows);
        });
      } catch (error) {
        rows.forget();
        throw error;
      }
    },
  };
}

/**
 * Returns the store `name` of another Durable Object. `object` returns a new stub for each call,
 * because a stub that has seen a crash stays broken. Values are encoded in the caller, where
 * computation is cheap. Every failed call rejects with CaError `storage`; a commit that failed may
 * still have been applied. `now` returns the caller's time, which is sent with each call.
 */
export function remoteStore(
  object: () => RemoteStore,
  name: string,
  now = (): number => Date.now(),
): Store {
  return storeOf({
    get: (keys) => read(() => object().get(keys, now())),
    getWithIndex: (keys) =>
      read(async () => {
        const stub = object();
        if (!stub.getWithIndex) throw new TypeError("the object cannot return index values");
        return stub.getWithIndex(keys, now());
      }),
    list: (prefix, page) => read(() => object().list(prefix, page, now())),
    listThenGet: (prefix, page, key) =>
      read(async () => {
        const part = await object().list(prefix, page, now(), key);
        // an object that runs an earlier version ignores the key
        return "row" in part
          ? part
          : { ...part, row: (await object().get([key], now()))[0] ?? null };
      }),
    epoch: () => read(() => epochOf(object(), now())),
    size: () => read(async () => object().size?.(now())),
    drop: () => reached(async () => object().drop?.(name, now())),
    commit: (batch) => reached(() => object().commit(name, batch, now())),
    exported: (id, maxRows) =>
      reached(async () => object().exported?.(name, id, maxRows, now()) ?? null),
  });
}

async function epochOf(stub: RemoteStore, now: number): Promise<number> {
  if (stub.epoch) return stub.epoch(now);
  const [row] = await stub.get([epochKey], now);
  const value = row?.[1] && decode(row[1]);
  return typeof value === "number" ? value : 0;
}

/**
 * Runs a job of the store `name` in the store's Durable Object. Rejects with the CaError of the
 * job, or with CaError `storage` if the object is unreachable.
 */
export async function remoteOnce(
  object: () => RemoteStore,
  name: string,
  kind: string,
  id: string,
): Promise<void> {
  const failure = await reached(() => object().once(name, kind, id, Date.now()));
  if (failure) throw new CaError(failure[0], failure[1]);
}

/**
 * Serializes an error for the Worker. An error other than a CaError becomes `storage`, and its
 * message is dropped.
 */
export function failureOf(error: unknown): Failure {
  const refused = error instanceof CaError && error.code in refusals;
  return refused ? [error.code, error.message] : ["storage", "the job failed"];
}

async function reached<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const unreached = new CaError("storage", "the storage is unreachable", { cause });
    throw findNewerFormatError(cause) ?? unreached;
  }
}

/**
 * Performs a read, and retries it if the platform reports that the object was restarted before it
 * responded.
 */
function read<T>(call: () => Promise<T>): Promise<T> {
  return reached(async () => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof Error && "retryable" in error && error.retryable === true) return call();
      throw error;
    }
  });
}
