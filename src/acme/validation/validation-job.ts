import { importOnce } from "../../base/import-once.ts";
import type { Job } from "../../engine/deployment.ts";
import { acmeValidation } from "../rows/records.ts";

/** Loaded when there is a challenge to validate. */
const start = importOnce(() => import("./start.ts"));

/**
 * Starts the validations that are due. They go on when its step has ended, so that nothing waits
 * for a server that does not answer; what comes of them are rows. If this engine ends meanwhile,
 * the rows are due still, and a later run of the job, which is planned as long as any is under way,
 * starts them anew.
 */
export const validationJob: Job = {
  kind: acmeValidation,
  of: "mount",
  budget: 1,
  async step(ca, id) {
    // what goes on when a request has ended must not be begun in one
    if (ca.ports.once) return ca.ports.once(ca.name, acmeValidation, id);
    return (await start()).startDue(ca);
  },
};
