import type { Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";
import { contextOf, storesWithLogs } from "../engine/partition-stores.ts";

/**
 * The job that frees the space of a deleted mount. Deleting the rows does not shrink the database;
 * dropping the database does.
 */
export const mountDrop: Job = {
  kind: "drop",
  of: "deployment",
  removal: async ({ ports, storeContext }) => {
    const now = ports.now();
    return storesWithLogs(storeContext)
      .filter(({ store }) => store.drop)
      .map(({ name }) => jobRow({ due: now, now }, "drop", name));
  },
  budget: 1,
  step: async (ca, store) => {
    // not if the deletion is unfinished, because its caller repeats it
    if ((await ca.pathOf(contextOf(store))) === undefined) await ca.ports.stores(store).drop?.();
  },
};
