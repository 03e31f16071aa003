import { mountKey } from "../../engine/mount-records.ts";
import { pause } from "../../base/event-loop.ts";
import type { Job } from "../../engine/deployment.ts";
import { commitByPlace } from "../../engine/batches-by-place.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { acmeBelow, acmeExpiry } from "../rows/prefixes.ts";
import { acmeIndexes } from "../rows/records.ts";

/**
 * Interval between two runs of the expiry job, in seconds. All requests in an interval plan the
 * same job row, so there is one row per interval, regardless of the number of requests.
 */
const interval = 300;
/**
 * Maximum number of rows removed per step. Removing this many blocks the store for about ten
 * milliseconds.
 */
const maxRows = 500;
/** Pause between two steps in ms, to let other requests run. */
const room = 2;

/** Returns the job row of the next run after a time (Unix seconds). */
const runAfter = (seconds: number, now: number) =>
  jobRow({ due: (Math.floor(seconds / interval) + 1) * interval * 1000, now }, acmeExpiry, "rows");

/** Key of the job row that this process scheduled last, by mount. */
const planned = new WeakMap<Mount, string>();
/**
 * Returns the job row to put in every ACME batch, and a callback to call after the commit. Returns
 * no row if this process knows that the next run is already scheduled. The nonce that the batch
 * stores expires after that run, so the run schedules another one.
 */
export function expiryPlan(mount: Mount): Required<Pick<Batch, "put">> & { done(): void } {
  const now = mount.ports.now();
  const row = runAfter(now / 1000, now);
  return planned.get(mount.self) === row[0]
    ? { put: [], done: () => undefined }
    : { put: [row], done: () => void planned.set(mount.self, row[0]) };
}

/** The job that removes expired rows, even if tidy is off, and plans its next run. */
export const expiryJob: Job = {
  kind: acmeExpiry,
  of: "mount",
  budget: 100,
  step: async (mount) => {
    await pause(room);
    const now = mount.ports.now();
    const rows = await endedBy(mount, Math.floor(now / 1000), maxRows);
    if (rows.length > 0) {
      await commitByPlace(mount.storeContext, {
        // spent nonces never change, so only the other rows are checked for changes
        expect: rows.flatMap(([key, { rev }]) =>
          key.startsWith(acmeBelow.nonces) ? [] : [[key, rev] as const],
        ),
        del: rows.map(([key]) => key),
      });
      return true;
    }
    const next = await nextRun(mount, Math.floor(now / 1000));
    if (next === undefined) return undefined;
    // a job must not be planned for a mount that is deleted concurrently
    const { mountRev } = await mount.config();
    const put = [runAfter(next, now)];
    if (await mount.storeContext.commit({ expect: [[mountKey, mountRev]], put })) return undefined;
    mount.forget();
    return true;
  },
};
const endedBy = (mount: Mount, to: number, limit: number): ReturnType<Mount["store"]["list"]> =>
  mount.store.list("", { by: { name: acmeIndexes.end, to, anyOrder: true }, limit, values: false });

/** Maximum time until the next run: a year, in seconds. */
const latest = 365 * 86_400;
/**
 * Returns a time (Unix seconds) before which another run would find nothing to remove, or undefined
 * if no rows are left. The wait is at most a year, or else at least a quarter of the time until the
 * next expiry.
 */
async function nextRun(mount: Mount, now: number): Promise<number | undefined> {
  for (let wait = interval; wait < latest; wait *= 4)
    if ((await endedBy(mount, now + 4 * wait, 1)).length > 0) return now + wait;
  // rows of replaced certificates may expire years later
  return (await endedBy(mount, Number.MAX_SAFE_INTEGER, 1)).length > 0 ? now + latest : undefined;
}
