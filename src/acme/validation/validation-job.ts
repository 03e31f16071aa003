import { importOnce } from "../../base/memo.ts";
import type { Job } from "../../engine/deployment.ts";
import { acmeValidation } from "../rows/prefixes.ts";

/** Imported on demand, when there is a challenge to validate. */
const start = importOnce(() => import("./start.ts"));

/**
 * The job that starts due validations. They continue and store their results after the step, so
 * that the job does not wait for slow servers. If the process ends before that, the rows are still
 * due, and a later run of the job starts the validations again. That run is scheduled as long as a
 * validation is running.
 */
export const validationJob: Job = {
  kind: acmeValidation,
  of: "mount",
  budget: 1,
  async step(mount, id) {
    // work that outlives a request must not start in that request
    if (mount.ports.once) return mount.ports.once(mount.name, acmeValidation, id);
    return (await start()).startDue(mount);
  },
};
