import { deleteRows, dueJobs, firstWait, type Run } from "../../engine/jobs.ts";
import { contextOf } from "../../engine/partition-stores.ts";
import type { Store } from "../../engine/ports.ts";

/**
 * Returns the name of the mount's own store if `name` is the store of another partition. Returns
 * undefined otherwise.
 */
export function homeOf(name: string): string | undefined {
  const home = contextOf(name);
  return home === name ? undefined : home;
}

/**
 * Passes the due jobs of a partition to `run`. They run with the mount's own store, because jobs of
 * one kind run one at a time. Returns when to try again (Unix ms) if a job failed, and undefined
 * otherwise.
 */
export async function passDueJobs(
  store: Store,
  now: () => number,
  run: Run,
): Promise<number | undefined> {
  const jobs = await dueJobs(store, now());
  const results = await Promise.allSettled(
    jobs.map(async ({ kind, id, rows }) => {
      await run(kind, id);
      await deleteRows(store, rows);
    }),
  );
  return results.some(({ status }) => status === "rejected") ? now() + firstWait : undefined;
}
