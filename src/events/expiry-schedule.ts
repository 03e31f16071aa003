import { jobKeys, jobRow } from "../engine/jobs.ts";
import type { StoreContext } from "../engine/store-context.ts";

/** Kind of the job that raises events before certificates and issuers expire. */
export const eventExpiryKind = "event-expiry";
/** Interval between runs of that job in ms. */
export const expiryInterval = 3_600_000;

/**
 * Returns the row of the job that raises events before certificates and issuers expire, scheduled
 * to run immediately.
 */
export const expiryJobRow = (now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: now, now }, eventExpiryKind, "all");
/** Schedules that job unless it is already scheduled. */
export async function scheduleExpiry(sys: StoreContext): Promise<void> {
  if ((await jobKeys(sys.store, eventExpiryKind, "all")).length === 0)
    await sys.commit({ put: [expiryJobRow(sys.ports.now())] });
}
