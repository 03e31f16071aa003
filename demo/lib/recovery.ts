/** The timers and the state of the window that live data depends on. */
export interface WindowPort {
  /** Milliseconds. */
  now(): number;
  isVisible(): boolean;
  /** Runs a function after some milliseconds. Returns a function that cancels it. */
  wait(milliseconds: number, run: () => void): () => void;
}

/** Milliseconds before each of the first attempts to reach a server that did not respond. */
const firstPauses = [1000, 2000, 5000, 10_000] as const;
/** Milliseconds before each further attempt. */
const maxPause = 30_000;

/** Attempts to reach a server that does not respond. */
interface Recovery {
  /** Begins attempts, unless they have begun. */
  begin(): void;
  /** Ends the attempts: the server responded. */
  end(): void;
  /** Attempts at once: the window is looked at, or the network is back. */
  hurry(): void;
}

/**
 * Creates the attempts to reach a server, with growing pauses. `probe` reports whether the server
 * responds. A hidden window attempts nothing.
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

/** Milliseconds between two refreshes of a window that is looked at all the time. */
const interval = 60_000;
/** Minimum age of data that a window refreshes when it is looked at again. */
const minAge = 30_000;
/** Milliseconds in which several changes in other windows cause one refresh. */
const settling = 300;

/** Refreshes of the shown data. */
interface Refresher {
  /** Notes that the data has just been loaded. */
  note(): void;
  /** Called every few seconds. */
  tick(): void;
  /** The window is looked at again. */
  probe(): void;
  /** Another window of this browser has changed something. */
  receive(): void;
}

/** Creates the refreshes of a window. A hidden window refreshes when it is looked at. */
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
