import { useState } from "preact/hooks";
import { asError } from "./store.ts";

/** The state of an action: whether it is in progress, and the error of the last run. */
export interface Act {
  readonly busy: boolean;
  readonly error: Error | undefined;
  /** Runs the action unless it is in progress. If it throws, sets `error`. */
  run(work: () => Promise<unknown>): void;
}

/** Returns the state of an action. */
export function useAct(): Act {
  const [state, set] = useState<{ busy: boolean; error?: Error }>({ busy: false });
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (state.busy) return;
    set({ busy: true });
    try {
      await work();
      set({ busy: false });
    } catch (reason) {
      set({ busy: false, error: asError(reason) });
    }
  };
  return { busy: state.busy, error: state.error, run: (work) => void run(work) };
}
