import { useState } from "preact/hooks";
import { asError } from "./store.ts";

/**
 * A thing that a view does on request: whether it is under way, and why it failed the last time.
 */
export interface Act {
  readonly busy: boolean;
  readonly error: Error | undefined;
  /** Does it, unless it is under way; what it throws becomes `error`. */
  run(work: () => Promise<unknown>): void;
}

/** One act of a view. */
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
