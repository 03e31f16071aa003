import { importOnce } from "../../base/memo.ts";
import type { Job } from "../../engine/deployment.ts";
import { acmeValidation } from "../rows/records.ts";

/** Loaded when there is a challenge to validate. */
const start = importOnce(() => import("./start.ts"));

/**
 * Starts due validations. They continue after the step, so that the job does not wait for slow
 * servers, and store their results. If the engine ends before that, the rows are still due, and a
 * later run of the job, which is scheduled as long as a validation runs, starts them again.
 */
export const validationJob: Job = {
  kind: acmeValidation,
  of: "mount",
  budget: 1,
  async step(ca, id) {
    // work that outlives a request must not start in that request
    if (ca.ports.once) return ca.ports.once(ca.name, acmeValidation, id);
    return (await start()).startDue(ca);
  },
};
