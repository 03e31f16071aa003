import { dueJobs, firstWait, type Run } from "../engine/jobs.ts";
import { contextOf } from "../engine/partition-stores.ts";
import type { Store } from "../engine/ports.ts";

/**
 * Returns the name of the mount's own store, if a store with this name is another partition of it;
 * otherwise undefined.
 */
export function homeOf(name: string): string | undefined {
  const home = contextOf(name);
  return home === name ? undefined : home;
}

/**
 * Passes the due jobs of a partition to `run`, which runs them where the mount's own store is: jobs
 * of a kind run one at a time. Returns when to call this again if one failed (Unix ms).
 */
export async function passDueJobs(
  store: Store,
  now: () => number,
  run: Run,
): Promise<number | undefined> {
  const jobs = await dueJobs(store, now());
  const results = await Promise.allSettled(jobs.map(({ kind, id }) => run(kind, id)));
  return results.some(({ status }) => status === "rejected") ? now() + firstWait : undefined;
}
