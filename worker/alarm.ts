import type { DurableObjectStorage } from "@cloudflare/workers-types";
import { jobDueTime, jobPrefix } from "../src/base/row-keys.ts";
import type { StoreOwner } from "./owner.ts";
import type { PackedBatch } from "../src/store/sql/packed.ts";
import type { Rows } from "../src/store/sql/rows.ts";

/** Delay before the next run of a job that is still due after a run (ms). */
const retryMs = 1000;
/**
 * Retry count from which the failure of an alarm is handled here, because the platform drops an
 * alarm after its sixth retry.
 */
const platformRetries = 5;
const lastRetryMs = 60_000;
/**
 * Maximum delay of an alarm (ms). A much longer delay means that the alarm was set while the clock
 * was ahead.
 */
const maxWaitMs = 86_400_000;

/** The alarm of a Durable Object. */
export interface Clock {
  /**
   * Reads the time of the alarm, and sets an alarm for the first job if none is set early enough.
   */
  load(): Promise<void>;
  /**
   * Sets the alarm (Unix ms), unless it is already set to an earlier time. Infinity sets no alarm.
   */
  arm(at: number): void;
  /** Records that the alarm has fired. */
  recordFired(): void;
  /** Returns the due time of the first job (Unix ms), or Infinity if there is none. */
  firstDue(): number;
  /**
   * Sets an early alarm, because the clock was ahead when the alarm, and perhaps jobs, were set.
   */
  corrected(): void;
}

/** Creates the alarm for the jobs in an object's rows. */
export function clockOf(
  storage: DurableObjectStorage,
  rows: Rows,
  time = (): number => Date.now(),
): Clock {
  // the alarm is cached, so that a commit does not have to read it
  let armed = Infinity;
  const clock: Clock = {
    async load() {
      armed = (await storage.getAlarm()) ?? Infinity;
      clock.arm(clock.firstDue());
    },
    arm(at) {
      const now = time();
      const astray = armed !== Infinity && armed > now + 2 * maxWaitMs;
      // an alarm that may have been set while the clock was wrong is checked soon
      const due = Math.min(astray ? now + retryMs : at, now + maxWaitMs);
      if (at === Infinity ? !astray : due >= armed) return;
      void storage.setAlarm(due);
      armed = due;
    },
    recordFired: () => void (armed = Infinity),
    corrected() {
      if (armed === Infinity) return;
      armed = Infinity;
      clock.arm(time() + retryMs);
    },
    firstDue() {
      // this version must not process rows of a later format
      if (rows.newer()) return Infinity;
      const [job] = rows.list(jobPrefix, { limit: 1, values: false }).rows;
      return job ? jobDueTime(job[0]) : Infinity;
    },
  };
  return clock;
}

/** Handles an alarm: runs due jobs and sets the next alarm. */
export async function handleAlarm(
  clock: Clock,
  owner: StoreOwner,
  retries: number,
  time = (): number => Date.now(),
): Promise<void> {
  clock.recordFired();
  let next: number | undefined;
  try {
    next = await owner.jobs()?.tick();
  } catch (error) {
    if (retries < platformRetries) throw error;
    clock.arm(time() + lastRetryMs);
    return;
  }
  const now = time();
  const first = clock.firstDue();
  // jobs that are already due cannot run before `next`, but other jobs may become due before then
  const due = next === undefined || (first > now && first < next) ? first : next;
  clock.arm(due <= now ? now + retryMs : due);
}

/**
 * Returns the time at which the first job in the batches is due (Unix ms), or Infinity if there is
 * none.
 */
export function earliestDue(batches: readonly PackedBatch[]): number {
  let due = Infinity;
  for (const { put } of batches) {
    for (const [key] of put ?? [])
      if (key.startsWith(jobPrefix)) due = Math.min(due, jobDueTime(key));
  }
  return due;
}
