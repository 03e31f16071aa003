import { jobDueTime, jobPrefix } from "../../base/row-keys.ts";
import type { Store } from "../../engine/ports.ts";
import { storedJob } from "../../engine/jobs.ts";

/** Maximum number of jobs that are counted. The earliest due jobs are counted first. */
const maxJobs = 1000;

/**
 * Number of consecutive failures after which a job counts as stuck. The fifth failure occurs eight
 * minutes after the first.
 */
export const stuckAfter = 5;

/** Numbers of jobs in a store, and their state. */
interface JobState {
  /** Number of jobs that have not failed and are not due yet. */
  readonly waiting: number;
  readonly due: number;
  /**
   * Number of failed jobs that will be retried, whether or not they are due. `waiting` and `due` do
   * not include them.
   */
  readonly failed: number;
  /** Kinds of jobs that have failed at least five times in a row. */
  readonly stuck: ReadonlySet<string>;
  /** Time at which the oldest due job became due (Unix milliseconds). */
  readonly oldest: number | undefined;
}

/** Reads the state of a store's jobs at `now` (Unix milliseconds). */
export async function jobState(store: Store, now: number): Promise<JobState> {
  const rows = await store.list(jobPrefix, { limit: maxJobs });
  const jobs = rows.map(([key, { value }]) => {
    const { kind, failed: failures = 0 } = storedJob(value);
    return { at: jobDueTime(key), kind, failures };
  });
  const sound = jobs.filter(({ failures }) => failures === 0);
  const due = sound.filter(({ at }) => at <= now);
  return {
    waiting: sound.length - due.length,
    due: due.length,
    failed: jobs.length - sound.length,
    stuck: new Set(jobs.flatMap(({ kind, failures }) => (failures >= stuckAfter ? [kind] : []))),
    oldest: jobs.find(({ at }) => at <= now)?.at,
  };
}
