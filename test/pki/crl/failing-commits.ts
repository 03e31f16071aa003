import type { Stores } from "../../../src/engine/ports.ts";
import { memoryStore } from "../../../src/store/memory.ts";

/** Failure of commits: before they are written, or afterwards so that the reply is lost. */
interface Failing {
  on: boolean | "reply";
  /** Number of failed commits. */
  count: number;
}
/** Returns stores in which every commit of a CRL or delta can fail. */
export function failing(): { readonly stores: Stores; readonly fail: Failing } {
  const fail: Failing = { on: false, count: 0 };
  const inner = memoryStore();
  const stores: Stores = (name) => {
    const store = inner(name);
    return {
      get: (keys) => store.get(keys),
      list: (prefix, page) => store.list(prefix, page),
      commit: async (batch) => {
        if (!fail.on || !batch.put?.some(([key]) => key.startsWith("crlstate/")))
          return store.commit(batch);
        fail.count++;
        if (fail.on === "reply") await store.commit(batch);
        throw new Error("the commit failed");
      },
    };
  };
  return { stores, fail };
}
