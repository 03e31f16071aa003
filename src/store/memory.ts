import { lastNumberKey, logKey, parseLastNumber } from "../base/row-keys.ts";
import type {
  Batch,
  Committed,
  ExportedRow,
  Index,
  LogEntry,
  Page,
  Row,
  Store,
  Stores,
} from "../engine/ports.ts";
import {
  afterPrefix,
  appendTarget,
  checkBatch,
  checkKeys,
  checkPrefix,
  endOfLog,
  epochAfter,
  epochKey,
  exportLost,
  exportedAtOnce,
  hasGap,
  isPage,
} from "./batch.ts";
import { deepCopy } from "../base/encoding.ts";

/** A sorted set. */
interface Sorted<T> {
  add(item: T): void;
  remove(item: T): void;
  /**
   * Yields the items in order, starting with the first that does not sort before `item`. The set
   * must not change during the iteration.
   */
  from(item?: T): Iterable<T>;
  /**
   * Yields the items that sort before `item`, in reverse order. The set must not change during the
   * iteration.
   */
  before(item: T): Iterable<T>;
  clear(): void;
}

/** Maximum number of items in a block. Adding an item moves only items of the same block. */
const maxBlockSize = 1024;

/**
 * Creates a set sorted by `compare`. Items that compare as equal are the same item, which the
 * caller must not add twice.
 */
function sortedSet<T>(compare: (a: T, b: T) => number): Sorted<T> {
  // a block may be empty only if it is the only one
  const blocks: T[][] = [[]];
  /** Returns how many of the first `count` items satisfy `isBefore`; they precede all others. */
  const search = (count: number, isBefore: (at: number) => boolean): number => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  /** Returns the block of an item, present or to be added, and its index in the block. */
  const find = (item: T): readonly [block: number, at: number] => {
    const block = search(blocks.length - 1, (at) => compare(blocks[at]?.at(-1) as T, item) < 0);
    const items = blocks[block] ?? [];
    return [block, search(items.length, (at) => compare(items[at] as T, item) < 0)];
  };
  return {
    add(item) {
      const [block, at] = find(item);
      const items = blocks[block] ?? [];
      items.splice(at, 0, item);
      if (items.length > maxBlockSize) blocks.splice(block + 1, 0, items.splice(maxBlockSize / 2));
    },
    remove(item) {
      const [block, at] = find(item);
      const items = blocks[block] ?? [];
      if (at >= items.length || compare(items[at] as T, item) !== 0) return;
      items.splice(at, 1);
      if (items.length === 0 && blocks.length > 1) blocks.splice(block, 1);
    },
    *from(item) {
      const [first, start] = item === undefined ? [0, 0] : find(item);
      for (let block = first, at = start; block < blocks.length; block++, at = 0)
        for (const items = blocks[block] ?? []; at < items.length; at++) yield items[at] as T;
    },
    *before(item) {
      const [last, end] = find(item);
      for (let block = last, at = end; block >= 0; at = blocks[--block]?.length ?? 0)
        for (const items = blocks[block] ?? []; at > 0;) yield items[--at] as T;
    },
    clear() {
      blocks.splice(0, blocks.length, []);
    },
  };
}

type Entry = readonly [value: string | number, key: string];
interface MemoryRecord extends Row {
  readonly index?: Index;
}
interface Memory {
  readonly rows: Map<string, MemoryRecord>;
  readonly keys: Sorted<string>;
  readonly indexes: Map<string, Sorted<Entry>>;
  rev: number;
  /** Number of calls to `clear`. */
  cleared: number;
}

/**
 * Returns a function that opens stores in memory. It returns the same store for the same name. The
 * stores exist as long as the function.
 */
export function memoryStore(): Stores {
  const stores = new Map<string, Store>();
  const open = (name: string): Store => {
    const cached = stores.get(name);
    if (cached) return cached;
    const store = memoryStoreOf();
    stores.set(name, store);
    return store;
  };
  return Object.assign(open, { durable: false, partitions: true });
}

/** Returns a single store in memory. */
export function memoryStoreOf(): Store {
  const memory: Memory = {
    rows: new Map(),
    keys: sortedSet(compareKeys),
    indexes: new Map(),
    rev: 0,
    cleared: 0,
  };
  return {
    async get(keys) {
      checkKeys(keys);
      return keys.map((key) => copy(memory.rows.get(key), true));
    },
    async getWithIndex(keys) {
      checkKeys(keys);
      return keys.map((key) => exportedRow(memory, key));
    },
    async list(prefix, page = {}) {
      checkPrefix(prefix);
      return list(memory, prefix, page);
    },
    size: async () => ({ rows: memory.rows.size }),
    async *export(maxRows = exportedAtOnce) {
      const { cleared } = memory;
      // a copy of the list suffices, because stored rows are replaced, never changed
      const rows = [...memory.rows];
      for (let at = 0; at < rows.length; at += maxRows) {
        if (memory.cleared !== cleared) throw exportLost();
        yield rows.slice(at, at + maxRows).map(([key, row]) => deepCopy({ key, ...row }));
      }
    },
    async commit(batch) {
      checkBatch(batch);
      return commit(memory, deepCopy(batch));
    },
  };
}

