import { type Placement, maxPartitions } from "../../engine/placement.ts";
import type { Batch, Expect, Row, Store } from "../../engine/ports.ts";
import { pageKey } from "../batch.ts";

// A revision in a partitioned store also encodes the partition, because rows that are placed with
// their batch may have the same key in several partitions. Revisions in the mount's own store are
// unchanged, so that they stay valid when the mount gets more partitions.

/** The stores of all partitions by number, and the placement of their rows. */
export interface Partitions {
  readonly all: readonly Store[];
  readonly placement: Placement;
}

/**
 * The first revision of partitions other than the mount's own store. Revisions in the mount's own
 * store never become this large.
 */
const firstOther = 2 ** 46;
/** Returns the revision in the partitioned store of a row with revision `rev` in a partition. */
export const revIn = (partition: number, rev: number): number =>
  partition === 0 ? rev : firstOther + rev * maxPartitions + partition;
const partitionIn = (rev: number): number =>
  rev < firstOther ? 0 : (rev - firstOther) % maxPartitions;
const revWithin = (rev: number): number =>
  rev < firstOther ? rev : Math.floor((rev - firstOther) / maxPartitions);
/** Returns a row of a partition with its revision in the partitioned store. */
export const rowIn = (partition: number, row: Row): Row =>
  partition === 0 ? row : { ...row, rev: revIn(partition, row.rev) };

/** A batch, and the partition that commits it. */
export interface RoutedBatch {
  readonly partition: number;
  readonly batch: Batch;
  /** Batches for other partitions, which delete rows that were placed with their batch. */
  readonly others: ReadonlyMap<number, Batch>;
}

/**
 * Determines the partition that commits a batch: the partition of its rows or, if they have no
 * fixed place, of the rows that it expects or reads. Throws TypeError if its rows are in several
 * partitions, because no commit spans partitions.
 */
export function routeBatch(placement: Placement, batch: Batch): RoutedBatch {
  const fixed = partitionOf(placement, batch);
  const floating = (key: string): boolean => placement.placeOf(key) === "batch";
  const { read, ...rest } = batch;
  const { expect = [], del = [] } = rest;
  const known = expect.flatMap(([key, rev]) =>
    rev !== null && floating(key) ? [{ key, rev, partition: partitionIn(rev) }] : [],
  );
  const partition = fixed ?? known[0]?.partition ?? partitionRead(placement, read) ?? 0;
  const elsewhere = known.filter((one) => one.partition !== partition);
  if (fixed !== undefined && elsewhere[0])
    throw new TypeError(
      `a batch of partition ${fixed} expects ${elsewhere[0].key} in another partition`,
    );
  const isExpected = new Set(known.map(({ key }) => key));
  const isHere = new Set(known.filter((one) => one.partition === partition).map(({ key }) => key));
  // does not delete a row expected in another partition: this partition may have a new row with the
  // same key
  const own = del.filter((key) => !isExpected.has(key) || isHere.has(key));
  return {
    partition,
    batch: {
      ...rest,
      ...(rest.expect && { expect: expectWithin(placement, expect, partition) }),
      ...(rest.del && { del: own }),
      // if a row is elsewhere, the caller reads the rows separately
      ...(read?.every((key) => placement.placeOf(key) === partition) && { read }),
    },
    others: deletionsOf(placement, partition, {
      known: elsewhere,
      unknown: del.filter((key) => floating(key) && !isExpected.has(key)),
    }),
  };
}

/**
 * The placement of a mount's rows before it got more partitions (`from`), and the current
 * placement.
 */
interface ChangedPlacement {
  readonly placement: Placement;
  readonly from: Placement;
}
/**
 * Routes a batch as `routeBatch` does. Returns undefined if the rows of the batch are in several
 * partitions now, but were in one before the mount grew. The caller must then build the batch
 * again.
 */
export function routeAfterGrowth(
  { placement, from }: ChangedPlacement,
  batch: Batch,
): RoutedBatch | undefined {
  try {
    return routeBatch(placement, batch);
  } catch (error) {
    // throws the same error if the rows were never in one partition
    routeBatch(from, batch);
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Returns the partition of a batch's rows. Returns undefined if all of them are placed with their
 * batch. Throws TypeError if they are in several partitions.
 */
function partitionOf(
  placement: Placement,
  { expect = [], put = [], del = [], append = [] }: Batch,
): number | undefined {
  const keys = [
    ...expect.map(([key]) => key),
    ...put.map(([key]) => key),
    ...del,
    // all pages under a prefix must be in one partition; checking the first two page numbers
    // suffices
    ...append.flatMap(([prefix]) => [pageKey(prefix, 0), pageKey(prefix, 1)]),
  ];
  let found: { readonly key: string; readonly place: number } | undefined;
  for (const key of keys) {
    const place = placement.placeOf(key);
    if (place === "batch") continue;
    found ??= { key, place };
    if (found.place !== place)
      throw new TypeError(
        `a batch has rows of partitions ${found.place} and ${place}: ${found.key} and ${key}`,
      );
  }
  return found?.place;
}
function partitionRead(placement: Placement, read: Batch["read"] = []): number | undefined {
  const [place] = read.map((key) => placement.placeOf(key));
  return place === "batch" ? undefined : place;
}

/** Returns a batch's expectations with the revisions that the partition itself uses. */
const expectWithin = (
  placement: Placement,
  expect: NonNullable<Batch["expect"]>,
  partition: number,
): NonNullable<Batch["expect"]> =>
  expect.flatMap(([key, rev]): readonly Expect[] => {
    if (rev === null) return [[key, null]];
    if (partitionIn(rev) === partition) return [[key, revWithin(rev)]];
    // a row with a fixed place never has a revision of another partition, so use a revision that no
    // row has
    return placement.placeOf(key) === "batch" ? [] : [[key, -1]];
  });

interface ExpectedRevision {
  readonly key: string;
  readonly rev: number;
  readonly partition: number;
}
/**
 * Returns the deletions for other partitions. A row is deleted in the partition where it is
 * expected, or in all if it is not expected.
 */
function deletionsOf(
  { count }: Placement,
  partition: number,
  {
    known,
    unknown,
  }: { readonly known: readonly ExpectedRevision[]; readonly unknown: readonly string[] },
): ReadonlyMap<number, Batch> {
  const batches = new Map<number, Batch>();
  for (let other = 0; other < count; other++) {
    if (other === partition) continue;
    const expected = known.filter((one) => one.partition === other);
    const del = [...unknown, ...expected.map(({ key }) => key)];
    const expect = expected.map(({ key, rev }) => [key, revWithin(rev)] as const);
    if (del.length > 0) batches.set(other, { expect, del });
  }
  return batches;
}
