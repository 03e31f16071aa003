import type { Placement } from "./placement.ts";

/**
 * A row with the revision at which it was read. Revisions only increase within a store. A value is
 * JSON data that may contain `Uint8Array`.
 */
export interface Row<T = unknown> {
  /** The stored value. */
  readonly value: T;
  /** Revision of the row. */
  readonly rev: number;
  /**
   * Value of the index by which the row was listed. Absent in other reads, and in stores that do
   * not return it. Partitions need it to merge their listings.
   */
  readonly indexed?: string | number;
}

/**
 * Index values of one row, by index name. A name has 1 to 32 characters of `a-z` and `_`; there are
 * few names, and none come from users. The values of an index are either all safe integers or all
 * strings. Rows without a value are not in the index.
 */
export type Index = Readonly<Record<string, string | number>>;

/**
 * Revision that a row must still have when the batch is committed, or null if it must not exist.
 */
export type Expect = readonly [key: string, rev: number | null];

/**
 * A change as plain data. It may be computed anywhere, is sent to the place where the rows are, and
 * is applied atomically.
 */
export interface Batch {
  /**
   * With a number, the commit fails if the store has a later epoch. "next" increments the epoch.
   */
  readonly epoch?: number | "next";
  /** The commit fails unless the store has exactly this epoch. */
  readonly onlyAtEpoch?: number;
  /** Required revisions of rows. */
  readonly expect?: readonly Expect[];
  /** Rows to write. */
  readonly put?: readonly (readonly [key: string, value: unknown, index?: Index])[];
  /**
   * Bytes to append to the pages under `prefix`: rows `<prefix><8 digits>`, numbered from
   * `00000000`, each a `Uint8Array` of at most 64 KiB. The bytes of one append are never split over
   * two pages; if they are longer, they get a separate page. Appends have no precondition.
   */
  readonly append?: readonly (readonly [prefix: string, bytes: Uint8Array])[];
  /** Keys of rows to delete. */
  readonly del?: readonly string[];
  /** Values to append to logs. Like `append`, they have no precondition. */
  readonly log?: readonly LogEntry[];
  /**
   * Keys in `put` whose rows are housekeeping and not a change for the caller. Stores ignore this.
   */
  readonly upkeep?: readonly string[];
  /** Whether to delete all rows first. Only the epoch stays, and logs are numbered from 1 again. */
  readonly clear?: boolean;
  /** Keys of rows to return in their state after the batch. */
  readonly read?: readonly string[];
}
/** The result of a committed batch. */
export interface Committed {
  /** The epoch after the batch. */
  readonly epoch: number;
  /**
   * The rows with the keys in `read`. Absent or incomplete if the store does not return rows with a
   * commit.
   */
  readonly rows?: readonly (Row | undefined)[];
}
/**
 * A value for the log under `prefix`, stored as the row `<prefix><12 digits>`. The store assigns
 * the number, starting from 1. Numbers are never reused, even after deletions, so that a missing
 * row is noticed. `keep` is the minimum number of rows to retain; up to 100 more may remain.
 *
 * `joins` may be set if all entries of the log set it and their values are `Uint8Array`s that do
 * not change. For consecutive entries of a transaction, a store may then write a single row under
 * the number of the last entry, with an array of the entries' values. One row for each entry is
 * also correct.
 */
export type LogEntry = readonly [
  prefix: string,
  value: unknown,
  keep?: number | undefined,
  joins?: boolean,
];

/**
 * Options of a listing. Without `by`, rows are in key order (UTF-16 code units; keys are ASCII).
 */
export interface Page {
  /** Returns only rows whose keys are after this key. Cannot be combined with `by`. */
  readonly after?: string;
  /**
   * Returns only rows with a value of the index `name` between `from` and `to`, ordered by value,
   * then key. Returns none if no row is in the index. With `anyOrder`, rows with equal values may
   * come in any order, which saves sorting. A page may then have fewer rows than the limit although
   * more rows follow, but at least one row. `anyOrder` cannot be combined with `after`.
   */
  readonly by?: {
    /** Name of the index. */
    readonly name: string;
    /** Lowest value, inclusive. */
    readonly from?: string | number;
    /** Highest value, inclusive. */
    readonly to?: string | number;
    /** Index value and key of the row after which the page begins. */
    readonly after?: readonly [value: string | number, key: string];
    /** Whether rows with equal values may come in any order. */
    readonly anyOrder?: boolean;
  };
  /** Maximum number of rows. */
  readonly limit?: number;
  /** If false, only keys are returned, and the values are `undefined`. */
  readonly values?: boolean;
  /** Keys. In a store with several partitions, only those to which these keys belong are listed. */
  readonly beside?: readonly string[] | undefined;
}

