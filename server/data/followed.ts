import type { ChangedRows } from "./commits.ts";

/** Called with the name of a store and its changed keys; without keys, any may have changed. */
type Follower = (store: string, keys?: readonly string[]) => void;

/** The known changes of other processes. */
export interface ChangeTracker {
  /** Calls `changed` for changes of other processes. */
  follow(changed: Follower): void;
  /** Resolves once all transactions up to this number are known; undefined if they already are. */
  upTo(number: number): Promise<void> | undefined;
  /** Records the changes that other processes made up to this transaction. */
  record(number: number, changed: readonly ChangedRows[]): void;
  /**
   * Called when the writer is gone: resolves all pending `upTo` calls, and later ones do not wait.
   */
  lost(): void;
}

/** Creates an empty tracker. */
export function changeTracker(): ChangeTracker {
  const followers: Follower[] = [];
  let [latest, behind]: [number, (readonly [number: number, resolve: () => void])[]] = [-1, []];
  return {
    follow: (changed) => void followers.push(changed),
    upTo: (number) =>
      number <= latest ? undefined : new Promise((resolve) => void behind.push([number, resolve])),
    record(number, changed) {
      for (const [store, keys] of changed) for (const follower of followers) follower(store, keys);
      latest = number;
      const waiting = behind;
      behind = [];
      for (const one of waiting)
        if (one[0] <= number) one[1]();
        else behind.push(one);
    },
    lost() {
      latest = Infinity;
      // later calls learn from the storage that it is unreachable
      for (const [, resolve] of behind) resolve();
      behind = [];
    },
  };
}
