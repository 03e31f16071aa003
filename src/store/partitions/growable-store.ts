import { CaError } from "../../base/errors.ts";
import { pause } from "../../base/event-loop.ts";
import { lastNumberPrefix } from "../../base/row-keys.ts";
import {
  partitionKeys,
  storedLayout,
  type GrowableStore,
  type PartitionLayout,
} from "../../engine/partition-layout.ts";
import type { PartsOfMount } from "../../engine/mount-stores.ts";
import { placementOf } from "../../engine/placement-rules.ts";
import { type Placement, spreadPrefixes } from "../../engine/placement.ts";
import type { Batch, Committed, ExportedRow, Row, Store } from "../../engine/ports.ts";
import { epochKey } from "../batch.ts";
import { checkedPartition, isOutdated, layoutIn } from "./checked-partition.ts";
import { growingStore, moveNext, rangeOf, type Growth } from "./growing-store.ts";
import { epochOf } from "./partition-epochs.ts";
import { routeAfterGrowth } from "./partition-routing.ts";
import { partitionedStore } from "./partitioned-store.ts";

/** Access to the stores of a mount's partitions. */
interface GrowableParts extends PartsOfMount {
  /** Resolves after the given number of milliseconds. */
  wait?(milliseconds: number): Promise<void>;
}

/** This process's view of a mount's partitions, which may be outdated. */
interface PartitionView {
  readonly store: Store;
  readonly all: readonly Store[];
  readonly placement: Placement;
  /** The placement of the view that this one replaced, if this process has seen a growth. */
  readonly previous?: Placement;
  /** Absent unless rows are being moved. */
  readonly growing?: Growth;
}
/** Maximum number of retries of a call while the number of partitions changes. */
const maxTries = 20;

/**
 * Returns this process's view of a mount's partitions, and functions that refresh and use the view.
 */
function viewOfMount(parts: GrowableParts) {
  // the number rarely changes, so it is read again only when a call finds that it has changed
  const cached = { view: neverGrown(parts) };
  const refresh = async (): Promise<void> => {
    const { placement: previous } = cached.view;
    cached.view = { ...(await read(parts)), previous };
  };
  const run = async <T>(call: (of: PartitionView) => Promise<T>): Promise<T> => {
    for (let left = maxTries; ; left--) {
      const { view } = cached;
      try {
        return await call(view);
      } catch (error) {
        if (left === 0 || !isOutdated(error)) throw error;
        if (cached.view === view) await refresh();
      }
    }
  };
  return {
    cached,
    refresh,
    /** Calls a function with the view, and again with a new one if the view was outdated. */
    run,
  };
}

/**
 * Returns the store of a mount whose number of partitions may grow at any time, including from
 * another process. Each partition that a call uses checks the number, and the call is retried if
 * the number has changed.
 */
export function growableStore(mount: GrowableParts): GrowableStore {
  const parts = { ...mount, open: openOnce(mount.open) };
  const { open } = parts;
  const { cached, refresh, run } = viewOfMount(parts);
  const home = open(0);
  return {
    get placement() {
      return cached.view.store.placement;
    },
    get partitions() {
      // these stores are unchecked, because callers use only rows that do not move
      return cached.view.store.partitions?.map((_, partition) => open(partition));
    },
    get: (keys) => run(({ store }) => store.get(keys)),
    list: (prefix, page) => run(({ store }) => store.list(prefix, page)),
    epoch: () => run(({ store }) => epochOf(store)),
    storeCount: () => storeCount(parts),
    ...(home.drop ? { drop: () => dropAll(parts) } : {}),
    ...(home.size ? { size: async () => home.size?.() } : {}),
    ...(home.export ? { export: (maxRows?: number) => exported(run, maxRows) } : {}),
    commit: async (batch) => {
      if (batch.clear) return clearAll(parts, run, batch);
      const added = addedLayout(batch);
      if (!added) return run((of) => commitInView(of, batch));
      const done = await run((of) => begin(parts, of, { batch, count: added.count }));
      if (done) await refresh();
      return done;
    },
    grow: (progress, limit) =>
      run(async ({ all, growing }) => {
        // an outdated view may not show that rows are being moved, so it must not report that the
        // move has ended
        const [own] = all;
        if (own) await epochOf(own);
        if (!growing) return undefined;
        await beginMoving(parts, growing);
        const next = await moveNext(growing, parts.rules, progress, limit);
        if (next) return next;
        await finish(parts, growing);
        await refresh();
        return undefined;
      }),
  };
}
/**
 * Commits a batch. Returns undefined if its rows are in several partitions now, but were in one
 * when the caller built the batch. The caller must then build it again.
 */