function exportedRow({ rows }: Memory, key: string): ExportedRow | undefined {
  const row = rows.get(key);
  return row && deepCopy({ key, ...row });
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareEntries([a, aKey]: Entry, [b, bKey]: Entry): number {
  return compareValues(a, b) || compareKeys(aKey, bKey);
}

function compareValues(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareKeys(a, b);
  return typeof a === "number" ? -1 : 1;
}

function copy(row: MemoryRecord | undefined, values: boolean): Row | undefined {
  return row && { value: values ? deepCopy(row.value) : undefined, rev: row.rev };
}

function list(memory: Memory, prefix: string, page: Page): [string, Row][] {
  const { limit = Infinity, values = true } = page;
  const matches: [string, Row][] = [];
  for (const key of page.by
    ? keysBy(memory, prefix, page.by)
    : keysFrom(memory, prefix, page.after)) {
    if (matches.length >= limit) break;
    const record = memory.rows.get(key);
    const row = copy(record, values);
    const indexed = page.by && record?.index?.[page.by.name];
    if (row) matches.push([key, indexed === undefined ? row : { ...row, indexed }]);
  }
  return matches;
}

function* keysFrom({ keys }: Memory, prefix: string, after: string | undefined): Generator<string> {
  const first = after !== undefined && after >= prefix ? after : prefix;
  for (const key of keys.from(first)) {
    if (key === after) continue;
    if (!key.startsWith(prefix)) return;
    yield key;
  }
}

function* keysBy(
  { indexes }: Memory,
  prefix: string,
  { name, from, to, after }: NonNullable<Page["by"]>,
): Generator<string> {
  const start: Entry | undefined = from === undefined ? undefined : [from, ""];
  const isLater = after && (!start || compareEntries(after, start) > 0);
  for (const item of indexes.get(name)?.from(isLater ? after : start) ?? []) {
    if (after && compareEntries(item, after) === 0) continue;
    if (to !== undefined && compareValues(item[0], to) > 0) return;
    if (item[1].startsWith(prefix)) yield item[1];
  }
}

function commit(memory: Memory, batch: Batch): Committed | undefined {
  const { rows } = memory;
  const value = rows.get(epochKey)?.value;
  const current = typeof value === "number" ? value : 0;
  const epoch = epochAfter(current, batch);
  if (epoch === undefined) return undefined;
  for (const [key, rev] of batch.expect ?? [])
    if ((rows.get(key)?.rev ?? null) !== rev) return undefined;
  memory.rev += 1;
  if (batch.clear) clear(memory);
  for (const key of batch.del ?? []) remove(memory, key);
  for (const [key, row, index] of batch.put ?? []) put(memory, key, row, index);
  for (const [prefix, bytes] of batch.append ?? [])
    put(memory, ...appendTarget(prefix, lastPage(memory, prefix), bytes));
  for (const entry of batch.log ?? []) log(memory, entry);
  if (epoch !== current) put(memory, epochKey, epoch);
  return batch.read
    ? { epoch, rows: batch.read.map((key) => copy(rows.get(key), true)) }
    : { epoch };
}

function log(memory: Memory, [prefix, value, maxEntries]: LogEntry): void {
  const n = parseLastNumber(memory.rows.get(lastNumberKey(prefix))?.value) + 1;
  put(memory, lastNumberKey(prefix), n);
  put(memory, logKey(prefix, n), value);
  const end = endOfLog(n, maxEntries);
  if (end === undefined) return;
  const removed: string[] = [];
  let others = 0;
  for (const key of memory.keys.from(logKey(prefix, 0))) {
    if (key <= logKey(prefix, end)) removed.push(key);
    else if (key <= logKey(prefix, n) && hasGap(removed, prefix, end)) others += 1;
    else break;
  }
  if (hasGap(removed, prefix, end))
    removed.splice(Math.max(0, removed.length + others - (n - end)));
  for (const key of removed) remove(memory, key);
}

function clear(memory: Memory): void {
  const epoch = memory.rows.get(epochKey);
  memory.cleared += 1;
  memory.rows.clear();
  memory.keys.clear();
  memory.indexes.clear();
  if (!epoch) return;
  memory.rows.set(epochKey, epoch);
  memory.keys.add(epochKey);
}

function remove(memory: Memory, key: string): void {
  const row = memory.rows.get(key);
  if (!row) return;
  memory.rows.delete(key);
  memory.keys.remove(key);
  unindex(memory, key, row);
}

function unindex({ indexes }: Memory, key: string, { index }: MemoryRecord): void {
  for (const [name, value] of Object.entries(index ?? {})) indexes.get(name)?.remove([value, key]);
}

function put(memory: Memory, key: string, value: unknown, index?: Index): void {
  const before = memory.rows.get(key);
  if (before) unindex(memory, key, before);
  else memory.keys.add(key);
  memory.rows.set(key, index ? { value, rev: memory.rev, index } : { value, rev: memory.rev });
  for (const [name, entry] of Object.entries(index ?? {})) {
    const entries = memory.indexes.get(name) ?? sortedSet(compareEntries);
    memory.indexes.set(name, entries);
    entries.add([entry, key]);
  }
}

function lastPage({ keys, rows }: Memory, prefix: string): [string, Uint8Array] | undefined {
  for (const key of keys.before(afterPrefix(prefix))) {
    if (!key.startsWith(prefix)) return undefined;
    const value = rows.get(key)?.value;
    if (isPage(key, prefix) && value instanceof Uint8Array) return [key, value];
  }
  return undefined;
}
