import { deepCopy } from "../../src/base/encoding.ts";
import type { Store } from "../../src/engine/ports.ts";

/**
 * Returns a store that awaits `delay` before and after each step, so that tests can vary the order
 * of concurrent calls.
 */
export function delayedStore(store: Store, delay: () => Promise<void>): Store {
  const step = async <T>(run: () => Promise<T>): Promise<T> => {
    await delay();
    const result = await run();
    await delay();
    return result;
  };
  return {
    ...store,
    get: async (keys) => {
      const own = [...keys];
      return step(async () => store.get(own));
    },
    list: async (prefix, page) => step(async () => store.list(prefix, page)),
    commit: async (batch) => {
      const own = deepCopy(batch);
      return step(async () => store.commit(own));
    },
  };
}
