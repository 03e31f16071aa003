import type { Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";

/**
 * Gives back the space of a mount that was removed. Its rows are deleted with it; a database that
 * has held many stays as large as it was until it is dropped.
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
    // a removal that did not come to its end is done again, by whoever asked for it
    if ((await ca.pathOf(id)) === undefined) await ca.storeContext(id).store.drop?.();
  },
};
