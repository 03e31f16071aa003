import { memoryStoreOf } from "../../src/store/memory.ts";
import type { Store } from "../../src/engine/ports.ts";
import { seeded } from "./authority.ts";
import { delayedStore } from "./delayed-store.ts";

/**
 * Returns memory stores whose operations take time from `start()` on and complete in an order that
 * the seed determines; the same name returns the same store.
 */
export function mixedStores(seed: number): {
  readonly open: (name: string) => Store;
  start(): void;
} {
  const random = seeded(seed);
  const waiting: (() => void)[] = [];
  let on = false;
  const pump = () => {
    const [next] = waiting.splice((random(1)[0] ?? 0) % Math.max(1, waiting.length), 1);
    next?.();
    if (waiting.length) setImmediate(pump);
  };
  const delay = () =>
    on
      ? new Promise<void>(
          (resolve) => (waiting.push(resolve), waiting.length === 1 && setImmediate(pump)),
        )
      : Promise.resolve();
  const stores = new Map<string, Store>();
  return {
    open: (name) => {
      const store = stores.get(name) ?? delayedStore(memoryStoreOf(), delay);
      stores.set(name, store);
      return store;
    },
    start: () => {
      on = true;
    },
  };
}
