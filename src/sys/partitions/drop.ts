import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { isGrowable } from "../../engine/partition-layout.ts";
import { contextOf, partitionName } from "../../engine/partition-stores.ts";
import { growthOf } from "./growth-row.ts";

/**
 * Delay in ms before the space of a growing mount is freed. By then, running steps of the growth
 * have ended; until they end, they may still write to the mount's partitions.
 */
const growthDelay = 60_000;

/** Returns how many partitions of a mount have rows, and when their space can be freed. */
async function partitionsToDrop({ store, ports }: Mount) {
  const now = ports.now();
  if (!isGrowable(store)) return { count: store.placement?.count ?? 1, due: now, now };
  const growth = await growthOf({ store });
  const count = await store.storeCount();
  const isGrowing = growth !== undefined || count > (store.placement?.count ?? 1);
  return { count, due: isGrowing ? now + growthDelay : now, now };
}

/**
 * The job that frees the space of a deleted mount. Deleting the rows does not shrink the database;
 * dropping the database does.
 */
export const mountDrop: Job = {
  kind: "drop",
  of: "deployment",
  removal: async (mount) => {
    const { count, ...planned } = await partitionsToDrop(mount);
    return Array.from({ length: count }, (_, partition) => partitionName(mount.name, partition))
      .filter((name) => mount.ports.stores(name).drop)
      .map((name) => jobRow(planned, "drop", name));
  },
  budget: 1,
  step: async (deployment, store) => {
    // does nothing while the deletion is unfinished, because the caller will retry it
    if ((await deployment.pathOf(contextOf(store))) === undefined)
      await deployment.ports.stores(store).drop?.();
  },
};
