/**
 * A row and the revision it was read at. `rev` only ever grows within one store. A value is JSON
 * data that may contain `Uint8Array`.
 */
export interface Row<T = unknown> {
  readonly value: T;
  readonly rev: number;
}

/**
 * Index values of one row, by the names that whoever lists by them has given the indexes: 1 to 32
 * characters of `a-z` and `_`; names are few, and never made of what users send. Under one name all
 * values are safe integers, or all are texts. A row without a value for an index is not found by
 * that index.
 */
export type Index = Readonly<Record<string, string | number>>;

/** Revision a key must still have for the batch to apply; null: the key must not exist. */
export type Expect = readonly [key: string, rev: number | null];

/**
 * A change as plain data: built anywhere, sent to where the rows live. All of it applies, or
 * nothing.
 */
export interface Batch {
  /** A number: applies unless the store has seen a later epoch. "next": the epoch grows by one. */
  readonly epoch?: number | "next";
  /** Applies only while the store holds exactly this epoch. */
  readonly onlyAtEpoch?: number;
  readonly expect?: readonly Expect[];
  readonly put?: readonly (readonly [key: string, value: unknown, index?: Index])[];
  /**
   * Bytes added to the end of the pages below `prefix`: rows `<prefix><8 digits>`, counted from
   * `00000000`, each a `Uint8Array` of 64 KiB at most. One append is never spread over two pages (a
   * longer one gets a page of its own). Expects nothing.
   */
  readonly append?: readonly (readonly [prefix: string, bytes: Uint8Array])[];
  readonly del?: readonly string[];
  /** Values added to the end of logs. Expects nothing. */
  readonly log?: readonly LogEntry[];
  /**
   * Keys of rows of `put` that are kept beside a call and change nothing for its caller. Stores
   * ignore it.
   */
  readonly upkeep?: readonly string[];
  /** Deletes every row first; only the epoch stays, and logs begin anew. */
  readonly clear?: boolean;
  /** Keys of rows to be given as they are once the batch has applied. */
  readonly read?: readonly string[];
}
/** What is told of a batch that has applied. */
export interface Committed {
  /** The epoch now held. */
  readonly epoch: number;
  /** The rows of `read`; absent where the store gives none with a commit, or not all of them. */
  readonly rows?: readonly (Row | undefined)[];
}
/**
 * A value for the log below `prefix`, which becomes the row `<prefix><12 digits>`. The store gives
 * the number, from 1 on: each is the last one and one more, and none is given again, whichever rows
 * are deleted, so that a row that is missing shows. `keep`: so many of the last rows stay, and 100
 * more at most.
 */
export type LogEntry = readonly [prefix: string, value: unknown, keep?: number];

/** Which rows of a listing. Without `by`: in key order (UTF-16 code units, keys are ASCII). */
export interface Page {
  /** Only keys after this one. Without `by` only. */
  readonly after?: string;
  /**
   * Rows with a value of the index `name` between `from` and `to` (both included), ordered by
   * value, then key; `after` is the last row seen. None where no row has been put under the name.
   * `anyOrder`: those of one value may come in any order, which spares sorting them, and fewer than
   * the limit may come although there are more, but never none; without `after`.
   */
  readonly by?: {
    readonly name: string;
    readonly from?: string | number;
    readonly to?: string | number;
    readonly after?: readonly [value: string | number, key: string];
    readonly anyOrder?: boolean;
  };
  readonly limit?: number;
  /** false: the rows' values are left out (`undefined`), for listings of keys. */
  readonly values?: boolean;
}

/**
 * One atomic unit: a Durable Object, an IndexedDB database, a Map. Keys are ASCII of 1 to 512
 * characters. The row `epoch` holds the epoch, absent means 0.
 */
export interface Store {
  get(keys: readonly string[]): Promise<readonly (Row | undefined)[]>;
  list(prefix: string, page?: Page): Promise<readonly (readonly [key: string, row: Row])[]>;
  /** The epoch now held; absent where reading its row is as cheap. */
  epoch?(): Promise<number>;
  /**
   * Gives back the space of a store that is used no more, which its rows alone do not; absent where
   * clearing it does.
   */
  drop?(): Promise<void>;
  /**
   * All rows, that of the epoch too, as they were together at the moment when the first part is
   * asked for, whatever is written meanwhile. Parts have `maxRows` rows at most and may have none.
   * One export at a time: another one ends it. Rejects with CaError `storage` when that moment is
   * lost: the store was cleared, or what keeps its rows has started anew. Absent: this store
   * cannot.
   */
  export?(maxRows?: number): AsyncIterable<readonly ExportedRow[]>;
  /**
   * Applies all of `batch` and tells the epoch now held, or nothing and `undefined` when a
   * condition does not hold.
   */
  commit(batch: Batch): Promise<Committed | undefined>;
}
/** A row with all that was put with it. */
export interface ExportedRow extends Row {
  readonly key: string;
  readonly index?: Index;
}

/** Opens the store of a name: `sys`, or the uuid of a mount. */
export interface Stores {
  (name: string): Store;
  /**
   * `false`: the rows end with this process. Anything else, and being absent, means that they
   * outlive it, and then secrets in them need a key that does so too.
   */
  readonly durable?: boolean;
  /** Bytes that all stores take together. Absent: unknown. */
  size?(): Promise<number>;
  /**
   * Tells of what other processes commit: `changed` gets the name of a store and the keys of the
   * rows that were changed, `epoch` among them where the epoch is another; without keys any row may
   * be. What it returns resolves once `changed` was told of all that was committed before it was
   * called; undefined where that has happened already. Absent: what an engine has read may be a
   * second old (D 4).
   */
  follow?(
    changed: (store: string, keys?: readonly string[]) => void,
  ): () => Promise<void> | undefined;
}
