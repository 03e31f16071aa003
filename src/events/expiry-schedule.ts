import { jobKeys, jobRow } from "../engine/jobs.ts";
import type { StoreContext } from "../engine/store-context.ts";

/** Kind of the job that raises events about upcoming expiry. */
export const eventExpiryKind = "event-expiry";
/** Interval of its runs (ms). */
export const expiryInterval = 3_600_000;

/** Schedules the job that raises events about upcoming expiry, unless it is already scheduled. */
export async function scheduleExpiry(sys: StoreContext): Promise<void> {
  const now = sys.ports.now();
  if ((await jobKeys(sys.store, eventExpiryKind, "all")).length === 0)
    await sys.commit({ put: [jobRow({ due: now, now }, eventExpiryKind, "all")] });
}