async function commitInView(
  { store, placement, previous: from }: PartitionView,
  batch: Batch,
): Promise<Committed | undefined> {
  try {
    return await store.commit(batch);
  } catch (error) {
    const isOutdatedBatch =
      from && error instanceof TypeError && !routeAfterGrowth({ placement, from }, batch);
    if (isOutdatedBatch) return undefined;
    throw error;
  }
}
/** Opens each store once, so that values cached for a store are found again. */
function openOnce(open: GrowableParts["open"]): GrowableParts["open"] {
  const opened: Store[] = [];
  return (partition) => (opened[partition] ??= open(partition));
}
/** Stores the new number in all old partitions, which allows their rows to be moved. */
async function beginMoving({ open }: GrowableParts, growing: Growth): Promise<void> {
  for (const partition of rangeOf(1, growing.from.count))
    if (!(await growing.isMoving(partition)))
      await putLayout(open(partition), growing.placement, { mayCreate: true });
}

/**
 * Returns the view of a mount that never grew. To save reads, a process uses this view until a call
 * finds that the mount has grown.
 */
function neverGrown(parts: GrowableParts): PartitionView {
  const layout = { count: parts.count() };
  return viewOf(parts, { layout, rows: rangeOf(0, layout.count).map(() => null) });
}
interface ReadLayouts {
  /** The number of partitions, from the mount's own store. */
  readonly layout: PartitionLayout;
  /**
   * The row that stores the number of partitions, for each partition from which it was read; null
   * if the row does not exist.
   */
  readonly rows: readonly (Row | null)[];
}
/** Builds the view for the stored numbers of partitions. */
function viewOf(parts: GrowableParts, { layout: own, rows }: ReadLayouts): PartitionView {
  const { open, rules, wait = pause } = parts;
  const { count, from = count } = own;
  const layouts = rangeOf(0, count).map((at) => layoutIn(open(at), count, rows[at]));
  const all = layouts.map((layout, at) =>
    checkedPartition(open(at), { rules, layout, isHome: at === 0, isOnly: count === 1 }),
  );
  const placement = placementOf(rules, count);
  if (from === count) return { store: partitionedStore(all, placement, wait), all, placement };
  const growing: Growth = {
    all,
    placement,
    from: placementOf(rules, from),
    isMoving: async (partition) => {
      const row = await layouts[partition]?.load();
      return storedLayout(row?.value).count >= count;
    },
    wait,
  };
  return { store: growingStore(growing), all, placement, growing };
}
/** Reads the number of partitions from the mount's own store, and builds the view. */
async function read(parts: GrowableParts): Promise<PartitionView> {
  const [row] = await parts.open(0).get([partitionKeys.layout]);
  const layout = row ? storedLayout(row.value) : { count: parts.count() };
  return viewOf(parts, { layout, rows: [row ?? null] });
}

/** Yields all rows. Starts over if the number of partitions changes before the first part. */
async function* exported(
  run: <T>(call: (of: PartitionView) => Promise<T>) => Promise<T>,
  maxRows: number | undefined,
): AsyncIterable<readonly ExportedRow[]> {
  const [part, first] = await run(async ({ store }) => {
    await store.get([epochKey]);
    if (!store.export) throw new TypeError("the stores of partitions must support exports");
    const iterator = store.export(maxRows)[Symbol.asyncIterator]();
    return [iterator, await iterator.next()] as const;
  });
  try {
    for (let next = first; !next.done; next = await part.next()) yield next.value;
  } finally {
    await part.return?.();
  }
}

