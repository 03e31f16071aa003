import { CaError } from "../../base/errors.ts";
import type { Batch, Committed, Store } from "../../engine/ports.ts";
import { epochIn, epochKey } from "../batch.ts";

// A partition commits a batch with `onlyAtEpoch` only at exactly that epoch. Every partition has
// the new epoch before the home store commits a change of the configuration
// (docs/partitions.md#the-epoch).

/** The stores of a mount's partitions. */
export interface PartitionStores {
  /** The mount's own store, with the configuration and the epoch. */
  readonly home: Store;
  /** The other partitions. */
  readonly others: readonly Store[];
  /** Resolves after the given number of milliseconds. */
  wait(milliseconds: number): Promise<void>;
}

/** Returns the epoch of a store. */
export async function epochOf(store: Store): Promise<number> {
  if (store.epoch) return store.epoch();
  const [row] = await store.get([epochKey]);
  return epochIn(row);
}

/**
 * Maximum number of attempts to change the epoch. In each round, one of the concurrent writers
 * succeeds.
 */
const maxTries = 100;

/**
 * Commits a batch that changes the epoch to the home store, after raising the epoch of every
 * partition. Commits nothing if a partition cannot be reached.
 */
export async function commitEpoch(
  stores: PartitionStores,
  batch: Batch,
): Promise<Committed | undefined> {
  const { home } = stores;
  const { epoch: wanted } = batch;
  for (let left = maxTries; left > 0; left--) {
    const epoch = await epochIfMet(home, batch);
    if (epoch === undefined) return undefined;
    const next = typeof wanted === "number" ? wanted : epoch + 1;
    if (next <= epoch) return home.commit(batch);
    // lost rows do not matter if the batch deletes all rows
    const raised = await raise(stores, next, batch.clear ? undefined : epoch);
    const done = await home.commit({ ...batch, epoch: raised, onlyAtEpoch: epoch });
    if (done) return done;
    if ((await epochOf(home)) === epoch) {
      // an expected row was changed concurrently; without this commit, the partitions would wait
      // for a change of the configuration that never comes
      await home.commit({ epoch: raised });
      return undefined;
    }
  }
  throw new CaError("busy", "the configuration keeps changing; try again");
}

/**
 * Returns the epoch of the home store. Returns undefined if the conditions of a batch do not hold
 * there.
 */
async function epochIfMet(
  home: Store,
  { expect = [], onlyAtEpoch }: Batch,
): Promise<number | undefined> {
  const [row, ...rows] = await home.get([epochKey, ...expect.map(([key]) => key)]);
  const epoch = epochIn(row);
  const isMet =
    (onlyAtEpoch === undefined || onlyAtEpoch === epoch) &&
    expect.every(([, rev], at) => (rows[at]?.rev ?? null) === rev);
  return isMet ? epoch : undefined;
}

/**
 * Raises the epoch of all other partitions to at least `next`, and returns their new epoch. If
 * `from` (the epoch of the home store) is given, throws CaError `storage` if a partition has lost
 * its rows.
 */
async function raise(
  { home, others }: PartitionStores,
  next: number,
  from: number | undefined,
): Promise<number> {
  let target = next;
  try {
    for (;;) {
      const to = target;
      const epochs = await Promise.all(
        others.map(async (store, other) => {
          if (from !== undefined) {
            // a single call suffices unless the epoch of the partition differs from the home
            // store's
            if (await store.commit({ epoch: to, onlyAtEpoch: from })) return to;
            if (from > 0 && (await epochOf(store)) === 0) throw lostRows(other + 1);
          }
          return (await store.commit({ epoch: to })) ? to : epochOf(store);
        }),
      );
      target = Math.max(to, ...epochs);
      if (target === to) return to;
    }
  } catch (error) {
    // partitions whose epoch was raised commit again as soon as the home store has the same epoch
    await home.commit({ epoch: target }).catch(() => undefined);
    throw error;
  }
}

/** First and maximum delay between reads of the home store's epoch, in ms; doubled each time. */
const [firstDelay, maxDelay] = [5, 640];

/**
 * Commits a batch to a partition other than the home store. Commits nothing if the partition's
 * epoch differs from the batch's `onlyAtEpoch`. Instead makes the epochs of the partition and the
 * home store equal, so that the next attempt can succeed.
 */
export async function commitInPartition(
  stores: PartitionStores,
  partition: number,
  batch: Batch,
): Promise<Committed | undefined> {
  const store = stores.others[partition - 1];
  if (!store) throw new TypeError(`the mount has no partition ${partition}`);
  if (batch.epoch !== undefined)
    throw new TypeError("a batch of a partition must not change the epoch");
  const done = await store.commit(batch);
  const { onlyAtEpoch } = batch;
  if (done || onlyAtEpoch === undefined) return done;
  const epoch = await epochOf(store);
  if (epoch > onlyAtEpoch) await followPartition(stores, epoch);
  else if (epoch < onlyAtEpoch) await catchUp(store, partition, { epoch, to: onlyAtEpoch });
  return undefined;
}

/**
 * Resolves when the home store has reached the epoch of a partition: the writer that raised the
 * partition's epoch is about to commit. After more than a second, this writer counts as lost, and
 * the home store is raised to that epoch without any other change.
 */
async function followPartition({ home, wait }: PartitionStores, epoch: number): Promise<void> {
  for (let delay = firstDelay; delay <= maxDelay; delay *= 2) {
    if ((await epochOf(home)) >= epoch) return;
    await wait(delay);
  }
  await home.commit({ epoch });
}

/**
 * Raises the epoch of a partition that was unreachable when the home store's epoch was raised
 * alone. Throws CaError `storage` if the partition has lost its rows.
 */
async function catchUp(
  store: Store,
  partition: number,
  { epoch, to }: { readonly epoch: number; readonly to: number },
): Promise<void> {
  if (epoch === 0) throw lostRows(partition);
  await store.commit({ epoch: to });
}

const lostRows = (partition: number): CaError =>
  new CaError(
    "storage",
    `the storage of partition ${partition} is empty: restore the mount from a backup`,
  );
