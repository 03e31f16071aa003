import { CaError } from "../../../src/base/errors.ts";
import {
  partitionKeys,
  type GrowableStore,
  type GrowthProgress,
} from "../../../src/engine/partition-layout.ts";
import type { PlacementRules } from "../../../src/engine/placement.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { growableStore } from "../../../src/store/partitions/growable-store.ts";
import { memoryStoreOf } from "../../../src/store/memory.ts";

/** Rules like those of a mount. */
export const rules: PlacementRules = [
  ["cert/", "spread"],
  ["metadata/", "spread"],
  ["page/", "slot"],
  ["order/", "id"],
  ["job/", "batch"],
];

/** Returns the partitions of one mount, which are created when first used. */
export function partitionsOf(): (partition: number) => Store {
  const stores = new Map<number, Store>();
  return (partition) => {
    const store = stores.get(partition) ?? memoryStoreOf();
    stores.set(partition, store);
    return store;
  };
}
/** Opens the store of a mount like a process that knows an outdated number of partitions. */
export const openMount = (
  open: (partition: number) => Store,
  count = 1,
  wait: () => Promise<void> = async () => undefined,
): GrowableStore => growableStore({ open, rules, count: () => count, wait });

/** Starts a growth, as the endpoint does. */
export async function beginGrowth(store: Store, to: number, from: number): Promise<boolean> {
  const [row] = await store.get([partitionKeys.growth]);
  const done = await store.commit({
    epoch: "next",
    expect: [[partitionKeys.growth, row?.rev ?? null]],
    put: [
      [partitionKeys.layout, { count: to, from }],
      [partitionKeys.growth, { source: 0, after: "", moved: 0 } satisfies GrowthProgress],
    ],
  });
  return done !== undefined;
}
/** Runs one step of a growth, as its job does. Returns false if there is nothing more to do. */
export async function growStep(store: GrowableStore, limit: number): Promise<boolean> {
  const [row] = await store.get([partitionKeys.growth]);
  if (!row) return false;
  // only `beginGrowth` and this function write the row
  const next = await store.grow(row.value as GrowthProgress, limit);
  const expect = [[partitionKeys.growth, row.rev] as const];
  await store.commit(
    next
      ? { expect, put: [[partitionKeys.growth, next]] }
      : { expect, del: [partitionKeys.growth] },
  );
  return true;
}

/** Returns pseudo-random numbers from 0 to 1 (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
/** Returns the error of a lost call. */
export const lost = (what: string): CaError => new CaError("storage", what);
