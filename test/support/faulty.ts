import { CaError, memoryStore, type Batch, type Store, type Stores } from "../../src/index.ts";

/** What happens before a call of a store: it may fail or wait. `batch`: of a commit. */
export type Fault = (verb: "get" | "list" | "commit", batch?: Batch) => Promise<void> | undefined;
/** A store that is not reached. */
export const unreachable = () =>
  Promise.reject(new CaError("storage", "the storage cannot be reached"));
/** A store that takes no write. */
export const readOnly: Fault = (verb) => (verb === "commit" ? unreachable() : undefined);
/** A store on a disk that is full: it takes what needs no room. */
export const full: Fault = (verb, batch) =>
  verb === "commit" && (batch?.put || batch?.append) ? unreachable() : undefined;
/** A store that never answers. */
export const silent: Fault = () => new Promise(() => undefined);

/** Stores that can be broken one by one, and mended. */
export interface Faulty {
  readonly stores: Stores;
  /** Breaks the store of a name, or mends it. */
  fault(name: string, fault: Fault | undefined): void;
  /** Every call since it was asked last: `<store> <verb>`. */
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
