import { placementOf } from "../../src/engine/placement-rules.ts";
import type { Store } from "../../src/engine/ports.ts";
import { memoryStore, type Stores } from "../../src/index.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import { partitionedStore } from "../../src/store/partitions/partitioned-store.ts";

/** Returns stores whose mounts have partitions, each with its own name; default: in memory. */
export function partitionedStores(
  count: number,
  inner: Stores = memoryStore(),
): {
  readonly stores: Stores;
  /** Returns the stores of the partitions of a mount. */
  partitionsOf(uuid: string): readonly Store[];
} {
  const opened = new Map<string, Store>();
  const placement = placementOf(pkiPlacement, count);
  const partitionsOf = (uuid: string): readonly Store[] =>
    Array.from({ length: count }, (_, at) => inner(at === 0 ? uuid : `${uuid}.${at}`));
  const open = (name: string): Store => {
    // all other stores have short names
    if (!/^[\da-f]{8}-/.test(name)) return inner(name);
    const store = opened.get(name) ?? partitionedStore(partitionsOf(name), placement);
    opened.set(name, store);
    return store;
  };
  return { stores: Object.assign(open, { durable: false as const }), partitionsOf };
}
