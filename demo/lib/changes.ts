import { createStore } from "./store.ts";
import { notifyWindows } from "./window-channel.ts";

/**
 * Counters that make views reload. `turn` increases with each change and each refresh; `change` is
 * the value of `turn` at the last known change.
 */
export const changes = createStore({ turn: 0, change: 0 });

/** Makes all views reload, because data has changed. */
function countChange(): void {
  const turn = changes.get().turn + 1;
  changes.set({ turn, change: turn });
}

/** Reloads the views in all windows after a change that this page made. */
export function announceChange(): void {
  countChange();
  notifyWindows();
}

/** Makes all views reload in the background, because data may have changed. */
export const countRefresh = (): void => changes.set({ turn: changes.get().turn + 1 });

/** Reports whether the last reload is a refresh in the background. */
export const isRefresh = (): boolean => changes.get().turn !== changes.get().change;
