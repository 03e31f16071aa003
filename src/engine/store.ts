import type { Placement } from "./placement.ts";

/**
 * A row, and the revision at which it was read. `rev` only increases within a store. A value is
 * JSON data that may contain `Uint8Array`.
 */
export interface Row<T = unknown> {
  /** The stored value. */
  readonly value: T;
  /** Revision of the row. */
  readonly rev: number;
  /**
   * Value of the index by which the row was listed. Absent in other reads, and in stores that do
   * not return it; partitions need it, to merge their listings.
   */
  readonly indexed?: string | number;
}

/**
 * Index values of one row by index name: 1 to 32 characters of `a-z` and `_`; names are few and
 * never come from users. All values of an index are safe integers, or all are texts. An index does
 * not contain rows without a value for it.
 */
export type Index = Readonly<Record<string, string | number>>;

/** Revision that a key must still have for the batch to apply; null: the key must not exist. */
export type Expect = readonly [key: string, rev: number | null];

/**
 * A change as plain data: computed anywhere, and sent to where the rows are. It applies as a whole
 * or not at all.
 */
export interface Batch {
  /**
   * A number: the batch applies unless the store has a later epoch. "next": increments the epoch.
   */
  readonly epoch?: number | "next";
  /** Applies only if the store has exactly this epoch. */
  readonly onlyAtEpoch?: number;
  /** Required revisions by key; null: the row must not exist. */
  readonly expect?: readonly Expect[];
  /** Rows to write. */
  readonly put?: readonly (readonly [key: string, value: unknown, index?: Index])[];
  /**
   * Bytes to append to the pages below `prefix`: rows `<prefix><8 digits>`, counted from
   * `00000000`, each a `Uint8Array` of at most 64 KiB. An append is never split over two pages; a
   * longer one gets its own page. Has no precondition.
   */
  readonly append?: readonly (readonly [prefix: string, bytes: Uint8Array])[];
  /** Keys of rows to delete. */
  readonly del?: readonly string[];
  /** Values to append to logs. Has no precondition. */
  readonly log?: readonly LogEntry[];
  /** Keys in `put` that are housekeeping, and not a change for the caller. Stores ignore this. */
  readonly upkeep?: readonly string[];
  /** Deletes all rows first. Only the epoch stays, and logs are numbered from 1 again. */
  readonly clear?: boolean;
  /** Keys of rows to return as they are after the batch. */
  readonly read?: readonly string[];
}
/** Result of a committed batch. */
export interface Committed {
  /** The new epoch. */
  readonly epoch: number;
  /** The rows of `read`; absent or incomplete if the store does not return them with the commit. */
  readonly rows?: readonly (Row | undefined)[];
}
/**
 * A value for the log below `prefix`, stored as the row `<prefix><12 digits>`. The store assigns
 * the number, starting from 1. Numbers are never reused, even after deletions, so that a missing
 * row is noticed. `keep`: number of rows to retain, plus up to 100 more.
 *
 * `joins`: the value is a `Uint8Array` that does not change, and all entries of the log have
 * `joins`. A store may then write one row for consecutive entries of a transaction, under the
 * number of the last one. Its value is an array of theirs. A row for each entry is correct too.
 */
export type LogEntry = readonly [
  prefix: string,
  value: unknown,
  keep?: number | undefined,
  joins?: boolean,
];

/** A page of a listing. Without `by`: in key order (UTF-16 code units, keys are ASCII). */
export interface Page {
  /** Returns only keys after this one. Not with `by`. */
  readonly after?: string;
  /**
   * Rows with a value of the index `name` between `from` and `to` (inclusive), ordered by value,
   * then key; `after` is the last row seen. Empty if no row has the index. `anyOrder`: rows with
   * equal values may come in any order, which saves sorting; then a page may have fewer rows than
   * the limit although there are more, but never none. Cannot be combined with `after`.
   */
  readonly by?: {
    /** Name of the index. */
    readonly name: string;
    /** Lowest value, inclusive. */
    readonly from?: string | number;
    /** Highest value, inclusive. */
    readonly to?: string | number;
    /** Entry after which the page begins. */
    readonly after?: readonly [value: string | number, key: string];
    /** Whether any order is acceptable. */
    readonly anyOrder?: boolean;
  };
  /** Maximum number of rows. */
  readonly limit?: number;
  /** false: omits the values (`undefined`), to list only keys. */
  readonly values?: boolean;
}

