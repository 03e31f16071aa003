/** The clock, timers and visibility of a window. */
export interface WindowPort {
  /** Returns the time in ms. */
  now(): number;
  isVisible(): boolean;
  /** Runs a function after `milliseconds`. Returns a function that cancels it. */
  wait(milliseconds: number, run: () => void): () => void;
}

/** Delays in ms before the first attempts to reach a server that did not respond. */
const firstPauses = [1000, 2000, 5000, 10_000] as const;
/** Delay in ms before each further attempt. */
const maxPause = 30_000;

/** Repeated attempts to reach a server that does not respond. */
interface Recovery {
  /** Starts the attempts, unless they are already running. */
  begin(): void;
  /** Stops the attempts, because the server has responded. */
  end(): void;
  /** Makes an attempt at once. Call it when the window becomes visible or the network is back. */
  hurry(): void;
}

/**
 * Creates the attempts to reach a server, with increasing delays. `probe` resolves to whether the
 * server responds. A hidden window makes no attempts.
 */
export function createRecovery(window: WindowPort, probe: () => Promise<boolean>): Recovery {
  let run = 0;
  let failures = 0;
  let isActive = false;
  let isProbing = false;
  let cancel = (): void => {};
  const attempt = async (): Promise<void> => {
    const own = run;
    isProbing = true;
    const responds = await probe().catch(() => false);
    if (own !== run) return;
    isProbing = false;
    failures++;
    if (responds) end();
    else schedule();
  };
  const schedule = (): void => {
    cancel();
    cancel = window.wait(firstPauses[failures] ?? maxPause, () => {
      if (window.isVisible()) void attempt();
    });
  };
  const end = (): void => {
    cancel();
    run++;
    isActive = isProbing = false;
  };
  return {
    begin() {
      if (isActive) return;
      isActive = true;
      failures = 0;
      schedule();
    },
    end,
    hurry() {
      if (!isActive || isProbing) return;
      cancel();
      failures = 0;
      void attempt();
    },
  };
}

/** Interval in ms between refreshes of a window that stays visible. */
const interval = 60_000;
/** Minimum age in ms of data that is refreshed when a window becomes visible. */
const minAge = 30_000;
/**
 * Time in ms for which a refresh is delayed, so that several changes in other windows cause only
 * one.
 */
const settling = 300;

/** The schedule by which the data in a window is refreshed. */
interface Refresher {
  /** Records that the data has just been loaded. */
  note(): void;
  /** Refreshes if the interval has passed. Call it every few seconds. */
  tick(): void;
  /** Refreshes old data. Call it when the window becomes visible. */
  probe(): void;
  /** Schedules a refresh. Call it when another window of this browser has changed something. */
  receive(): void;
}

/** Returns the schedule of a window. A hidden window is refreshed only when it becomes visible. */
export function createRefresher(window: WindowPort, refresh: () => void): Refresher {
  let last = window.now();
  let isDue = false;
  let isSettling = false;
  const run = (): void => {
    last = window.now();
    isDue = false;
    refresh();
  };
  const runAfter = (age: number): void => {
    if (window.isVisible() && (isDue || window.now() - last >= age)) run();
  };
  return {
    note() {
      last = window.now();
    },
    tick: () => runAfter(interval),
    probe: () => runAfter(minAge),
    receive() {
      isDue = true;
      if (isSettling) return;
      isSettling = true;
      window.wait(settling, () => {
        isSettling = false;
        runAfter(interval);
      });
    },
  };
}
