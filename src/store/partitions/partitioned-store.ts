import { deepCopy } from "../../base/encoding.ts";
import { pause } from "../../base/event-loop.ts";
import { maxPartitions, type Placement } from "../../engine/placement.ts";
import type { Batch, Committed, Row, Store } from "../../engine/ports.ts";
import { checkBatch, checkKeys } from "../batch.ts";
import {
  commitEpoch,
  commitInPartition,
  epochOf,
  type PartitionStores,
} from "./partition-epochs.ts";
import { exportPartitions, listPartitions } from "./partition-listing.ts";
import { type Partitions, routeBatch, rowIn, type RoutedBatch } from "./partition-routing.ts";

/**
 * Combines the stores of a mount's partitions, the first of which is the mount's own, into one
 * store. Returns a single store unchanged. `wait` resolves after the given number of milliseconds.
 *
 * - A batch whose rows are in several partitions is rejected with a TypeError.
 * - Rows that are placed with their batch may be listed several times. Deleting them in other
 *   partitions than the batch's is not atomic.
 * - Each partition has its own part of a log, to which its batches append. A listing contains only
 *   the part in the mount's own store; read the others from `partitions`.
 */
export function partitionedStore(
  all: readonly Store[],
  placement: Placement,
  wait: (milliseconds: number) => Promise<void> = pause,
): Store {
  const [home, ...others] = all;
  if (!home || all.length !== placement.count || all.length > maxPartitions)
    throw new TypeError(
      `${placement.count} partitions require ${placement.count} stores, got ${all.length}`,
    );
  if (others.length === 0) return home;
  const at = { all, placement };
  return {
    placement,
    partitions: all,
    async get(keys) {
      checkKeys(keys);
      return getRows(at, keys);
    },
    list: (prefix, page = {}) => listPartitions(at, prefix, page),
    epoch: () => epochOf(home),
    ...(all.some((store) => store.drop)
      ? { drop: async () => void (await Promise.all(all.map(async (store) => store.drop?.()))) }
      : {}),
    ...(all.every((store) => store.export)
      ? { export: (maxRows?: number) => exportPartitions(at, maxRows) }
      : {}),
    async commit(batch) {
      checkBatch(batch);
      return commitIn({ all, wait }, routeBatch(placement, batch));
    },
  };
}

/** The stores of all partitions, the first of which is the mount's own. */
interface AllStores {
  readonly all: readonly Store[];
  wait(milliseconds: number): Promise<void>;
}
/** Commits a batch in its partition. */
export async function commitIn(
  { all, wait }: AllStores,
  routed: RoutedBatch,
): Promise<Committed | undefined> {
  const [home, ...others] = all;
  if (!home) throw new TypeError("the mount has no partitions");
  const done = await commitRouted({ home, others, wait }, routed);
  if (!done) return undefined;
  await follow(all, routed);
  return { ...done, ...rowsOf(done, routed.partition) };
}

const commitRouted = (
  stores: PartitionStores,
  { partition, batch }: RoutedBatch,
): Promise<Committed | undefined> => {
  if (partition > 0) return commitInPartition(stores, partition, batch);
  if (batch.epoch === undefined) return stores.home.commit(batch);
  // the caller may change the values of the batch while other stores are called
  return commitEpoch(stores, deepCopy(batch));
};

const rowsOf = ({ rows }: Committed, partition: number): Pick<Committed, "rows"> =>
  rows ? { rows: rows.map((row) => row && rowIn(partition, row)) } : {};

/**
 * Applies the consequences of a committed batch to the other partitions: clears them, or deletes
 * rows that were placed with their batch.
 */
async function follow(
  all: readonly Store[],
  { partition, batch: { clear }, others }: RoutedBatch,
): Promise<void> {
  await Promise.all(
    all.map(async (store, other) => {
      if (other === partition) return;
      if (clear) return store.commit({ clear });
      const batch: Batch | undefined = others.get(other);
      // if this fails, a job is left and runs once more, which is harmless
      return batch && store.commit(batch).catch(() => undefined);
    }),
  );
}

async function getRows(
  { all, placement }: Partitions,
  keys: readonly string[],
): Promise<readonly (Row | undefined)[]> {
  const places = keys.map((key) => placement.placeOf(key));
  const found: (Row | undefined)[] = keys.map(() => undefined);
  await Promise.all(
    all.map(async (store, partition) => {
      const wanted = places.flatMap((place, i) =>
        place === "batch" || place === partition ? [i] : [],
      );
      if (wanted.length === 0) return;
      const rows = await store.get(wanted.map((i) => keys[i] ?? ""));
      for (const [n, i] of wanted.entries()) {
        const row = rows[n];
        if (row) found[i] ??= rowIn(partition, row);
      }
    }),
  );
  return found;
}