/** Returns the new number of partitions that a batch sets. Returns undefined if it sets none. */
function addedLayout({ put = [] }: Batch): PartitionLayout | undefined {
  for (const [key, value] of put) if (key === partitionKeys.layout) return storedLayout(value);
  return undefined;
}
/**
 * Begins a growth: prepares the new partitions, including their epoch, and then commits the batch
 * with the new number of partitions.
 */
async function begin(
  parts: GrowableParts,
  { all, growing }: PartitionView,
  { batch, count }: { readonly batch: Batch; readonly count: number },
): Promise<Committed | undefined> {
  const { open, rules, wait = pause } = parts;
  if (growing) throw new CaError("conflict", "the mount is already getting more partitions");
  const [home] = all;
  if (!home) throw new TypeError("the mount has no partitions");
  const numbers = await home.list(lastNumberPrefix);
  const epoch = await epochOf(home);
  if (!(await recordStores(home, count, batch))) return undefined;
  const added = rangeOf(all.length, count);
  await Promise.all(added.map((at) => prepare(parts, at, { before: all.length, numbers, epoch })));
  const stores = [...all, ...added.map(open)];
  return partitionedStore(stores, placementOf(rules, count), wait).commit(batch);
}
/**
 * Records in the mount's own store that `count` partitions may have rows. Returns false if the
 * mount was changed concurrently, for example deleted.
 */
async function recordStores(
  home: Store,
  count: number,
  { onlyAtEpoch }: Pick<Batch, "onlyAtEpoch">,
): Promise<boolean> {
  const [row] = await home.get([partitionKeys.stores]);
  if (storedLayout(row?.value).count >= count) return true;
  const recorded = await home.commit({
    ...(onlyAtEpoch === undefined ? {} : { onlyAtEpoch }),
    expect: [[partitionKeys.stores, row?.rev ?? null]],
    put: [[partitionKeys.stores, { count } satisfies PartitionLayout]],
  });
  return recorded !== undefined;
}
/** Prepares a new partition. Throws CaError `storage` if it has spread rows. */
async function prepare(
  parts: GrowableParts,
  partition: number,
  { before, numbers, epoch }: Preparation,
): Promise<void> {
  const store = parts.open(partition);
  const spread = spreadPrefixes(parts.rules);
  const keys = (await store.list("", { limit: maxPreparedRows, values: false })).map(
    ([key]) => key,
  );
  if (
    keys.length === maxPreparedRows ||
    keys.some((key) => spread.some((of) => key.startsWith(of)))
  )
    throw new CaError(
      "storage",
      `the storage of partition ${partition} is in use: restore the mount from a backup`,
    );
  const isNew = await store.commit({
    // an epoch of 0 would mean that the partition has lost its rows
    ...(epoch > 0 ? { epoch } : {}),
    expect: [[partitionKeys.layout, null]],
    put: [
      [partitionKeys.layout, { count: before } satisfies PartitionLayout],
      [
        partitionKeys.logs,
        { numbers: Object.fromEntries(numbers.map(([key, { value }]) => [key, value])) },
      ],
      // entries of the partition's logs continue from the last number used in this mount, so that
      // no number is reused
      ...numbers.map(([key, { value }]) => [key, value] as const),
    ],
  });
  // an interrupted attempt has already prepared the partition, perhaps for another number of
  // partitions
  if (!isNew && epoch > 0) await store.commit({ epoch });
}
/** A number of rows that no prepared partition reaches. */
const maxPreparedRows = 100;
interface Preparation {
  /**
   * Number of partitions before the growth. While a new partition stores this number, rows in it
   * cannot be moved.
   */
  readonly before: number;
  /** The last numbers of the logs in the mount's own store. */
  readonly numbers: readonly (readonly [key: string, row: Row])[];
  readonly epoch: number;
}

