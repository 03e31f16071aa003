import { CaError } from "../base/errors.ts";
import type { Batch, Committed, Store } from "../engine/ports.ts";
import { epochKey } from "./batch.ts";

// A partition commits a batch that names an epoch only at exactly that epoch. Before the home
// store commits a change of the configuration, every partition has the new epoch:
// docs/architecture.md, "Partitions".

/** The stores of a partitioned store. */
export interface PartitionStores {
  /** The mount's own store, with the configuration and the epoch. */
  readonly home: Store;
  /** The other partitions. */
  readonly others: readonly Store[];
  /** Waits for some milliseconds. */
  wait(milliseconds: number): Promise<void>;
}

/** Returns the epoch of a store. */
export async function epochOf(store: Store): Promise<number> {
  if (store.epoch) return store.epoch();
  const [row] = await store.get([epochKey]);
  return typeof row?.value === "number" ? row.value : 0;
}

/** Maximum attempts at a change of the epoch; one of the concurrent writers succeeds per round. */
const maxTries = 100;

/**
 * Commits a batch of the home store that changes the epoch, after every partition has the new one.
 * If a partition cannot be reached, nothing is committed.
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
    // it does not matter that rows were lost if all are deleted
    const raised = await raise(stores, next, batch.clear ? undefined : epoch);
    const done = await home.commit({ ...batch, epoch: raised, onlyAtEpoch: epoch });
    if (done) return done;
    if ((await epochOf(home)) === epoch) {
      // an expected row was changed meanwhile: without this, the partitions would wait for a change
      await home.commit({ epoch: raised });
      return undefined;
    }
  }
  throw new CaError("busy", "the configuration keeps changing; try again");
}

/** Returns the epoch of a store if the conditions of a batch hold there. */
async function epochIfMet(
  home: Store,
  { expect = [], onlyAtEpoch }: Batch,
): Promise<number | undefined> {
  const [row, ...rows] = await home.get([epochKey, ...expect.map(([key]) => key)]);
  const epoch = typeof row?.value === "number" ? row.value : 0;
  const isMet =
    (onlyAtEpoch === undefined || onlyAtEpoch === epoch) &&
    expect.every(([, rev], at) => (rows[at]?.rev ?? null) === rev);
  return isMet ? epoch : undefined;
}

/**
 * Raises the epoch of all partitions to at least `next`, and returns their epoch. With `from`, the
 * epoch of the home store, it throws CaError `storage` if a partition has lost its rows.
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
            // one call, unless the partition has another epoch than the home store
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
    // those that were raised commit again once the home store has that epoch
    await home.commit({ epoch: target }).catch(() => undefined);
    throw error;
  }
}

/** Delays between reads of the home store's epoch: in ms, doubled up to the maximum. */
const [firstDelay, maxDelay] = [5, 640];

/**
 * Commits a batch of a partition. If the partition has another epoch than the batch, the batch does
 * not apply, and the epochs are made equal, so that the next attempt can succeed.
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
 * Resolves when the home store has the epoch of a partition. A writer that raised the partition is
 * about to commit. After more than a second it counts as lost: the home store then gets the epoch
 * without a change.
 */
async function followPartition({ home, wait }: PartitionStores, epoch: number): Promise<void> {
  for (let delay = firstDelay; delay <= maxDelay; delay *= 2) {
    if ((await epochOf(home)) >= epoch) return;
    await wait(delay);
  }
  await home.commit({ epoch });
}

/**
 * Raises a partition that could not be reached when the home store got an epoch without a change.
 * Throws CaError `storage` for one that lost its rows.
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
