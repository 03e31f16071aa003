import type { Runtime } from "./runtime.ts";

/** A runtime that is started again whenever it ends. */
export interface Supervised {
  /**
   * Resolves when it takes connections for the first time; rejects with the error of its last try
   * when it never does.
   */
  readonly ready: Promise<void>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** What supervision needs of its owner. */
export interface Supervision {
  launch(): Runtime;
  /** Told of each process that has come up. */
  started(pid: number): void;
  /** Told in one sentence of each end that nobody asked for. */
  told(sentence: string): void;
  /** Resolves after so many milliseconds. */
  pause(milliseconds: number): Promise<void>;
  now(): number;
}

/**
 * A runtime that never came up is given up after so many tries: what is wrong will not change by
 * itself.
 */
const FIRST_TRIES = 3;
/** One that has run for so long gets its next start without a pause. */
const STEADY_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;

/** None before the first start after a death, then 1, 2, 4 seconds and so on. */
function pauseBefore(start: number): number {
  return start === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, 500 * 2 ** start);
}

/**
 * A start that is not even possible, as when its files have gone, counts as one that ended at once.
 */
function attempt(launch: () => Runtime): Runtime {
  try {
    return launch();
  } catch (error) {
    const ready = Promise.reject(error);
    ready.catch(() => undefined);
    return {
      pid: 0,
      ready,
      ended: Promise.resolve(error instanceof Error ? error.message : String(error)),
      stop: () => Promise.resolve(),
    };
  }
}

/** Starts a runtime and keeps one running until it is stopped. */
export function keepRunning(supervision: Supervision): Supervised {
  const { launch, started, told, pause, now } = supervision;
  let current: Runtime | undefined;
  let stopped = false;
  let stop = (): void => {};
  const stopping = new Promise<void>((resolve) => (stop = resolve));

  const first = async (): Promise<void> => {
    for (let tries = 1; ; tries++) {
      current = launch();
      try {
        await current.ready;
        return started(current.pid);
      } catch (error) {
        await current.stop();
        if (stopped || tries === FIRST_TRIES) throw error;
      }
    }
  };
  const watch = async (): Promise<void> => {
    for (let deaths = 0, since = now(); current !== undefined && !stopped;) {
      const how = await current.ended;
      if (stopped) return;
      if (now() - since > STEADY_MS) deaths = 0;
      told(`workerd ended unexpectedly (${how}); it is started again.`);
      // what is left of its group, which holds its files
      await current.stop();
      await Promise.race([stopping, pause(pauseBefore(deaths++))]);
      if (stopped) return;
      since = now();
      current = attempt(launch);
      const { pid } = current;
      // one that does not come up has ended
      void current.ready.then(
        () => started(pid),
        () => undefined,
      );
    }
  };
  const ready = first();
  void ready.then(watch, () => undefined);
  return {
    ready,
    async stop() {
      stopped = true;
      stop();
      await current?.stop();
    },
  };
}
