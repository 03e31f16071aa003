/**
 * A row and the revision it was read at. `rev` only grows within a store. A value is JSON data that
 * may contain `Uint8Array`.
 */
export interface Row<T = unknown> {
  /** The stored value. */
  readonly value: T;
  /** Revision of the row. */
  readonly rev: number;
}

/**
 * Index values of one row by index name: 1 to 32 characters of `a-z` and `_`; names are few and
 * never come from users. All values of an index are safe integers, or all are texts. A row without
 * a value for an index is not found by it.
 */
export type Index = Readonly<Record<string, string | number>>;

/** Revision a key must still have for the batch to apply; null: the key must not exist. */
export type Expect = readonly [key: string, rev: number | null];

/**
 * A change as plain data: computed anywhere, sent to where the rows live. It applies as a whole or
 * not at all.
 */
export interface Batch {
  /** A number: applies unless the store has a later epoch. "next": increments the epoch. */
  readonly epoch?: number | "next";
  /** Applies only if the store has exactly this epoch. */
  readonly onlyAtEpoch?: number;
  /** Required revisions by key; null: the row must not exist. */
  readonly expect?: readonly Expect[];
  /** Rows to write. */
  readonly put?: readonly (readonly [key: string, value: unknown, index?: Index])[];
  /**
   * Bytes to append to the pages below `prefix`: rows `<prefix><8 digits>`, counted from
   * `00000000`, each a `Uint8Array` of at most 64 KiB. An append is never split over two pages (a
   * longer one gets a page of its own). Expects nothing.
   */
  readonly append?: readonly (readonly [prefix: string, bytes: Uint8Array])[];
  /** Keys of rows to delete. */
  readonly del?: readonly string[];
  /** Values to append to logs. Expects nothing. */
  readonly log?: readonly LogEntry[];
  /** Keys in `put` that are housekeeping and no change for the caller. Stores ignore it. */
  readonly upkeep?: readonly string[];
  /** Deletes all rows first; only the epoch stays, and logs are numbered from 1 again. */
  readonly clear?: boolean;
  /** Keys of rows to return as they are after the batch. */
  readonly read?: readonly string[];
}
/** Result of a committed batch. */
export interface Committed {
  /** The new epoch. */
  readonly epoch: number;
  /** The rows of `read`; absent if the store returns none with a commit, or not all of them. */
  readonly rows?: readonly (Row | undefined)[];
}
/**
 * A value for the log below `prefix`, stored as the row `<prefix><12 digits>`. The store assigns
 * the number, counting from 1; numbers are never reused, even after deletions, so that a missing
 * row is noticed. `keep`: number of rows to retain, and up to 100 more.
 */
export type LogEntry = readonly [prefix: string, value: unknown, keep?: number];

/** A page of a listing. Without `by`: in key order (UTF-16 code units, keys are ASCII). */
export interface Page {
  /** Only keys after this one. Without `by` only. */
  readonly after?: string;
  /**
   * Rows with a value of the index `name` between `from` and `to` (inclusive), ordered by value,
   * then key; `after` is the last row seen. Empty if no row has the index. `anyOrder`: rows of
   * equal value may come in any order, which saves sorting, and fewer than the limit may come
   * although there are more, but never none; not with `after`.
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
    /** Whether any order will do. */
    readonly anyOrder?: boolean;
  };
  /** Maximum number of rows. */
  readonly limit?: number;
  /** false: omits the values (`undefined`), for listings of keys. */
  readonly values?: boolean;
}

/**
 * A store with atomic commits: a Durable Object, an IndexedDB database, a Map. Keys are ASCII of 1
 * to 512 characters. The row `epoch` has the epoch, absent means 0.
 */
export interface Store {
  /** Returns the rows of keys, undefined for those that do not exist. */
  get(keys: readonly string[]): Promise<readonly (Row | undefined)[]>;
  /** Returns the rows whose keys begin with a prefix, by key. */
  list(prefix: string, page?: Page): Promise<readonly (readonly [key: string, row: Row])[]>;
  /** Returns the current epoch; absent if reading its row is as cheap. */
  epoch?(): Promise<number>;
  /** Frees the space of an unused store, if deleting its rows does not; absent if it does. */
  drop?(): Promise<void>;
  /**
   * Yields all rows, including the epoch, as of the moment when the first part is requested,
   * whatever is written meanwhile. Parts have at most `maxRows` rows and may be empty. A new export
   * ends a running one. Rejects with CaError `storage` if that moment is lost: the store was
   * cleared, or its host has restarted. Absent: not supported.
   */
  export?(maxRows?: number): AsyncIterable<readonly ExportedRow[]>;
  /**
   * Applies all of `batch` and returns the new epoch, or applies nothing and returns `undefined` if
   * a condition does not hold.
   */
  commit(batch: Batch): Promise<Committed | undefined>;
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
   * `false`: the rows end with this process. Otherwise, also if absent, they outlive it, and their
   * secrets need a key that outlives it too.
   */
  readonly durable?: boolean;
  /** Returns the total size of all stores in bytes. Absent: unknown. */
  size?(): Promise<number>;
  /**
   * Subscribes to commits of other processes: `changed` gets the name of a store and the keys of
   * the changed rows, including `epoch` if the epoch changed; without keys any row may have
   * changed. The returned function resolves once `changed` was called for everything committed
   * before; undefined if it already was. Absent: cached rows may be a second old (D 4).
   */
  follow?(
    changed: (store: string, keys?: readonly string[]) => void,
  ): () => Promise<void> | undefined;
}
