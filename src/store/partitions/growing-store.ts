import { type GrowthProgress, partitionKeys } from "../../engine/partition-layout.ts";
import type { Placement, PlacementRules } from "../../engine/placement.ts";
import type { Batch, ExportedRow, Row, Store } from "../../engine/ports.ts";
import { afterPrefix, checkBatch, checkKeys, copyPage, pageKey } from "../batch.ts";
import { type MovedRevisions, moveRows } from "./move-rows.ts";
import { exportPartitions, listPartitions, mergeListings } from "./partition-listing.ts";
import {
  type Partitions,
  revIn,
  routeAfterGrowth,
  routeBatch,
  type RoutedBatch,
} from "./partition-routing.ts";
import { commitIn, partitionedStore } from "./partitioned-store.ts";

/** The partitions of a mount while their number grows. */
export interface Growth {
  readonly all: readonly Store[];
  readonly placement: Placement;
  /** The placement before the growth. */
  readonly from: Placement;
  /** Reports whether the rows of a partition may have been moved. */
  isMoving(partition: number): Promise<boolean>;
  /** Resolves after the given number of milliseconds. */
  wait(milliseconds: number): Promise<void>;
}
/** Returns the integers from `from` (inclusive) to `to` (exclusive). */
export const rangeOf = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);

/**
 * Returns a store whose rows may be in their old or in their new partition. Reads look in the old
 * partition first, because rows move only from there to the new one. Writes first move the rows
 * that they touch.
 */
export function growingStore(growing: Growth): Store {
  const { all, placement, from, wait } = growing;
  const next = partitionedStore(all, placement, wait);
  const before = partitionedStore(all.slice(0, from.count), from, wait);
  const isMovable = movableIn(growing);
  return {
    ...next,
    async get(keys) {
      checkKeys(keys);
      const requested = [...keys];
      const movable = requested.filter(isMovable);
      if (movable.length === 0) return next.get(requested);
      const others = requested.filter((key) => !isMovable(key));
      const [stored, old] = await Promise.all([next.get(others), before.get(movable)]);
      const missing = movable.filter((_, at) => old[at] === undefined);
      const moved = missing.length > 0 ? await next.get(missing) : [];
      const rows = new Map<string, Row | undefined>([
        ...others.map((key, at) => [key, stored[at]] as const),
        ...movable.map((key, at) => [key, old[at]] as const),
        ...missing.map((key, at) => [key, moved[at]] as const),
      ]);
      return requested.map((key) => rows.get(key));
    },
    async list(prefix, page = {}) {
      const added = addedPartitions(growing);
      if (added.placement.partitionsBelow(prefix).length === 0) return next.list(prefix, page);
      const copy = copyPage(page);
      const old = await before.list(prefix, copy);
      const moved = await listPartitions(added, prefix, copy);
      const isMoved = new Set(moved.map(([key]) => key));
      const rest = old.filter(([key]) => !(isMovable(key) && isMoved.has(key)));
      return mergeListings([rest, moved], copy);
    },
    ...(next.export ? { export: (maxRows?: number) => exportAll(growing, maxRows) } : {}),
    async commit(batch) {
      checkBatch(batch);
      const routed = routeAfterGrowth(growing, batch);
      if (!routed) return undefined;
      const written = writtenRows(batch, isMovable);
      if (written.keys.length + written.appended.length === 0) return next.commit(batch);
      const source = routed.partition % from.count;
      if (!(await growing.isMoving(source))) return before.commit(batch);
      const between = { source, target: routed.partition };
      const moved = await moveWritten(growing, between, written);
      const current = routeBatch(placement, expectMoved(batch, moved, between));
      const isDeletion = batch.del?.some(isMovable) ?? false;
      return commitIn({ all, wait }, isDeletion ? withMarker(current) : current);
    },
  };
}

/** Returns the partitions that the growth adds, for a listing. */
const addedPartitions = ({ all, placement, from }: Growth): Partitions => ({
  all,
  placement: {
    ...placement,
    partitionsBelow: (prefix) =>
      placement.partitionsBelow(prefix).filter((partition) => partition >= from.count),
  },
});
/** The numbers of the partitions from and to which the rows of a batch move. */
interface MoveDirection {
  readonly source: number;
  readonly target: number;
}
/** The movable rows of a batch. */
interface WrittenRows {
  readonly keys: readonly string[];
  /** Prefixes of pages to which the batch appends. */
  readonly appended: readonly string[];
}
/** Moves the rows that a batch writes, and the pages to which it appends. */
async function moveWritten(
  growing: Growth,
  { source, target }: MoveDirection,
  { keys, appended }: WrittenRows,
): Promise<ReadonlyMap<string, MovedRevisions>> {
  const move = moveBetween(growing, source, target);
  // an append extends the last page, so all earlier pages must be in the new partition
  const pages = await keysBelow(move.source, appended);
  return moveRows(move, [...new Set([...keys, ...pages])]);
}

