import { jobDueTime, jobPrefix } from "../base/row-keys.ts";
import type { Store } from "../engine/ports.ts";
import { storedJob } from "../engine/jobs.ts";

/** Maximum number of jobs that are counted, those due earliest first. */
const maxJobs = 1000;

/**
 * Consecutive failures after which a job counts as stuck; the fifth is eight minutes after the
 * first.
 */
const stuckAfter = 5;

/** The jobs of a store. */
interface JobState {
  /** Number of jobs that are not due yet. */
  readonly waiting: number;
  readonly due: number;
  /**
   * Number of failed jobs that will be retried, due or not. They are not included in `waiting` or
   * `due`.
   */
  readonly failed: number;
  /** The kinds of jobs that have failed at least five times in a row. */
  readonly stuck: ReadonlySet<string>;
  /** Time at which the oldest due job became due (Unix ms). */
  readonly oldest: number | undefined;
}

/** Reads the jobs of a store. `now`: Unix milliseconds. */
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
