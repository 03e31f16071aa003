/** Runs the jobs of all mounts when they are due. */
export interface JobTimer {
  /** Runs due jobs, now and whenever jobs become due. Resolves after the first run. */
  start(): Promise<void>;
  /** Notifies the timer that a job is due at `at` (Unix ms). */
  wake(at: number): void;
  /** Runs due jobs now. */
  run(): Promise<void>;
  stop(): void;
}

/** The dependencies of a timer. */
interface JobTimerOptions {
  /** Runs due jobs. Resolves with the time of the next job (Unix ms), if any. */
  tick(): Promise<number | undefined>;
  /** Returns the time in Unix ms. */
  now(): number;
  failed(cause: unknown): void;
}

/** Delay before the next run if a run has failed, or if a job is still due after it (ms). */
const retryMs = 1_000;
/**
 * Interval at which the clock is checked (ms), because setting it forward makes jobs due but does
 * not fire timers.
 */
const clockCheckMs = 15_000;

/** Creates a timer that runs jobs. */
export function jobTimer({ tick, now, failed }: JobTimerOptions): JobTimer {
  let timer: NodeJS.Timeout | undefined;
  let due = Infinity;
  let running: Promise<void> | undefined;
  let [again, stopped] = [false, false];
  const arm = (): void => {
    clearTimeout(timer);
    if (stopped) return;
    const wait = Math.min(Math.max(due - now(), 0), clockCheckMs);
    timer = setTimeout(() => (due <= now() ? void run() : arm()), wait);
  };
  const once = async (): Promise<void> => {
    due = Infinity;
    try {
      const next = (await tick()) ?? Infinity;
      due = Math.min(due, next <= now() ? now() + retryMs : next);
    } catch (error) {
      failed(error);
      due = Math.min(due, now() + retryMs);
    }
  };
  const run = (): Promise<void> => {
    again = running !== undefined;
    running ??= (async () => {
      do {
        again = false;
        await once();
      } while (again && !stopped);
      running = undefined;
      arm();
    })();
    return running;
  };
  return {
    start: run,
    run,
    wake(at) {
      if (at >= due) return;
      due = at;
      if (running === undefined) arm();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
