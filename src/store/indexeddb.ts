import { CaError } from "../base/errors.ts";
import { lastNumberKey, logKey, parseLastNumber } from "../base/row-keys.ts";
import type { Batch, Index, Page, Row, Store, Stores } from "../engine/ports.ts";
import {
  afterPrefix,
  appendTarget,
  checkBatch,
  checkKeys,
  checkPrefix,
  endOfLog,
  epochAfter,
  epochKey,
  exportedAtOnce,
  exportLost,
  hasGap,
  isPage,
} from "./batch.ts";
import { deepCopy } from "../base/encoding.ts";
import {
  connector,
  entriesOf,
  exportingIn,
  type Exporting,
  isNamed,
  type Connector,
  type StoredRecord,
  type Rows,
  type Transaction,
} from "./indexeddb-database.ts";
import { exportPart, saveOldForm, type ExportPart } from "./indexeddb-export.ts";

export { indexedDbKey } from "./indexeddb-key.ts";

/**
 * Returns stores in IndexedDB, each in its own database `<name>/<store>`. Tabs and workers of one
 * origin can share them, because conditions are checked inside the transaction that writes. Values
 * may be anything that supports structured cloning, including a non-extractable `CryptoKey`. If the
 * browser's storage fails, calls reject with CaError `storage`.
 */
export function indexedDbStore(name = "sealwright"): Stores {
  const stores = new Map<string, Store>();
  const open = (of: string): Store => {
    const cached = stores.get(of);
    if (cached) return cached;
    const store = storeIn(connector(`${name}/${of}`));
    stores.set(of, store);
    return store;
  };
  return Object.assign(open, { durable: true, partitions: true });
}

function storeIn(connect: Connector): Store {
  return {
    async get(keys) {
      checkKeys(keys);
      const requested = [...keys];
      return guarded(async () => {
        const rows = (await connect.begin("readonly")).objectStore("rows");
        const stored = await Promise.all(requested.map((key) => rows.get(key)));
        return stored.map((row) => row && toRow(row, true));
      });
    },
    async list(prefix, page = {}) {
      checkPrefix(prefix);
      const { limit = Infinity, values = true } = page;
      if (limit <= 0) return [];
      return guarded(async () => {
        const rows = (await connect.begin("readonly")).objectStore("rows");
        const matches = await (page.by
          ? listBy(rows, prefix, page.by, limit)
          : listFrom(rows, prefix, page.after, limit));
        return matches.map(([key, row]) => {
          const indexed = row.index?.find(([name]) => name === page.by?.name)?.[1];
          const one = toRow(row, values);
          return [key, indexed === undefined ? one : { ...one, indexed }] as const;
        });
      });
    },
    size: () =>
      guarded(async () => ({
        rows: await (await connect.begin("readonly")).objectStore("rows").count(),
      })),
    async *export(maxRows = exportedAtOnce) {
      let of: number | undefined;
      do {
        const part: ExportPart | undefined = await guarded(async () =>
          exportPart(await connect.begin("readwrite"), of, maxRows),
        );
        if (!part) throw exportLost();
        yield part.rows;
        of = part.more ? part.of : undefined;
      } while (of !== undefined);
    },
    async commit(batch) {
      checkBatch(batch);
      const own = deepCopy(batch);
      return guarded(async () => commit(await connect.begin("readwrite"), own));
    },
  };
}

/** Rethrows errors caused by misuse, and converts all others to CaError `storage`. */
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

function toRow({ value, rev }: StoredRecord, values: boolean): Row {
  return { value: values ? value : undefined, rev };
}

