import { bringUpToDate, formatKey, type Steps } from "./format.ts";
import { deepEqual } from "../base/deep-equal.ts";
import { mountKey, type MountRow, storedMount } from "./mount-records.ts";
import type { Row, Store } from "./ports.ts";
import { rowReader } from "./row-reader.ts";

/** The rows of a mount's configuration. */
interface ConfigRows {
  get(key: string): Row | undefined;
  /** Returns the rows whose keys begin with the given prefix, with their keys. */
  below(prefix: string): readonly (readonly [key: string, row: Row])[];
}
/**
 * A value parsed from the rows of a configuration, once per snapshot. Each module declares its own
 * values.
 */
export interface ConfigValue<T> {
  parse(rows: ConfigRows): T;
}
/** A configuration row whose missing members have defaults. */
export interface Setting<T> extends ConfigValue<T> {
  readonly key: string;
  /** Parses the value of the row. Returns the defaults for undefined. */
  read(value: unknown): T;
}
/** Returns the setting in the row with the given key. */
export function setting<T extends object>(key: string, defaults: T): Setting<T> {
  const read = rowReader(defaults);
  return { key, read, parse: (rows) => read(rows.get(key)?.value) };
}
/** Declares a configuration value: the bytes in a row, or undefined if there is no such row. */
export const configBytes = (key: string): ConfigValue<Uint8Array | undefined> => ({
  parse: (rows) => {
    const value = rows.get(key)?.value;
    return value instanceof Uint8Array ? value : undefined;
  },
});
/** Declares a configuration value: the rows under a prefix, by ID. */
export const configRowsById = <T extends { readonly id: string }>(
  prefix: string,
  read: (value: unknown) => T,
): ConfigValue<ReadonlyMap<T["id"], T>> => ({
  parse: (rows) =>
    new Map(
      rows
        .below(prefix)
        .map(([, { value }]) => read(value))
        .map((row) => [row.id, row]),
    ),
});

/** The rows that form the configuration of a mount, as declared by its type. */
export interface ConfigSchema {
  /** Key prefixes of the rows in each snapshot. */
  readonly prefixes: readonly string[];
  /** Key prefixes of the rows that are read on demand, because there may be many. */
  readonly onDemand: readonly string[];
  /** The rows with defaults. Writing the defaults to an absent row does not count as a change. */
  readonly settings: readonly Setting<object>[];
}

/**
 * The configuration of one epoch, on which decisions are based. Because the epoch is read first,
 * the rows may be newer than the epoch, but never older. If the store's epoch has changed before
 * the commit, the commit is rejected and the decision is computed again.
 */
export interface Snapshot {
  readonly epoch: number;
  readonly mount: MountRow;
  readonly mountRev: number;
  /** Returns a value of the configuration, parsed once per epoch. */
  get<T>(value: ConfigValue<T>): T;
  /** Returns the revision of a configuration row, or null if the row does not exist. */
  rev(key: string): number | null;
  /** Returns a row that is read on demand, from the cache of this epoch if possible. */
  row(key: string): Promise<Row | undefined>;
  /**
   * Reports whether a configuration row already has this value; `undefined` means that the row is
   * absent. Returns false for rows that are not configuration.
   */
  isUnchanged(key: string, value: unknown): Promise<boolean>;
}

/** Migrations of a mount's store. There are none yet. */
export const mountSteps: Steps = [];

/**
 * Maximum number of cached rows that are read on demand. It is limited because callers can request
 * any name.
 */
const maxOnDemand = 1000;

/**
 * Reads the configuration in a mount's store. Returns undefined if the store does not belong to a
 * mount, or no longer does. Throws {@link NewerFormatError} if a later version has migrated the
 * store.
 */
export async function loadSnapshot(
  store: Store,
  schema: ConfigSchema,
): Promise<Snapshot | undefined> {
  const [epochRow, format] = await store.get(["epoch", formatKey]);
  if (await bringUpToDate(store, format, mountSteps)) return loadSnapshot(store, schema);
  const [own, ...lists] = await Promise.all([
    store.get([mountKey]),
    ...schema.prefixes.map((prefix) => store.list(prefix)),
  ]);
  const mount = own[0];
  if (!mount) return undefined;
  const rows = new Map(lists.flat());
  const row = onDemandRows(store);
  return {
    epoch: typeof epochRow?.value === "number" ? epochRow.value : 0,
    mount: storedMount(mount.value),
    mountRev: mount.rev,
    get: parsedOnce({
      get: (key) => rows.get(key),
      below: (prefix) => [...rows].filter(([key]) => key.startsWith(prefix)),
    }),
    rev: (key) => rows.get(key)?.rev ?? null,
    row,
    isUnchanged: async (key, expected) => {
      if (key === mountKey) return deepEqual(mount.value, expected);
      const isBelow = (prefix: string): boolean => key.startsWith(prefix);
      if (schema.onDemand.some(isBelow)) return deepEqual((await row(key))?.value, expected);
      if (!schema.prefixes.some(isBelow)) return false;
      const read = schema.settings.find((one) => one.key === key)?.read ?? ((value) => value);
      return deepEqual(read(rows.get(key)?.value), read(expected));
    },
  };
}

/** Returns a function that parses each value once. */
function parsedOnce(rows: ConfigRows): Snapshot["get"] {
  const parsed = new Map<ConfigValue<unknown>, { readonly value: unknown }>();
  return <T>(value: ConfigValue<T>) => {
    // safe: the entry for a `ConfigValue<T>` is always a `T`
    const cached = parsed.get(value) as { readonly value: T } | undefined;
    if (cached) return cached.value;
    const parsedValue = value.parse(rows);
    parsed.set(value, { value: parsedValue });
    return parsedValue;
  };
}

/** Returns a configuration with one value replaced. Does not change the rows. */
export function withValue<T>(config: Snapshot, value: ConfigValue<T>, to: T): Snapshot {
  const replaced: ConfigValue<unknown> = value;
  // `never`: the value that is replaced has the type of its replacement
  return { ...config, get: (other) => (other === replaced ? (to as never) : config.get(other)) };
}

/** Returns a function that reads each row only once, unless too many rows are cached. */
function onDemandRows(store: Store): Snapshot["row"] {
  const cache = new Map<string, Row | undefined>();
  return async (key) => {
    if (cache.has(key)) return cache.get(key);
    // caches the row and not the promise, because on Workers promises of cancelled requests never
    // settle
    const [row] = await store.get([key]);
    if (cache.size >= maxOnDemand) cache.clear();
    cache.set(key, row);
    return row;
  };
}
