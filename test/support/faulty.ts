import { CaError, memoryStore, type Batch, type Store, type Stores } from "../../src/index.ts";

/** Runs before a call of a store: it may throw or wait. `batch`: of a commit. */
export type Fault = (verb: "get" | "list" | "commit", batch?: Batch) => Promise<void> | undefined;
/** Throws the error of an unreachable store. */
export const unreachable = () =>
  Promise.reject(new CaError("storage", "the storage is unreachable"));
/** The fault of a store that rejects writes. */
export const readOnly: Fault = (verb) => (verb === "commit" ? unreachable() : undefined);
/** The fault of a store on a full disk: only deletions succeed. */
export const full: Fault = (verb, batch) =>
  verb === "commit" && (batch?.put || batch?.append) ? unreachable() : undefined;
/** The fault of a store that never responds. */
export const silent: Fault = () => new Promise(() => undefined);
/** Returns a fault that runs an action once, just before a commit that `matches`. */
export function beforeCommit(
  matches: (batch: Batch) => boolean | undefined,
  act: () => Promise<unknown>,
): Fault {
  let isDone = false;
  return (verb, batch) => {
    if (isDone || verb !== "commit" || !batch || !matches(batch)) return undefined;
    isDone = true;
    return act().then(() => undefined);
  };
}
/** Returns a fault that runs an action once, just before a commit that puts such a key. */
export const beforePut = (pattern: RegExp, act: () => Promise<unknown>): Fault =>
  beforeCommit(({ put }) => put?.some(([key]) => pattern.test(key)), act);

/** Stores that can fail individually. */
export interface Faulty {
  readonly stores: Stores;
  /** Sets or clears the fault of a store. */
  fault(name: string, fault: Fault | undefined): void;
  /** Returns the calls since the last read: `<store> <verb>`. */
  calls(): readonly string[];
}
export function faultyStores(inner: Stores = memoryStore()): Faulty {
  const faults = new Map<string, Fault>();
  const calls: string[] = [];
  const stores = (name: string): Store => {
    const store = inner(name);
    const through = async <T>(
      verb: Parameters<Fault>[0],
      run: () => Promise<T>,
      batch?: Batch,
    ): Promise<T> => {
      calls.push(`${name} ${verb}`);
      await faults.get(name)?.(verb, batch);
      return run();
    };
    return {
      get: (keys) => through("get", () => store.get(keys)),
      list: (prefix, page) => through("list", () => store.list(prefix, page)),
      commit: (batch) => through("commit", () => store.commit(batch), batch),
    };
  };
  return {
    stores,
    fault: (name, fault) => void (fault ? faults.set(name, fault) : faults.delete(name)),
    calls: () => calls.splice(0),
  };
}
