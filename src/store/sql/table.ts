import type { Columns } from "./columns.ts";
import type { Sql } from "./sql.ts";

/** An export under way. */
export interface Exporting {
  readonly id: string;
  /** Rows of later revisions are none of it. */
  readonly rev: number;
  /** The last key that it has come to. */
  after: string;
}

/** The tables of an object as a commit finds them. */
export interface Table {
  readonly sql: Sql;
  readonly columns: Columns;
  /** The epoch, for commits, which know that nobody else has written; undefined: not read yet. */
  epoch: number | undefined;
  /** Whether some value may have further parts. */
  split: boolean;
  exporting?: Exporting | undefined;
}