async function listFrom(
  rows: Rows<"readonly">,
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<[string, StoredRecord][]> {
  const later = after !== undefined && after >= prefix;
  const end = afterPrefix(prefix);
  if (later && after >= end) return [];
  const range = IDBKeyRange.bound(later ? after : prefix, end, later, true);
  const count = Number.isFinite(limit) ? limit : undefined;
  const [keys, values] = await Promise.all([
    rows.getAllKeys(range, count),
    rows.getAll(range, count),
  ]);
  return paired(keys, values);
}

function paired(
  keys: readonly string[],
  rows: readonly (StoredRecord | undefined)[],
): [string, StoredRecord][] {
  return keys.flatMap((key, at) => {
    const row = rows[at];
    return row ? [[key, row] satisfies [string, StoredRecord]] : [];
  });
}

async function listBy(
  rows: Rows<"readonly">,
  prefix: string,
  by: NonNullable<Page["by"]>,
  limit: number,
): Promise<[string, StoredRecord][]> {
  const { name, from, to } = by;
  const after = by.after && ([[name, by.after[0]], by.after[1]] as const);
  const range = rangeOf(name, from, to, by.after?.[0]);
  if (range === null) return [];
  const keys: string[] = [];
  const end = afterPrefix(prefix);
  let cursor = await rows.index("entries").openKeyCursor(range);
  while (cursor && keys.length < limit) {
    const seen = after ? indexedDB.cmp([cursor.key, cursor.primaryKey], after) : 1;
    if (seen < 0 && after && indexedDB.cmp(cursor.key, after[0]) === 0) {
      cursor = await cursor.continuePrimaryKey([name, after[0][1]], after[1]);
      continue;
    }
    const { primaryKey: key } = cursor;
    if (seen > 0 && key.startsWith(prefix) && key < end) keys.push(key);
    cursor = await cursor.continue();
  }
  return paired(keys, await Promise.all(keys.map((key) => rows.get(key))));
}

/**
 * Returns the range of index entries between two values, or after the last entry of the previous
 * page. Returns null if the range is empty.
 */
function rangeOf(
  name: string,
  from: string | number | undefined,
  to: string | number | undefined,
  seen: string | number | undefined,
): IDBKeyRange | null {
  const start =
    seen !== undefined && (from === undefined || indexedDB.cmp(seen, from) > 0) ? seen : from;
  const lower = start === undefined ? [name] : [name, start];
  // an array sorts after every string
  const upper = [name, to ?? []];
  return indexedDB.cmp(lower, upper) > 0 ? null : IDBKeyRange.bound(lower, upper);
}

/**
 * Commits a batch. Awaits only requests of the transaction, because the browser ends a transaction
 * that waits for anything else.
 */
async function commit(
  transaction: Transaction<"readwrite">,
  batch: Batch,
): Promise<{ epoch: number } | undefined> {
  const rows = transaction.objectStore("rows");
  const meta = transaction.objectStore("meta");
  const expected = batch.expect ?? [];
  const [epochRow, last, open, ...stored] = await Promise.all([
    rows.get(epochKey),
    meta.get("rev"),
    meta.get("export"),
    ...expected.map(([key]) => rows.get(key)),
  ]);
  const current = typeof epochRow?.value === "number" ? epochRow.value : 0;
  const epoch = epochAfter(current, batch);
  if (epoch === undefined || expected.some(([, rev], at) => (stored[at]?.rev ?? null) !== rev)) {
    await transaction.done;
    return undefined;
  }
  const rev = (typeof last === "number" ? last : 0) + 1;
  const writes: Promise<unknown>[] = [meta.put(rev, "rev")];
  try {
    if (batch.clear) {
      writes.push(meta.delete("export"), rows.clear());
      if (epochRow) writes.push(rows.put(epochRow, epochKey));
    }
    const exporting = batch.clear ? undefined : exportingIn(open);
    const epochs = epoch === current ? [] : [[epochKey, epoch] as const];
    const put = [...(batch.put ?? []), ...epochs];
    await write(rows, { ...batch, put }, { rev, exporting, writes });
    await Promise.all([...writes, transaction.done]);
    return { epoch };
  } catch (error) {
    void Promise.allSettled([...writes, transaction.done]);
    try {
      transaction.abort();
    } catch {
      // the transaction has already ended
    }
    throw error;
  }
}

interface Write {
  readonly rev: number;
  readonly exporting: Exporting | undefined;
  /** Write requests that have not completed. */
  readonly writes: Promise<unknown>[];
}
async function write(
  rows: Rows<"readwrite">,
  { del = [], put = [], append = [], log = [] }: Batch,
  { rev, exporting, writes }: Write,
): Promise<void> {
  const set = (key: string, value: unknown, index?: Index): void =>
    void writes.push(rows.put({ value, rev, ...(index ? { index: entriesOf(index) } : {}) }, key));
  if (exporting)
    for (const key of [...del, ...put.map(([of]) => of)]) await saveOldForm(rows, exporting, key);
  for (const key of del) writes.push(rows.delete(key));
  for (const [key, value, index] of put) set(key, value, index);
  for (const [prefix, bytes] of append) {
    const [key, page] = appendTarget(prefix, await lastPage(rows, prefix), bytes);
    if (exporting) await saveOldForm(rows, exporting, key);
    set(key, page);
  }
  for (const [prefix, value, maxEntries] of log) {
    const last = lastNumberKey(prefix);
    const n = parseLastNumber((await rows.get(last))?.value) + 1;
    if (exporting) await saveOldForm(rows, exporting, last);
    set(last, n);
    set(logKey(prefix, n), value);
    const end = endOfLog(n, maxEntries);
    if (end === undefined) continue;
    const removed = await rows.getAllKeys(
      IDBKeyRange.bound(logKey(prefix, 0), logKey(prefix, end)),
    );
    if (hasGap(removed, prefix, end)) {
      const count = await rows.count(IDBKeyRange.bound(logKey(prefix, 0), logKey(prefix, n)));
      removed.splice(Math.max(0, count - (n - end)));
    }
    for (const key of removed) {
      if (exporting) await saveOldForm(rows, exporting, key);
      writes.push(rows.delete(key));
    }
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
