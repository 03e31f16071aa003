import type { DurableObjectStorage } from "@cloudflare/workers-types";
import { jobDueTime, jobPrefix } from "../src/base/row-keys.ts";
import type { StoreOwner } from "./owner.ts";
import type { PackedBatch } from "../src/store/sql/packed.ts";
import type { Rows } from "../src/store/sql/rows.ts";

/** Delay before a job that is still due after its run is retried, milliseconds. */
const retryMs = 1000;
/**
 * The platform retries a failed alarm six times, then drops it; the last attempt is handled here.
 */
const platformRetries = 5;
const lastRetryMs = 60_000;
/** Maximum delay of an alarm; one much further away was set by a clock that was ahead. */
const maxWaitMs = 86_400_000;

/** The alarm of an object. */
export interface Clock {
  /** Reads the time of the alarm, and sets it if there is none. */
  load(): Promise<void>;
  /** Sets the alarm, unless it is set to an earlier time; Infinity for none. */
  arm(at: number): void;
  /** Records that the alarm has fired. */
  recordFired(): void;
  /** Returns when the first job is due, or Infinity. */
  firstDue(): number;
  /** Sets an early alarm: the clock was ahead when the alarm, and maybe jobs, were set. */
  corrected(): void;
}

/** Returns the alarm of an object's rows. */
export function clockOf(
  storage: DurableObjectStorage,
  rows: Rows,
  time = (): number => Date.now(),
): Clock {
  // cached, so that a commit need not read it
  let armed = Infinity;
  const clock: Clock = {
    async load() {
      armed = (await storage.getAlarm()) ?? Infinity;
      clock.arm(clock.firstDue());
    },
    arm(at) {
      const now = time();
      const astray = armed !== Infinity && armed > now + 2 * maxWaitMs;
      // rows with a time that was wrong are checked soon
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
      // rows of a later format must not be processed by this version
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
  // due jobs cannot run before `next`, but other jobs may become due before it
  const due = next === undefined || (first > now && first < next) ? first : next;
  clock.arm(due <= now ? now + retryMs : due);
}

/** Returns when the first job of the batches is due, or Infinity. */
export function earliestDue(batches: readonly PackedBatch[]): number {
  let due = Infinity;
  for (const { put } of batches) {
    for (const [key] of put ?? [])
      if (key.startsWith(jobPrefix)) due = Math.min(due, jobDueTime(key));
  }
  return due;
}
