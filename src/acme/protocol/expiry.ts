import { pause } from "../../base/event-loop.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { keys } from "../../engine/records.ts";
import { acmeBelow, acmeExpiry, acmeIndexes } from "../rows/records.ts";

/**
 * Seconds between two looks. All who plan one within them plan the same row, so that there is one,
 * however many requests come.
 */
const interval = 300;
/** Most rows of one step: some ten milliseconds, in which the store does nothing else. */
const maxRows = 500;
/** Milliseconds between two steps, in which requests have their turn. */
const room = 2;

/** The row of the look that comes after a time, Unix seconds. */
const lookAfter = (seconds: number, now: number) =>
  jobRow({ due: (Math.floor(seconds / interval) + 1) * interval * 1000, now }, acmeExpiry, "rows");

/** The look that was planned last from here, by mount. */
const planned = new WeakMap<Mount, string>();
/**
 * What every batch of ACME puts besides, and what is to be called once it is stored: nothing while
 * the next look is known to be planned. The nonce that goes with it ends after that look, which so
 * finds that there is more to come, and plans the one after.
 */
export function expiryPlan(ca: Mount): Required<Pick<Batch, "put">> & { done(): void } {
  const now = ca.ports.now();
  const row = lookAfter(now / 1000, now);
  return planned.get(ca.self) === row[0]
    ? { put: [], done: () => undefined }
    : { put: [row], done: () => void planned.set(ca.self, row[0]) };
}

/** Removes what is past its end, whether tidy is on or not, and plans the next look. */
export const expiryJob: Job = {
  kind: acmeExpiry,
  of: "mount",
  budget: 100,
  step: async (ca) => {
    await pause(room);
    const now = ca.ports.now();
    const rows = await endedBy(ca, Math.floor(now / 1000), maxRows);
    if (rows.length > 0) {
      await ca.storeContext.commit({
        // a nonce that was spent never changes; anything else is looked at again
        expect: rows.flatMap(([key, { rev }]) =>
          key.startsWith(acmeBelow.nonces) ? [] : [[key, rev] as const],
        ),
        del: rows.map(([key]) => key),
      });
      return true;
    }
    const next = await nextLook(ca, Math.floor(now / 1000));
    if (next === undefined) return undefined;
    // a mount that is removed meanwhile is left no job
    const { mountRev } = await ca.config();
    const put = [lookAfter(next, now)];
    if (await ca.storeContext.commit({ expect: [[keys.mount, mountRev]], put })) return undefined;
    ca.forget();
    return true;
  },
};
const endedBy = (ca: Mount, to: number, limit: number): ReturnType<Mount["store"]["list"]> =>
  ca.store.list("", { by: { name: acmeIndexes.end, to, anyOrder: true }, limit, values: false });

/** What ends later than this from now is found by a look after it, seconds: a year. */
const latest = 365 * 86_400;
/**
 * A time before which it is not worth looking again, Unix seconds: at least a quarter of the way to
 * the next end, or a year. Undefined where nothing is left.
 */
async function nextLook(ca: Mount, now: number): Promise<number | undefined> {
  for (let wait = interval; wait < latest; wait *= 4)
    if ((await endedBy(ca, now + 4 * wait, 1)).length > 0) return now + wait;
  // a certificate that was replaced may live for many years
  return (await endedBy(ca, Number.MAX_SAFE_INTEGER, 1)).length > 0 ? now + latest : undefined;
}
