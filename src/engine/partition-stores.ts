import type { Store } from "./store.ts";

/** A store with its own logs: the store of a store context, or one of its partitions. */
export interface NamedStore {
  /** Name of the store context, followed by `.<number>` for a partition other than the first. */
  readonly name: string;
  readonly store: Store;
}

/** Returns the store name of the given partition. */
export const partitionName = (context: string, partition: number): string =>
  partition === 0 ? context : `${context}.${partition}`;
/** Returns the name of the store context to which a store belongs, given the name of the store. */
export const contextOf = (store: string): string => store.split(".", 1)[0] ?? store;

/**
 * Returns the stores with logs in a store context: one store, or one per partition. The logs of a
 * partition contain the entries of the batches that were committed there.
 */
export const storesWithLogs = ({ name, store }: NamedStore): readonly NamedStore[] =>
  store.partitions?.map((partition, at) => ({
    name: partitionName(name, at),
    store: partition,
  })) ?? [{ name, store }];
/**
 * Returns the store with the given name from a store context. Returns undefined if there is no such
 * partition.
 */
export const findStore = (context: NamedStore, name: string): Store | undefined =>
  storesWithLogs(context).find((one) => one.name === name)?.store;