/**
 * A store with atomic commits, such as a Durable Object, an IndexedDB database or a Map. Keys have
 * 1 to 512 ASCII characters. The `epoch` row contains the epoch; without this row, it is 0.
 */
export interface Store {
  /**
   * The placement of rows, if the store has several partitions. All rows of a batch must be in one
   * partition.
   */
  readonly placement?: Placement | undefined;
  /** The stores of the partitions by number, if there are several. The first is the mount's own. */
  readonly partitions?: readonly Store[] | undefined;
  /** Returns the rows with these keys, or undefined for a row that does not exist. */
  get(keys: readonly string[]): Promise<readonly (Row | undefined)[]>;
  /**
   * Returns the rows with these keys and their index values, so that they can be put into another
   * store. If absent, mounts in such stores cannot get more partitions.
   */
  getWithIndex?(keys: readonly string[]): Promise<readonly (ExportedRow | undefined)[]>;
  /** Returns the rows whose keys begin with the given prefix, ordered by key. */
  list(prefix: string, page?: Page): Promise<readonly (readonly [key: string, row: Row])[]>;
  /**
   * Lists rows as `list` does, and then reads the row `key`. Absent if two calls cost about the
   * same.
   */
  listThenGet?(
    prefix: string,
    page: Page,
    key: string,
  ): Promise<readonly [rows: readonly (readonly [key: string, row: Row])[], row: Row | undefined]>;
  /** Returns the current epoch. Absent if this is not faster than reading the `epoch` row. */
  epoch?(): Promise<number>;
  /**
   * Returns the size of the store, estimated from a few rows, or undefined if the size is unknown.
   * Absent if the size is always unknown.
   */
  size?(): Promise<StoreSize | undefined>;
  /** Frees the space of an unused store. Absent if deleting the rows already frees the space. */
  drop?(): Promise<void>;
  /**
   * Yields all rows, including the epoch, in their state when the first part was requested,
   * regardless of later writes. Parts have at most `maxRows` rows and may be empty. A new export
   * ends an export that is in progress. Rejects with CaError `storage` if that state is lost,
   * because the store was cleared or its host was restarted. Absent if exports are not supported.
   */
  export?(maxRows?: number): AsyncIterable<readonly ExportedRow[]>;
  /**
   * Applies the whole batch, or applies nothing and returns `undefined` if a condition does not
   * hold.
   */
  commit(batch: Batch): Promise<Committed | undefined>;
}
/** The rows of a listing, and a row that was read after them. */
export type ListingAndRow = readonly [
  rows: readonly (readonly [key: string, row: Row])[],
  row: Row | undefined,
];
/** The size of a store. */
export interface StoreSize {
  /** Number of rows. */
  readonly rows: number;
  /**
   * Size in bytes: the size of the database if it has no other rows, and otherwise the size of the
   * keys and values. Absent if unknown.
   */
  readonly bytes?: number;
}
/** A row with its index values. */
export interface ExportedRow extends Row {
  readonly key: string;
  readonly index?: Index;
}

/**
 * A function that opens a store by name: `sys`, the UUID of a mount, or the name of another API's
 * store.
 */
export interface Stores {
  (name: string): Store;
  /**
   * If `false`, the rows are lost when this process ends. If `true` or absent, the rows survive,
   * and so must the key that seals their secrets.
   */
  readonly durable?: boolean;
  /**
   * Whether mounts may have several partitions, in the stores `<uuid>` and `<uuid>.<number>`.
   * Requires listings with index values (`Row.indexed`). False if absent.
   */
  readonly partitions?: boolean;
  /** Returns the total size of all stores in bytes. Absent if unknown. */
  size?(): Promise<number>;
  /**
   * Subscribes to commits by other processes. `changed` receives the name of a store and the keys
   * of the changed rows, including `epoch` if the epoch changed. Without keys, any row may have
   * changed. The returned function resolves when `changed` has been called for all previous
   * commits. It returns undefined if that is already the case. If absent, cached rows may be a
   * second old (D 4).
   */
  follow?(
    changed: (store: string, keys?: readonly string[]) => void,
  ): () => Promise<void> | undefined;
}
