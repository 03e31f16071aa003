import type { Columns } from "./columns.ts";
import type { Sql } from "./sql.ts";

/** A running export of all rows up to a revision. */
export interface Exporting {
  readonly id: string;
  /** Maximum revision of the rows in the export. */
  readonly rev: number;
  /** The last key that the export has reached. */
  after: string;
}

/** The last number of a log. */
interface LastNumber {
  readonly n: number;
  /** Revision of the row with the last number, if it is still to be written in this transaction. */
  readonly unwritten?: number;
}

/** The encoded entries of a log that will share its next row. */
export interface JoinedEntries {
  /** Prefix of the log. */
  readonly prefix: string;
  readonly values: Uint8Array[];
  size: number;
  /** Sequence number of the last entry, under which the row is stored. */
  last: number;
  /** Revision that the row will have. */
  rev: number;
}

/** The tables of a store, with the state that is cached for commits. */
export interface Table {
  readonly sql: Sql;
  readonly columns: Columns;
  /**
   * The epoch, or undefined if it has not been read yet. Only commits use it, because they first
   * check whether another process has written.
   */
  epoch: number | undefined;
  /** Whether any value may be split into several parts. */
  split: boolean;
  /**
   * The last sequence number per log, by the key of its row; cached across commits, as the epoch
   * is.
   */
  readonly numbers: Map<string, LastNumber>;
  /** Log entries that are still to be written in this transaction; few logs have any. */
  readonly joined: JoinedEntries[];
  /** The encoded rows of jobs that were put in this transaction, by key. */
  readonly jobs: Map<string, Uint8Array>;
  exporting?: Exporting | undefined;
}