/**
 * A store with atomic commits: a Durable Object, an IndexedDB database, a Map. Keys are ASCII, 1 to
 * 512 characters. The row `epoch` contains the epoch; if absent, it is 0.
 */
export interface Store {
  /** Where rows are, if the store has several partitions: a batch has rows of one. */
  readonly placement?: Placement | undefined;
  /** The stores of its partitions by number, if it has several; the first is the mount's own. */
  readonly partitions?: readonly Store[] | undefined;
  /** Returns the rows of keys, undefined for those that do not exist. */
  get(keys: readonly string[]): Promise<readonly (Row | undefined)[]>;
  /**
   * Returns the rows of keys with their index values, so that they can be put into another store.
   * Absent: mounts in such stores cannot get more partitions.
   */
  getWithIndex?(keys: readonly string[]): Promise<readonly (ExportedRow | undefined)[]>;
  /** Returns the rows whose keys begin with a prefix, ordered by key. */
  list(prefix: string, page?: Page): Promise<readonly (readonly [key: string, row: Row])[]>;
  /** Returns the current epoch. Absent if reading its row is as cheap. */
  epoch?(): Promise<number>;
  /** Returns its size, estimated from few rows; undefined, or absent: unknown. */
  size?(): Promise<StoreSize | undefined>;
  /** Frees the space of an unused store. Absent if deleting its rows does so. */
  drop?(): Promise<void>;
  /**
   * Yields all rows, including the epoch, as of the request for the first part, regardless of later
   * writes. Parts have at most `maxRows` rows and may be empty. A new export ends a running one.
   * Rejects with CaError `storage` if that state is lost, because the store was cleared or its host
   * was restarted. Absent: not supported.
   */
  export?(maxRows?: number): AsyncIterable<readonly ExportedRow[]>;
  /**
   * Applies the whole batch and returns the new epoch, or applies nothing and returns `undefined`
   * if a condition does not hold.
   */
  commit(batch: Batch): Promise<Committed | undefined>;
}
/** The size of a store. */
export interface StoreSize {
  /** Number of its rows. */
  readonly rows: number;
  /**
   * Bytes of its database if that has no other rows, else of keys and values. Absent: unknown.
   */
  readonly bytes?: number;
}
/** A row with its index values. */
export interface ExportedRow extends Row {
  readonly key: string;
  readonly index?: Index;
}

/** Opens stores by name: `sys`, or the uuid of a mount. */
export interface Stores {
  (name: string): Store;
  /**
   * `false`: the rows are lost when this process ends. Otherwise, also if absent, they survive it,
   * and so must the key of their secrets.
   */
  readonly durable?: boolean;
  /**
   * Whether mounts may have several partitions, each of which is the store `<uuid>.<number>`.
   * Requires listings with index values (`Row.indexed`). Absent: they may not.
   */
  readonly partitions?: boolean;
  /** Returns the total size of all stores in bytes. Absent: unknown. */
  size?(): Promise<number>;
  /**
   * Subscribes to commits of other processes. `changed` receives the name of a store and the keys
   * of the changed rows, including `epoch` if the epoch changed; without keys, any row may have
   * changed. The returned function resolves when `changed` was called for everything committed
   * before; undefined if it already was. Absent: cached rows may be a second old (D 4).
   */
  follow?(
    changed: (store: string, keys?: readonly string[]) => void,
  ): () => Promise<void> | undefined;
}
