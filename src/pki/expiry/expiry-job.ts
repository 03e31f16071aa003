import type { Deployment, Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import { eventListener } from "../../events/event-listener.ts";
import { eventExpiryKind, expiryInterval } from "../../events/expiry-schedule.ts";
import { sinkNames } from "../../events/sink-rows.ts";
import { raiseExpiring } from "./expiring.ts";

/** Progress of a run: the UUID of the last mount that was completed. */
interface Progress {
  readonly after: string;
}

/**
 * The job that raises the events about expiry, one mount at a time. It schedules its next run as
 * long as events have a recipient.
 */
export const eventExpiry: Job<Progress> = {
  kind: eventExpiryKind,
  of: "deployment",
  budget: 1000,
  step: async (deployment, _, progress) => {
    const { sys } = deployment;
    const stores = (await sinkNames(sys.store)).length > 0;
    if (!stores && !eventListener(sys)) return undefined;
    const after = progress?.after ?? "";
    const next = (await mountIds(deployment)).find((id) => id > after);
    if (next !== undefined) return (await isDone(deployment, next)) ? { after: next } : { after };
    const now = sys.ports.now();
    await sys.commit({ put: [jobRow({ due: now + expiryInterval, now }, eventExpiryKind, "all")] });
    return undefined;
  },
};

/** Returns the sorted UUIDs of the mounts that are not being restored. */
const mountIds = async (deployment: Deployment): Promise<readonly string[]> =>
  [...(await deployment.readMounts()).values()]
    .flatMap(({ uuid, restoring }) => (restoring ? [] : [uuid]))
    .toSorted();

/**
 * Raises the next events of a mount, and reports whether the mount is done. On failure, logs the
 * error and skips the mount.
 */
async function isDone(deployment: Deployment, uuid: string): Promise<boolean> {
  try {
    return await raiseExpiring(deployment.mount(uuid).forJob());
  } catch (cause) {
    deployment.ports.log?.({ endpoint: `job ${eventExpiryKind}`, status: 500, ms: 0, cause });
    return true;
  }
}
