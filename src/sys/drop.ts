import type { Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";

/**
 * Frees the space of a deleted mount. Deleting its rows does not shrink its database; dropping the
 * database does.
 */
export const mountDrop: Job = {
  kind: "drop",
  of: "deployment",
  removal: async ({ name, ports, store }) => {
    const now = ports.now();
    return store.drop ? [jobRow({ due: now, now }, "drop", name)] : [];
  },
  budget: 1,
  step: async (ca, id) => {
    // an unfinished deletion is repeated by its caller
    if ((await ca.pathOf(id)) === undefined) await ca.storeContext(id).store.drop?.();
  },
};
