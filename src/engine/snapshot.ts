import { bringUpToDate, formatKey, type Steps } from "./format.ts";
import { deepEqual } from "../base/deep-equal.ts";
import { mountKey, type MountRow, storedMount } from "./mount-records.ts";
import type { Row, Store } from "./ports.ts";
import { rowReader } from "./row-reader.ts";

/** The rows of a mount's configuration. */
interface ConfigRows {
  get(key: string): Row | undefined;
  /** Returns the rows whose keys begin with a prefix, by key. */
  below(prefix: string): readonly (readonly [key: string, row: Row])[];
}
/**
 * A value that is parsed from the rows of a configuration, once per snapshot. Each room declares
 * its own.
 */
export interface ConfigValue<T> {
  parse(rows: ConfigRows): T;
}
/** A row of the configuration with defaults. */
export interface Setting<T> extends ConfigValue<T> {
  readonly key: string;
  /** Parses the value of the row; undefined reads as the defaults. */
  read(value: unknown): T;
}
/** Returns the setting that is stored under a key. */
export function setting<T extends object>(key: string, defaults: T): Setting<T> {
  const read = rowReader(defaults);
  return { key, read, parse: (rows) => read(rows.get(key)?.value) };
}
/** Returns the value of a configuration row that has bytes; undefined if there is none. */
export const configBytes = (key: string): ConfigValue<Uint8Array | undefined> => ({
  parse: (rows) => {
    const value = rows.get(key)?.value;
    return value instanceof Uint8Array ? value : undefined;
  },
});
/** Returns the rows below a prefix, by their ids. */
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

/** The rows that are the configuration of a mount, as its type declares them. */
export interface ConfigSchema {
  /** Prefixes of the rows that each snapshot contains. */
  readonly prefixes: readonly string[];
  /** Prefixes of the rows that are read on demand, because there may be many. */
  readonly onDemand: readonly string[];
  /** The rows with defaults: writing the defaults to one that is absent changes nothing. */
  readonly settings: readonly Setting<object>[];
}

/**
 * The configuration of one epoch, by which issuance is decided. Its rows may be newer than its
 * epoch but never older, because the epoch is read first. A commit with an older epoch than the
 * store's is rejected, and the decision is computed again.
 */
export interface Snapshot {
  readonly epoch: number;
  readonly mount: MountRow;
  readonly mountRev: number;
  /** Returns a value of the configuration, parsed once per epoch. */
  get<T>(value: ConfigValue<T>): T;
  /** Returns the revision of a configuration row; null if it was never written. */
  rev(key: string): number | null;
  /** Returns a row that is read on demand, once per epoch. */
  row(key: string): Promise<Row | undefined>;
  /**
   * Reports whether a configuration row already has this value (`undefined`: the row is absent).
   * False for rows that are not configuration.
   */
  isUnchanged(key: string, value: unknown): Promise<boolean>;
}

/** Migrations of a mount's store: none so far. */
export const mountSteps: Steps = [];

/** Maximum number of cached roles, because callers can request any name. */
const maxOnDemand = 1000;

/**
 * Reads the configuration of a mount's store; undefined if the store does not (or no longer) belong
 * to a mount. Throws {@link NewerFormatError} if a later version wrote to it.
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

type ParsedValues = Map<ConfigValue<unknown>, { readonly value: unknown }>;
const findParsed = <T>(parsed: ParsedValues, value: ConfigValue<T>) =>
  // a value is stored under its own declaration, which has its type
  parsed.get(value) as { readonly value: T } | undefined;

/** Returns a reader that parses each value once. */
function parsedOnce(rows: ConfigRows): Snapshot["get"] {
  const parsed: ParsedValues = new Map();
  return (value) => {
    const cached = findParsed(parsed, value);
    if (cached) return cached.value;
    const parsedValue = value.parse(rows);
    parsed.set(value, { value: parsedValue });
    return parsedValue;
  };
}

/** Returns the configuration with one value replaced. Its rows stay as they are. */
export function withValue<T>(config: Snapshot, value: ConfigValue<T>, to: T): Snapshot {
  const replaced: ParsedValues = new Map([[value, { value: to }]]);
  return {
    ...config,
    get: (other) => (findParsed(replaced, other) ?? { value: config.get(other) }).value,
  };
}

/** Returns a reader of rows that reads each once per epoch. */
function onDemandRows(store: Store): Snapshot["row"] {
  const cache = new Map<string, Row | undefined>();
  return async (key) => {
    if (cache.has(key)) return cache.get(key);
    // caches the row, not the promise: requests on Workers may be cancelled, and then their
    // promises never settle
    const [row] = await store.get([key]);
    if (cache.size >= maxOnDemand) cache.clear();
    cache.set(key, row);
    return row;
  };
}