/**
 * Stores the number of partitions in one partition, unless another process changes it concurrently.
 * `isCurrent` reports whether the stored number may be replaced. Without `mayCreate`, a partition
 * without a stored number stays unchanged, because its mount was deleted.
 */
async function putLayout(
  store: Store,
  { count }: PartitionLayout,
  {
    del = [],
    isCurrent = ({ count: stored }) => stored <= count,
    mayCreate = false,
  }: PutOptions = {},
): Promise<void> {
  const [row] = await store.get([partitionKeys.layout]);
  // a delayed call must not undo later growth
  if ((!row && !mayCreate) || !isCurrent(storedLayout(row?.value))) return;
  await store.commit({
    expect: [[partitionKeys.layout, row?.rev ?? null]],
    put: [[partitionKeys.layout, { count } satisfies PartitionLayout]],
    del,
  });
}
interface PutOptions {
  readonly del?: readonly string[];
  isCurrent?(stored: PartitionLayout): boolean;
  readonly mayCreate?: boolean;
}
/**
 * Finishes a growth after all rows have reached their new partitions. From then on, no process
 * moves rows or looks for them in their old partitions. Updates the mount's own store last.
 */
async function finish({ open }: GrowableParts, { placement, from }: Growth): Promise<void> {
  for (const partition of rangeOf(from.count, placement.count))
    await putLayout(open(partition), placement, { del: [partitionKeys.deletions] });
  for (const partition of rangeOf(1, from.count)) await putLayout(open(partition), placement);
  const isCurrent = (stored: PartitionLayout): boolean =>
    stored.count === placement.count && stored.from === from.count;
  await putLayout(open(0), placement, { isCurrent });
}

/**
 * Reads the rows with numbers of partitions from the mount's own store. A mount that never grew has
 * neither row.
 */
const numbersOf = ({ open }: GrowableParts) =>
  open(0).get([partitionKeys.layout, partitionKeys.stores]);
const maxCount = ({ count }: GrowableParts, numbers: readonly (Row | undefined)[]): number =>
  Math.max(count(), ...numbers.map((row) => storedLayout(row?.value).count));
/** See `GrowableStore.storeCount`. */
const storeCount = async (parts: GrowableParts): Promise<number> =>
  maxCount(parts, await numbersOf(parts));
/**
 * Commits a batch that clears the stores of all partitions. After an interruption, the mount's own
 * store or its route still has the number of partitions, and the next call clears the rest.
 */
async function clearAll(
  parts: GrowableParts,
  run: <T>(call: (of: PartitionView) => Promise<T>) => Promise<T>,
  batch: Batch,
): Promise<Committed | undefined> {
  const { open } = parts;
  const home = open(0);
  const numbers = await numbersOf(parts);
  if (!numbers.some(Boolean)) return run(({ store }) => store.commit(batch));
  const count = maxCount(parts, numbers);
  const put = [...(batch.put ?? []), [partitionKeys.stores, { count }] as const];
  const { done, cleared } = await run(async ({ store, all }) => ({
    done: await store.commit({ ...batch, put }),
    cleared: all.length,
  }));
  if (!done) return undefined;
  // the other partitions are unknown to this process, or were only prepared
  await Promise.all(rangeOf(cleared, count).map(async (at) => open(at).commit({ clear: true })));
  // until the mount's own store is dropped, a repeated deletion needs the number of partitions
  if (!home.drop) await home.commit({ del: [partitionKeys.stores] });
  return done;
}
/**
 * Drops the stores of all partitions. The mount's own store, which has their number, is dropped
 * last.
 */
async function dropAll(parts: GrowableParts): Promise<void> {
  const { open } = parts;
  await Promise.all(rangeOf(1, await storeCount(parts)).map(async (at) => open(at).drop?.()));
  await open(0).drop?.();
}
