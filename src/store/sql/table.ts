import type { Columns } from "./columns.ts";
import type { Sql } from "./sql.ts";

/** A running export. */
export interface Exporting {
  readonly id: string;
  /** Rows with later revisions are excluded. */
  readonly rev: number;
  /** The last key reached. */
  after: string;
}

/** The last number of a log. */
interface LastNumber {
  readonly n: number;
  /** Revision of its row, if the row is still to be written in this transaction. */
  readonly unwritten?: number;
}

/** The entries of a log that share the next row, encoded. */
export interface JoinedEntries {
  /** Prefix of the log. */
  readonly prefix: string;
  readonly values: Uint8Array[];
  size: number;
  /** Number of the last one, which is that of the row. */
  last: number;
  /** Revision of the row. */
  rev: number;
}

/** The tables of an object, for a commit. */
export interface Table {
  readonly sql: Sql;
  readonly columns: Columns;
  /**
   * The epoch, for commits, which know that no other process has written; undefined if not read
   * yet.
   */
  epoch: number | undefined;
  /** Whether any value may have further parts. */
  split: boolean;
  /** The last numbers of logs by the keys of their rows, for commits, like the epoch. */
  readonly numbers: Map<string, LastNumber>;
  /** Entries that are still to be written in this transaction; few logs have any. */
  readonly joined: JoinedEntries[];
  /** The rows of jobs put in this transaction, encoded. */
  readonly jobs: Map<string, Uint8Array>;
  exporting?: Exporting | undefined;
}