/** Returns a function that reports whether a row moves to another partition. */
const movableIn =
  ({ placement, from }: Growth) =>
  (key: string): boolean => {
    const place = placement.placeOf(key);
    return typeof place === "number" && place >= from.count;
  };
function moveBetween({ all }: Growth, from: number, to: number) {
  const [source, target] = [all[from], all[to]];
  if (!source || !target) throw new TypeError(`the mount has no partition ${Math.max(from, to)}`);
  return { source, target };
}

async function keysBelow(store: Store, prefixes: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(prefixes.map((prefix) => store.list(prefix, { values: false })));
  return lists.flat().map(([key]) => key);
}
const writtenRows = (
  { expect = [], put = [], del = [], append = [] }: Batch,
  isMovable: (key: string) => boolean,
): WrittenRows => ({
  keys: [...new Set([...expect.map(([key]) => key), ...put.map(([key]) => key), ...del])].filter(
    isMovable,
  ),
  appended: append.map(([prefix]) => prefix).filter((prefix) => isMovable(pageKey(prefix, 0))),
});

/**
 * Returns the batch with the current revisions of expected rows that were moved and not changed
 * otherwise.
 */
function expectMoved(
  batch: Batch,
  moved: ReadonlyMap<string, MovedRevisions>,
  { source, target }: MoveDirection,
): Batch {
  const { expect } = batch;
  if (!expect || moved.size === 0) return batch;
  return {
    ...batch,
    expect: expect.map(([key, rev]) => {
      const row = moved.get(key);
      return row?.after !== undefined && rev === revIn(source, row.before)
        ? [key, revIn(target, row.after)]
        : [key, rev];
    }),
  };
}
/** Returns the batch with a change of the deletion marker; see `moveRows`. */
const withMarker = (routed: RoutedBatch): RoutedBatch => ({
  ...routed,
  batch: { ...routed.batch, put: [...(routed.batch.put ?? []), [partitionKeys.deletions, true]] },
});

/**
 * Yields all rows. Begins the export of the old partitions first, so that every row is in at least
 * one of the two exports. A row that is moved in between is in both.
 */
async function* exportAll(
  { all, placement, from }: Growth,
  maxRows?: number,
): AsyncIterable<readonly ExportedRow[]> {
  const old = exportPartitions({ all, placement: from }, maxRows, rangeOf(0, from.count));
  const moved = exportPartitions({ all, placement }, maxRows, rangeOf(from.count, placement.count));
  const parts = [old[Symbol.asyncIterator](), moved[Symbol.asyncIterator]()];
  const first: IteratorResult<readonly ExportedRow[]>[] = [];
  try {
    for (const part of parts) first.push(await part.next());
    for (const [at, part] of parts.entries())
      for (let next = first[at]; next && !next.done; next = await part.next()) yield next.value;
  } finally {
    for (const part of parts) await part.return?.();
  }
}

/**
 * Maximum number of rows with a slot that a step examines: these are pages of up to 64 KiB, while
 * other rows have a few KiB.
 */
const maxPagesPerStep = 100;

/**
 * Examines at most `limit` rows, moves those that belong to another partition, and returns where to
 * continue. Returns undefined after the last row of the last partition.
 */
export async function moveNext(
  growing: Growth,
  rules: PlacementRules,
  { source, after, moved }: GrowthProgress,
  limit: number,
): Promise<GrowthProgress | undefined> {
  const { all, from } = growing;
  const store = all[source];
  if (!store || source >= from.count) return undefined;
  for (const [prefix, rule] of rules.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (rule === "batch" || after >= afterPrefix(prefix)) continue;
    const maxRows = rule === "slot" ? Math.min(limit, maxPagesPerStep) : limit;
    const page = { values: false, limit: maxRows, ...(after > prefix ? { after } : {}) };
    const keys = (await store.list(prefix, page)).map(([key]) => key);
    const last = keys.at(-1);
    if (last === undefined) continue;
    const count = await moveAll(growing, source, keys.filter(movableIn(growing)));
    return { source, after: last, moved: moved + count };
  }
  return { source: source + 1, after: "", moved };
}
/** Moves rows of one partition to their new partitions, and returns the number of moved rows. */
async function moveAll(growing: Growth, source: number, keys: readonly string[]): Promise<number> {
  let count = 0;
  for (const target of new Set(keys.map((key) => growing.placement.placeOf(key)))) {
    if (target === "batch") continue;
    const some = keys.filter((key) => growing.placement.placeOf(key) === target);
    count += (await moveRows(moveBetween(growing, source, target), some)).size;
  }
  return count;
}
