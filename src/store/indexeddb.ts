import {
  openDB,
  type DBSchema,
  type IDBPDatabase,
  type IDBPObjectStore,
  type IDBPTransaction,
} from "idb";
import { CaError } from "../base/errors.ts";
import {
  indexNames,
  type Batch,
  type Index,
  type Page,
  type Row,
  type Store,
  type Stores,
} from "../engine/ports.ts";
import {
  afterPrefix,
  appended,
  checkBatch,
  checkKeys,
  checkPrefix,
  epochAfter,
  epochKey,
  isPage,
} from "./batch.ts";
import { copyOf } from "./encoding.ts";

/** Index values stand beside value and revision; a record without one is not in that index. */
interface Held extends Row, Index {}
interface Schema extends DBSchema {
  rows: {
    key: string;
    value: Held;
    indexes: { [K in (typeof indexNames)[number]]: string | number };
  };
  /** `rev`: the last revision given. */
  meta: { key: string; value: number };
}
type Database = IDBPDatabase<Schema>;
type Names = ("rows" | "meta")[];
type Transaction<Mode extends "readonly" | "readwrite"> = IDBPTransaction<Schema, Names, Mode>;
type Rows<Mode extends "readonly" | "readwrite"> = IDBPObjectStore<Schema, Names, "rows", Mode>;

/**
 * Stores in IndexedDB, one database `<name>/<store>` each. Tabs and workers of one origin may share
 * them: conditions are judged inside the transaction that writes. Values may be whatever the
 * structured clone takes, so a non-extractable `CryptoKey` too. Failures of the browser's storage
 * are CaError `storage`.
 */
export function indexedDbStore(name = "sealwright"): Stores {
  const stores = new Map<string, Store>();
  const open = (of: string): Store => {
    const known = stores.get(of);
    if (known) return known;
    const store = storeIn(connector(`${name}/${of}`));
    stores.set(of, store);
    return store;
  };
  return Object.assign(open, { durable: true });
}

/**
 * The AES-256-GCM key for `sealingKey` of an authority whose rows are in `indexedDbStore(name)`. It
 * is made once, kept by the browser and cannot be read out, not even by this code. Two tabs or
 * workers that race agree on one. Throws `CaError` `storage` when something else lies in its place.
 */
export async function indexedDbKey(name = "sealwright"): Promise<CryptoKey> {
  const database = await openDB("sealwright-keys", 1, {
    upgrade: (fresh) => void fresh.createObjectStore("keys"),
  });
  try {
    const known: unknown = await database.get("keys", name);
    if (known instanceof CryptoKey) return known;
    // made before the transaction: IndexedDB closes one that waits for anything else
    const offered = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
      "unwrapKey",
    ]);
    const change = database.transaction("keys", "readwrite", { durability: "strict" });
    const first: unknown = await change.store.get(name);
    if (first === undefined) await change.store.put(offered, name);
    await change.done;
    if (first === undefined) return offered;
    if (first instanceof CryptoKey) return first;
    throw new CaError("storage", "what is kept in the place of the sealing key is no key");
  } finally {
    database.close();
  }
}

interface Connector {
  /**
   * A transaction on an open connection, which is opened again when the browser or another tab has
   * closed it.
   */
  begin<Mode extends "readonly" | "readwrite">(mode: Mode): Promise<Transaction<Mode>>;
}

function connector(name: string): Connector {
  let connection: Promise<Database> | undefined;
  const forget = (): void => void (connection = undefined);
  const open = (): Promise<Database> =>
    openDB<Schema>(name, 1, {
      upgrade(database) {
        const rows = database.createObjectStore("rows");
        for (const index of indexNames) rows.createIndex(index, index);
        database.createObjectStore("meta");
      },
      // another tab deletes or upgrades the database: it waits for us to let go
      blocking(_current, _wanted, event) {
        (event.target as IDBDatabase).close();
        forget();
      },
      terminated: forget,
    });
  const connect = async (): Promise<Database> => {
    connection ??= open();
    try {
      return await connection;
    } catch (error) {
      forget();
      throw error;
    }
  };
  return {
    async begin(mode) {
      const names: Names = ["rows", "meta"];
      // an answered commit outlives a loss of power
      const options = { durability: "strict" } as const;
      try {
        return (await connect()).transaction(names, mode, options);
      } catch (error) {
        if (!isNamed(error, "InvalidStateError")) throw error;
        forget();
        return (await connect()).transaction(names, mode, options);
      }
    },
  };
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof DOMException && error.name === name;
}

function storeIn(connect: Connector): Store {
  return {
    async get(keys) {
      checkKeys(keys);
      const wanted = [...keys];
      return guarded(async () => {
        const rows = (await connect.begin("readonly")).objectStore("rows");
        const found = await Promise.all(wanted.map((key) => rows.get(key)));
        return found.map((row) => row && shown(row, true));
      });
    },
    async list(prefix, page = {}) {
      checkPrefix(prefix);
      const { limit = Infinity, values = true } = page;
      if (limit <= 0) return [];
      return guarded(async () => {
        const rows = (await connect.begin("readonly")).objectStore("rows");
        const found = await (page.by
          ? listBy(rows, prefix, page.by, limit)
          : listFrom(rows, prefix, page.after, limit));
        return found.map(([key, row]) => [key, shown(row, values)] as const);
      });
    },
    async commit(batch) {
      checkBatch(batch);
      const own = copyOf(batch);
      return guarded(async () => commit(await connect.begin("readwrite"), own));
    },
  };
}

