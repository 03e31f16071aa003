import type { Store, Stores } from "../../src/engine/ports.ts";
import { CaError } from "../../src/index.ts";

/** A failing commit, counted from the moment the world set it. */
export interface Fault {
  /** The number of the commit. */
  readonly at: number;
  /** True if it is applied nevertheless. */
  readonly isDone: boolean;
  /** True if all later commits fail too. */
  readonly ends?: boolean;
  count: number;
  fired: boolean;
}

/** Returns stores whose commits fail as configured in the world. */
export function breakable(world: { readonly fault: Fault | undefined }, inner: Stores): Stores {
  const open = (name: string): Store => {
    const store = inner(name);
    const { epoch, placement, partitions } = store;
    return {
      ...(placement && partitions ? { placement, partitions } : {}),
      get: (keys) => store.get(keys),
      list: (prefix, page) => store.list(prefix, page),
      ...(epoch ? { epoch: () => epoch.call(store) } : {}),
      commit: async (batch) => {
        const { fault } = world;
        if (!fault) return store.commit(batch);
        fault.count++;
        if (!(fault.count === fault.at || (fault.ends && fault.fired))) return store.commit(batch);
        if (fault.isDone && !fault.fired) await store.commit(batch);
        fault.fired = true;
        throw new CaError("storage", "the storage is unreachable");
      },
    };
  };
  return Object.assign(open, { durable: inner.durable ?? true });
}
