import type { Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";
import { systemTtl } from "../engine/new-mount.ts";
import { belowSys, wrappedEnds, storedSys } from "../engine/sys-records.ts";
import type { StoreContext } from "../engine/store-context.ts";

/**
 * Interval of the job in ms. Expired responses are deleted at the next full minute, so that one job
 * deletes many of them.
 */
const jobEvery = 60_000;
const perRemoval = 500;
/**
 * Tolerated clock error in ms: one hour. If a response expires even later than its TTL plus this
 * time from now, the clock was ahead when the response was wrapped.
 */
export const clockError = 3_600_000;

/**
 * The job that deletes expired responses, and responses that were wrapped while the clock was
 * ahead. Both are already treated as missing.
 */
export const wrappedEnd: Job = {
  kind: "wrapped-end",
  of: "storeContext",
  budget: 20,
  step: async (sys) => {
    const now = sys.ports.now();
    const ended = { to: Math.floor(now / 1000) };
    const ahead = { from: Math.ceil((now + systemTtl * 1000 + clockError) / 1000) };
    if ((await removeExpired(sys, ended)) || (await removeExpired(sys, ahead))) return "more";
    const [next] = await sys.store.list(belowSys.wrapped, { by: { name: wrappedEnds }, limit: 1 });
    // the clock was ahead, so the job ran too early for this response; all rows under wrapped/ have
    // this type
    if (next) await sys.commit({ put: [endJob(storedSys.wrapped(next[1].value).end, now)] });
    return undefined;
  },
};
/** Returns the row of the job for a response that expires at `end` (Unix ms). */
export const endJob = (end: number, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil(end / jobEvery) * jobEvery, now }, wrappedEnd.kind, "replies");

/**
 * Deletes responses that expire in a range of Unix seconds. Returns whether more responses may be
 * left.
 */
async function removeExpired(
  sys: StoreContext,
  span: { readonly from?: number; readonly to?: number },
): Promise<boolean> {
  const rows = await sys.store.list(belowSys.wrapped, {
    by: { name: wrappedEnds, ...span },
    limit: perRemoval,
    values: false,
  });
  if (rows.length) await sys.commit({ del: rows.map(([key]) => key) });
  return rows.length === perRemoval;
}