/** Misuse stays what it is; every other failure is one of the storage. */
async function guarded<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof CaError) throw cause;
    const full = isNamed(cause, "QuotaExceededError");
    throw new CaError(
      "storage",
      full ? "the browser's storage is full" : "the browser's storage failed",
      { cause },
    );
  }
}

function shown({ value, rev }: Held, values: boolean): Row {
  return { value: values ? value : undefined, rev };
}

async function listFrom(
  rows: Rows<"readonly">,
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<[string, Held][]> {
  const later = after !== undefined && after >= prefix;
  const end = afterPrefix(prefix);
  if (later && after >= end) return [];
  const range = IDBKeyRange.bound(later ? after : prefix, end, later, true);
  const count = Number.isFinite(limit) ? limit : undefined;
  const [keys, held] = await Promise.all([
    rows.getAllKeys(range, count),
    rows.getAll(range, count),
  ]);
  return paired(keys, held);
}

function paired(keys: readonly string[], rows: readonly (Held | undefined)[]): [string, Held][] {
  return keys.flatMap((key, at) => {
    const row = rows[at];
    return row ? [[key, row] satisfies [string, Held]] : [];
  });
}

async function listBy(
  rows: Rows<"readonly">,
  prefix: string,
  by: NonNullable<Page["by"]>,
  limit: number,
): Promise<[string, Held][]> {
  const { name, from, to, after } = by;
  const range = rangeOf(
    after && (from === undefined || indexedDB.cmp(after[0], from) > 0) ? after[0] : from,
    to,
  );
  if (range === null) return [];
  const keys: string[] = [];
  let cursor = await rows.index(name).openKeyCursor(range);
  while (cursor && keys.length < limit) {
    const seen = after ? indexedDB.cmp([cursor.key, cursor.primaryKey], after) : 1;
    if (seen < 0 && after && indexedDB.cmp(cursor.key, after[0]) === 0) {
      cursor = await cursor.continuePrimaryKey(after[0], after[1]);
      continue;
    }
    if (seen > 0 && cursor.primaryKey.startsWith(prefix)) keys.push(cursor.primaryKey);
    cursor = await cursor.continue();
  }
  return paired(keys, await Promise.all(keys.map((key) => rows.get(key))));
}

/** Both ends included; undefined: everything, null: nothing. */
function rangeOf(
  from: string | number | undefined,
  to: string | number | undefined,
): IDBKeyRange | undefined | null {
  if (from === undefined) return to === undefined ? undefined : IDBKeyRange.upperBound(to);
  if (to === undefined) return IDBKeyRange.lowerBound(from);
  return indexedDB.cmp(from, to) > 0 ? null : IDBKeyRange.bound(from, to);
}

/**
 * Nothing but requests of this transaction is awaited here: the browser ends a transaction that
 * waits for anything else.
 */
async function commit(
  transaction: Transaction<"readwrite">,
  batch: Batch,
): Promise<{ epoch: number } | undefined> {
  const rows = transaction.objectStore("rows");
  const meta = transaction.objectStore("meta");
  const expected = batch.expect ?? [];
  const [epochRow, last, ...found] = await Promise.all([
    rows.get(epochKey),
    meta.get("rev"),
    ...expected.map(([key]) => rows.get(key)),
  ]);
  const held = typeof epochRow?.value === "number" ? epochRow.value : 0;
  const epoch = epochAfter(held, batch);
  if (epoch === undefined || expected.some(([, rev], at) => (found[at]?.rev ?? null) !== rev)) {
    await transaction.done;
    return undefined;
  }
  const rev = (last ?? 0) + 1;
  const writes: Promise<unknown>[] = [meta.put(rev, "rev")];
  const put = (key: string, value: unknown, index?: Index): void =>
    void writes.push(rows.put({ ...index, value, rev }, key));
  try {
    if (batch.clear) {
      writes.push(rows.clear());
      if (epochRow) writes.push(rows.put(epochRow, epochKey));
    }
    for (const key of batch.del ?? []) writes.push(rows.delete(key));
    for (const [key, value, index] of batch.put ?? []) put(key, value, index);
    for (const [prefix, bytes] of batch.append ?? [])
      put(...appended(prefix, await lastPage(rows, prefix), bytes));
    if (epoch !== held) put(epochKey, epoch);
    await Promise.all([...writes, transaction.done]);
    return { epoch };
  } catch (error) {
    void Promise.allSettled([...writes, transaction.done]);
    try {
      transaction.abort();
    } catch {
      // it has ended already
    }
    throw error;
  }
}

async function lastPage(
  rows: Rows<"readwrite">,
  prefix: string,
): Promise<[string, Uint8Array] | undefined> {
  let cursor = await rows.openCursor(
    IDBKeyRange.bound(prefix, afterPrefix(prefix), false, true),
    "prev",
  );
  for (; cursor; cursor = await cursor.continue()) {
    const { value } = cursor.value;
    if (isPage(cursor.key, prefix) && value instanceof Uint8Array) return [cursor.key, value];
  }
  return undefined;
}
