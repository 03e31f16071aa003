import type { ChangedRows } from "./commits.ts";

/**
 * A function that is called with a store's name and the keys of its changed rows. Without keys, any
 * row may have changed.
 */
type Follower = (store: string, keys?: readonly string[]) => void;

/** Tracks the changes that other processes make. */
export interface ChangeTracker {
  /** Calls `changed` for each change that another process makes. */
  follow(changed: Follower): void;
  /**
   * Returns a promise that resolves once all transactions up to this number are known, or undefined
   * if they already are.
   */
  upTo(number: number): Promise<void> | undefined;
  /** Records the changes that other processes made up to and including this transaction. */
  record(number: number, changed: readonly ChangedRows[]): void;
  /**
   * Records that the database writer is gone. Resolves all pending `upTo` calls; later calls do not
   * wait.
   */
  lost(): void;
}

/** Creates a tracker without followers. */
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
      // the callers find out from their next storage access that the storage is unreachable
      for (const [, resolve] of behind) resolve();
      behind = [];
    },
  };
}
