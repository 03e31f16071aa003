/** Maximum time between two runs in milliseconds, because the clock may be adjusted. */
const maxPause = 86_400_000;
/**
 * Time in milliseconds before a failed run, or a failed attempt to become the leader, is retried.
 */
const retryPause = 10_000;

/**
 * Function that runs another function after the given number of milliseconds. It returns a function
 * that cancels the run.
 */
export type Schedule = (milliseconds: number, run: () => void) => () => void;

/**
 * A lease that makes one of several nodes the leader, such as the result of
 * `postgresStore(…).lead("jobs")`.
 */
export interface JobLease {
  /** Resolves when the lease is lost or released. */
  readonly lost: Promise<void>;
  /** Releases the lease, so that another node can acquire it immediately. */
  release(): Promise<void>;
}
/** Settings of a job timer. Tests replace the clock and the timer. */
export interface JobTimerOptions {
  /**
   * Acquires the lease that makes this node the leader, and resolves with undefined if another node
   * has it. While another node is the leader, it is called every ten seconds. Jobs run only while
   * this node is the leader, or always if there is no `lead`.
   */
  readonly lead?: () => Promise<JobLease | undefined>;
  /** Listener for the errors of failed runs. A failed run is retried after ten seconds. */
  readonly onError?: (error: unknown) => void;
  /** Returns the current time in Unix ms. */
  readonly now?: () => number;
  /**
   * Runs a function later; by default, with a Node timer that does not keep the process running.
   */
  readonly schedule?: Schedule;
}
/** A timer that runs the jobs of an authority. */
export interface JobTimer {
  /**
   * Function to pass as the `wake` option of `createCa` and, if there are several nodes, to
   * `stores.watch`.
   */
  readonly wake: (at: number) => void;
  /**
   * Runs the due jobs, and then all later jobs when they are due. Rejects if the first run fails.
   * Runs that fail, including the first, are retried.
   */
  start(ca: { tick(): Promise<number | undefined> }): Promise<void>;
  /** Stops the timer and releases the lease. A run in progress is completed. */
  stop(): void;
}

/** Runs a function later with a Node timer that does not keep the process running. */
export const nodeSchedule: Schedule = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
};

/**
 * Returns a timer for the jobs of an authority, such as renewing CRLs. Pass its `wake` to
 * `createCa`, then call `start` with the authority.
 */
export function jobTimer({
  lead,
  onError,
  now = Date.now,
  schedule = nodeSchedule,
}: JobTimerOptions = {}): JobTimer {
  let tick: (() => Promise<number | undefined>) | undefined;
  let next = Infinity;
  let cancel = (): void => undefined;
  const wake = (at: number): void => {
    if (!tick || at >= next) return;
    next = at;
    cancel();
    cancel = schedule(Math.min(Math.max(at - now(), 0), maxPause), () => void run());
  };
  const leadership = lead && leadershipOf(lead, () => wake(now()));
  const runOnce = async (): Promise<void> => {
    next = Infinity;
    let due: number | undefined = now() + retryPause;
    try {
      if (!leadership || (await leadership.isOurs())) due = await tick?.();
    } finally {
      wake(Math.min(due ?? Infinity, now() + maxPause));
    }
  };
  const run = (): Promise<void> => runOnce().catch((error: unknown) => onError?.(error));
  return {
    wake,
    start(ca) {
      tick = () => ca.tick();
      return runOnce();
    },
    stop() {
      tick = undefined;
      cancel();
      leadership?.release().catch((error: unknown) => onError?.(error));
    },
  };
}

/** Returns functions that acquire the lease when it is needed, and release it. */
function leadershipOf(lead: () => Promise<JobLease | undefined>, onLost: () => void) {
  let pending: Promise<JobLease | undefined> | undefined;
  const leave = (): void => void (pending = undefined);
  const acquire = async (): Promise<JobLease | undefined> => {
    const lease = await lead();
    if (!lease) leave();
    else
      void lease.lost.then(() => {
        leave();
        onLost();
      });
    return lease;
  };
  return {
    async isOurs(): Promise<boolean> {
      pending ??= acquire();
      // the next call retries a failed attempt
      pending.catch(leave);
      return (await pending) !== undefined;
    },
    release: async (): Promise<void> => (await pending)?.release(),
  };
}
