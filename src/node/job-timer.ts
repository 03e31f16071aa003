/** Maximum milliseconds between two runs, because clocks may be corrected. */
const maxPause = 86_400_000;
/** Milliseconds before a failed run, or a failed attempt to take the lead, is repeated. */
const retryPause = 10_000;

/** Runs a function after some milliseconds, unless the returned function is called before. */
export type Schedule = (milliseconds: number, run: () => void) => () => void;

/**
 * The lead of one node over the others, as returned for example by `postgresStore(…).lead("jobs")`.
 */
export interface JobLease {
  /** Resolves when the lead is lost or released. */
  readonly lost: Promise<void>;
  /** Releases the lead, so that another node can take it immediately. */
  release(): Promise<void>;
}
/** Settings of a timer; tests replace clock and timer. */
export interface JobTimerOptions {
  /**
   * Takes the lead among several nodes; jobs run while this node has it. Undefined while another
   * node has it; retried every ten seconds. Default: jobs always run.
   */
  readonly lead?: () => Promise<JobLease | undefined>;
  /** Called with the error of a failed run, which is repeated after ten seconds. */
  readonly onError?: (error: unknown) => void;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Default: the timers of Node, which do not keep the process running. */
  readonly schedule?: Schedule;
}
/** A timer that runs the jobs of an authority. */
export interface JobTimer {
  /** The option `wake` of `createCa`; with several nodes also the argument of `stores.watch`. */
  readonly wake: (at: number) => void;
  /**
   * Runs the due jobs, and each later one when it is due. Rejects if the first run fails, which is
   * retried like any other.
   */
  start(ca: { tick(): Promise<number | undefined> }): Promise<void>;
  /** Stops the timer and releases the lead. A run in progress continues to its end. */
  stop(): void;
}

/** Schedules with Node's timers, which do not keep the process running. */
export const nodeSchedule: Schedule = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
};

/**
 * Returns a timer for the jobs of an authority, such as renewing CRLs: pass its `wake` to
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

/** Returns the lead of this node, which is taken when needed. */
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
      // a failed attempt is repeated
      pending.catch(leave);
      return (await pending) !== undefined;
    },
    release: async (): Promise<void> => (await pending)?.release(),
  };
}
