/** The clock, the timers and the state of a window. */
export interface WindowPort {
  /** Returns the time in ms. */
  now(): number;
  isVisible(): boolean;
  /** Runs a function after a time in ms. Returns a function that cancels it. */
  wait(milliseconds: number, run: () => void): () => void;
}

/** Time in ms before each of the first attempts to reach a server that did not respond. */
const firstPauses = [1000, 2000, 5000, 10_000] as const;
/** Time in ms before each further attempt. */
const maxPause = 30_000;

/** Repeated attempts to reach a server that does not respond. */
interface Recovery {
  /** Starts the attempts, unless they have started. */
  begin(): void;
  /** Stops the attempts, because the server has responded. */
  end(): void;
  /** Makes an attempt at once, because the window became visible or the network is back. */
  hurry(): void;
}

/**
 * Returns attempts to reach a server, with increasing pauses. `probe`: resolves to whether the
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

/** Time in ms between two refreshes of a window that stays visible. */
const interval = 60_000;
/** Minimum age in ms of data that is refreshed when a window becomes visible. */
const minAge = 30_000;
/** Time in ms within which several changes in other windows cause a single refresh. */
const settling = 300;

/** The refreshes of the data in a window. */
interface Refresher {
  /** Records that the data has just been loaded. */
  note(): void;
  /** To be called every few seconds. */
  tick(): void;
  /** To be called when the window becomes visible. */
  probe(): void;
  /** To be called when another window of this browser has changed something. */
  receive(): void;
}

/** Returns the refreshes of a window. A hidden window refreshes only when it becomes visible. */
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
