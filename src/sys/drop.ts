import type { Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";
import { isGrowable } from "../engine/partition-layout.ts";
import {
  contextOf,
  type NamedStore,
  partitionName,
  storesWithLogs,
} from "../engine/partition-stores.ts";
import type { Stores } from "../engine/store.ts";

/** Returns the stores of a mount, including those of partitions that this process does not know. */
async function storesOf(context: NamedStore, stores: Stores): Promise<readonly NamedStore[]> {
  const { name, store } = context;
  if (!isGrowable(store)) return storesWithLogs(context);
  return Array.from({ length: await store.storeCount() }, (_, partition) => {
    const own = partitionName(name, partition);
    return { name: own, store: stores(own) };
  });
}

/**
 * The job that frees the space of a deleted mount. Deleting the rows does not shrink the database;
 * dropping the database does.
 */
export const mountDrop: Job = {
  kind: "drop",
  of: "deployment",
  removal: async ({ ports, storeContext }) => {
    const now = ports.now();
    return (await storesOf(storeContext, ports.stores))
      .filter(({ store }) => store.drop)
      .map(({ name }) => jobRow({ due: now, now }, "drop", name));
  },
  budget: 1,
  step: async (ca, store) => {
    // does nothing while the deletion is unfinished, because its caller repeats it
    if ((await ca.pathOf(contextOf(store))) === undefined) await ca.ports.stores(store).drop?.();
  },
};
