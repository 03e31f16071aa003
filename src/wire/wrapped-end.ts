import type { Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";
import { systemTtl } from "../engine/new-mount.ts";
import { belowSys, wrappedEnds, storedSys } from "../engine/sys-records.ts";
import type { StoreContext } from "../engine/store-context.ts";

/** Expired replies are deleted at the next full minute, so that many share one job. */
const jobEvery = 60_000;
const perRemoval = 500;
/**
 * Tolerated clock error in ms: an hour. A reply with more time left than its TTL plus this was
 * wrapped by a clock that was ahead.
 */
export const clockError = 3_600_000;

/**
 * Deletes expired replies, and those of a clock that was ahead. Until then they count as missing.
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
    // the job of a clock that was ahead ran too early for this reply; rows below wrapped/ have this
    // type
    if (next) await sys.commit({ put: [endJob(storedSys.wrapped(next[1].value).end, now)] });
    return undefined;
  },
};
/** Returns the row of that job for a reply that expires at this time (Unix ms). */
export const endJob = (end: number, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil(end / jobEvery) * jobEvery, now }, wrappedEnd.kind, "replies");

/** Deletes replies that expire in a range of Unix seconds; returns whether there may be more. */
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
