import type { Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";
import { contextOf, storesWithLogs } from "../engine/partition-stores.ts";

/**
 * Frees the space of a deleted mount. Deleting its rows does not shrink its database; dropping the
 * database does.
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
    // an unfinished deletion is repeated by its caller
    if ((await ca.pathOf(contextOf(store))) === undefined) await ca.ports.stores(store).drop?.();
  },
};
