import { CaError } from "../base/errors.ts";
import { mountKey, type MountRow, storedMount } from "./mount-records.ts";
import { partitionName } from "./partition-stores.ts";
import type { Placement, PlacementRules } from "./placement.ts";
import type { Ports, Store } from "./ports.ts";
import type { MountRoute } from "./sys-records.ts";

/** The stores of a mount's partitions. */
export interface PartsOfMount {
  /** Opens the store of a partition. */
  open(partition: number): Store;
  readonly rules: PlacementRules;
  /** Returns the number of partitions according to the mount's route. */
  count(): number;
}
/** Functions of `src/store/partitions` that join the stores of partitions into one store. */
export interface JoinPartitions {
  /** Joins the stores of a mount that cannot get more partitions. */
  partitionedStore(all: readonly Store[], placement: Placement): Store;
  growableStore(parts: PartsOfMount): Store;
  /** Returns the placement of a mount's rows in `count` partitions. */
  placementOf(rules: PlacementRules, count: number): Placement;
}

/** Allowed numbers of partitions. */
const partitionCounts: readonly number[] = [1, 4, 16, 64];

/**
 * Throws CaError `malformed` if a number of partitions is not allowed or is not supported by the
 * storage.
 */
export function checkPartitions({ stores }: Pick<Ports, "stores">, count: number): void {
  if (!partitionCounts.includes(count))
    throw new CaError("malformed", `invalid partitions ${count}: use 1, 4, 16 or 64`);
  if (count > 1 && !stores.partitions)
    throw new CaError(
      "malformed",
      `invalid partitions ${count}: the storage of this deployment supports only 1`,
    );
}
/**
 * Returns the `partitions` member of a mount's route and settings, which is absent if the mount has
 * one partition.
 */
export const partitionsMember = (count: number): { readonly partitions?: number } =>
  count > 1 ? { partitions: count } : {};

/** Current version of the placement rules, for mounts that get several partitions. */
const currentPlacement = 3;
/**
 * Returns the members of a mount's route that determine where its rows are. `placement` is the
 * version of its placement rules, by default the current version.
 */
export const placementMembers = (
  count: number,
  placement: number | undefined = currentPlacement,
): Pick<MountRoute, "partitions" | "placement"> =>
  count > 1 ? { partitions: count, placement } : {};
/** Returns the version of a mount's placement rules, given its route. */
export const placementVersion = ({
  partitions = 1,
  placement = 1,
}: Pick<MountRoute, "partitions" | "placement">): number =>
  partitions > 1 ? placement : currentPlacement;

/** Returns a copy of a mount's row with the given route members. */
export function withPlacement(
  row: MountRow,
  { partitions = 1, placement }: Pick<MountRoute, "partitions" | "placement">,
): MountRow {
  const { placement: _, config, ...rest } = row;
  const { partitions: __, ...settings } = config;
  return {
    ...rest,
    config: { ...settings, ...partitionsMember(partitions) },
    ...(placement === undefined ? {} : { placement }),
  };
}
/**
 * Returns the route members of a mount that gets more partitions. A mount that already has several
 * partitions keeps the version of its placement rules.
 */
export const grownMembers = (
  before: Pick<MountRoute, "partitions" | "placement">,
  count: number,
): Pick<MountRoute, "partitions" | "placement"> =>
  placementMembers(count, placementVersion(before));

/** The mount types by name. */
type PlacedTypes = ReadonlyMap<string, { placement?(version: number): Promise<PlacementRules> }>;
interface KnownPartitions {
  /** Version of the placement rules. */
  readonly version: number;
  /** The number of partitions according to the mount's route. */
  readonly route: { count: number };
  readonly rules: PlacementRules;
  /** The mount's store, if it can get more partitions. */
  readonly growable: Store | undefined;
}
/** The stores of mounts, each opened with the number of partitions in its route. */
export class MountStores {
  readonly #ports: Ports;
  readonly #types: PlacedTypes;
  readonly #load: (() => Promise<JoinPartitions>) | undefined;
  #join: JoinPartitions | undefined;
  /** The mounts that have or can get several partitions, by UUID. */
  readonly #known = new Map<string, KnownPartitions>();

