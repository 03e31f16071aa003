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
  exporting?: Exporting | undefined;
}
