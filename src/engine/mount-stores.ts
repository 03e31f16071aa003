import { CaError } from "../base/errors.ts";
import { mountKey, storedMount } from "./mount-records.ts";
import { partitionName } from "./partition-stores.ts";
import { type Placement, placementOf, type PlacementRules } from "./placement.ts";
import type { Ports, Store } from "./ports.ts";
import type { MountRoute } from "./sys-records.ts";

/** Returns one store over the stores of partitions; see `src/store/partitioned.ts`. */
export type JoinPartitions = (all: readonly Store[], placement: Placement) => Store;

/** Numbers of partitions that a mount may have. */
const partitionCounts: readonly number[] = [1, 4, 16, 64];

/** Throws CaError `malformed` if a mount cannot have this number of partitions. */
export function checkPartitions({ stores }: Pick<Ports, "stores">, count: number): void {
  if (!partitionCounts.includes(count))
    throw new CaError("malformed", `invalid partitions ${count}: use 1, 4, 16 or 64`);
  if (count > 1 && !stores.partitions)
    throw new CaError(
      "malformed",
      `invalid partitions ${count}: the storage of this deployment supports only 1`,
    );
}
/** Returns the member `partitions` of a mount's route and settings, which is absent for one. */
export const partitionsMember = (count: number): { readonly partitions?: number } =>
  count > 1 ? { partitions: count } : {};

/** The types of mounts, by name. */
type PlacedTypes = ReadonlyMap<string, { placement?(): Promise<PlacementRules> }>;
interface KnownPartitions {
  readonly count: number;
  readonly rules: PlacementRules;
}
/** Opens the stores of mounts, whose routes say how many partitions they have. */
export class MountStores {
  readonly #ports: Ports;
  readonly #types: PlacedTypes;
  readonly #load: (() => Promise<JoinPartitions>) | undefined;
  #join: JoinPartitions | undefined;
  /** The mounts with several partitions, by uuid. */
  readonly #known = new Map<string, KnownPartitions>();

  /** `load`: loads the function that joins the stores of partitions. */
  constructor(ports: Ports, types: PlacedTypes, load?: () => Promise<JoinPartitions>) {
    this.#ports = ports;
    this.#types = types;
    this.#load = load;
  }

  /**
   * Remembers the numbers of partitions of mounts. Returns the uuids of mounts that have another
   * number than before, which is so after one was deleted and restored.
   */
  async learn(routes: Iterable<MountRoute>): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const { uuid, type, partitions = 1 } of routes) {
      if (partitions === this.countOf(uuid)) continue;
      changed.push(uuid);
      const rules = await this.#types.get(type)?.placement?.();
      this.#join ??= await this.#load?.();
      if (partitions > 1) this.#known.set(uuid, { count: partitions, rules: rules ?? [] });
      else this.#known.delete(uuid);
    }
    return changed;
  }
  /** Returns the number of partitions of a mount. */
  countOf(uuid: string): number {
    return this.#known.get(uuid)?.count ?? 1;
  }
  /** Returns what the store of a mount says of its route; undefined if it has no mount. */
  async findRoute(uuid: string): Promise<MountRoute | undefined> {
    const [row] = await this.#ports.stores(uuid).get([mountKey]);
    if (!row) return undefined;
    const { type, config } = storedMount(row.value);
    return { uuid, type, ...partitionsMember(config.partitions ?? 1) };
  }
  /** Opens a store by name. */
  open(name: string): Store {
    const { stores } = this.#ports;
    const known = this.#known.get(name);
    if (!known) return stores(name);
    if (!this.#join || !stores.partitions) return unusable(known.count);
    const { count, rules } = known;
    const all = Array.from({ length: count }, (_, at) => stores(partitionName(name, at)));
    return this.#join(all, placementOf(rules, count));
  }
}

/** Returns a store that rejects all calls, for a mount whose partitions cannot be opened. */
function unusable(count: number): Store {
  const reject = (): Promise<never> =>
    Promise.reject(
      new CaError("storage", `the mount has ${count} partitions, which this storage cannot have`),
    );
  return { get: reject, list: reject, commit: reject };
}