  /** `load` loads the functions that join the stores of partitions. */
  constructor(ports: Ports, types: PlacedTypes, load?: () => Promise<JoinPartitions>) {
    this.#ports = ports;
    this.#types = types;
    this.#load = load;
  }

  /**
   * Remembers the number of partitions of each mount. Returns the UUIDs of mounts whose stores must
   * be opened again because the number of partitions differs from the known one, for example after
   * a mount was deleted and restored. The store of a mount that got more partitions adapts by
   * itself.
   */
  async learn(routes: Iterable<MountRoute>): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const route of routes) {
      const { uuid, type, partitions = 1 } = route;
      const known = this.#known.get(uuid);
      const version = placementVersion(route);
      const isSameVersion = known?.version === version;
      if (isSameVersion && known.route.count === partitions) continue;
      const canGrow = this.#canGrow(uuid);
      if (!known && partitions === 1 && !canGrow) continue;
      if (isSameVersion && known.growable && (await hasPartitions(known.growable, partitions))) {
        known.route.count = partitions;
        continue;
      }
      changed.push(uuid);
      const rules = await this.#types.get(type)?.placement?.(version);
      this.#join ??= await this.#load?.();
      this.#known.set(uuid, { version, ...this.#knownOf(uuid, partitions, rules ?? []) });
    }
    return changed;
  }
  #canGrow(uuid: string): boolean {
    const { stores } = this.#ports;
    return stores.partitions === true && stores(uuid).getWithIndex !== undefined;
  }
  #knownOf(uuid: string, count: number, rules: PlacementRules): Omit<KnownPartitions, "version"> {
    const { stores } = this.#ports;
    const route = { count };
    return {
      route,
      rules,
      growable: this.#canGrow(uuid)
        ? this.#join?.growableStore({
            open: (at) => stores(partitionName(uuid, at)),
            rules,
            count: () => route.count,
          })
        : undefined,
    };
  }
  /** Returns the number of partitions of a mount. */
  countOf(uuid: string): number {
    const known = this.#known.get(uuid);
    return known?.growable ? (known.growable.placement?.count ?? 1) : (known?.route.count ?? 1);
  }
  /**
   * Returns the route of a mount according to the mount's own store. Returns undefined if the store
   * belongs to no mount.
   */
  async findRoute(uuid: string): Promise<MountRoute | undefined> {
    const [row] = await this.#ports.stores(uuid).get([mountKey]);
    if (!row) return undefined;
    const { type, config, placement = 1 } = storedMount(row.value);
    return { uuid, type, ...placementMembers(config.partitions ?? 1, placement) };
  }
  /** Opens a store by name. */
  open(name: string): Store {
    const { stores } = this.#ports;
    const known = this.#known.get(name);
    if (!known) return stores(name);
    if (known.growable) return known.growable;
    const { rules } = known;
    const { count } = known.route;
    if (count === 1) return stores(name);
    if (!this.#join || !stores.partitions) return unusable(count);
    const all = Array.from({ length: count }, (_, at) => stores(partitionName(name, at)));
    return this.#join.partitionedStore(all, this.#join.placementOf(rules, count));
  }
}

/** Reports whether a mount now has this number of partitions. */
async function hasPartitions(store: Store, count: number): Promise<boolean> {
  // reading lets the store notice that it has more partitions
  await store.get(["epoch"]).catch(() => undefined);
  return (store.placement?.count ?? 1) === count;
}

/** Returns a store that rejects all calls, for a mount whose partitions are not supported. */
function unusable(count: number): Store {
  const reject = (): Promise<never> =>
    Promise.reject(
      new CaError(
        "storage",
        `the mount has ${count} partitions, which this storage does not support`,
      ),
    );
  return { get: reject, list: reject, commit: reject };
}
