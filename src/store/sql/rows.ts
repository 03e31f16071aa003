import type { Page } from "../../engine/ports.ts";
import { apply, fitsNothing, readEpoch } from "./apply.ts";
import type { Exporting, Table } from "./table.ts";
import { exportPart, nextPart } from "./export.ts";
import { columnsIn } from "./columns.ts";
import { list } from "./listing.ts";
import { get } from "./lookup.ts";
import type { PackedBatch, PackedExport, PackedList, PackedRow } from "./packed.ts";
import { first, type Database, type SqlValue } from "./sql.ts";
import { bringUpToDate, storedFact, hasTables, isNewer, makeTables, setFact } from "./tables.ts";
import { writerOf } from "./writer.ts";

/** The rows of one store. Nothing here waits: whoever calls it decides what is one transaction. */
export interface Rows {
  /** The first of the wanted rows, as many as fit into one answer; at least one. */
  get(keys: readonly string[]): (PackedRow | null)[];
  list(prefix: string, page: Page): PackedList;
  epoch(): number;
  /** Whether the rows are in a later layout than this code knows. */
  newer(): boolean;
  /**
   * Looks who wrote last, inside the caller's transaction, and tells whether another process has
   * written since this one did: then what was kept in memory is forgotten. Objects are alone with
   * their database, but two servers may be started on one directory, and processes share a file.
   */
  look(): boolean;
  /**
   * Applies a batch inside the caller's transaction, and tells the epoch then held; null: a
   * condition does not hold. The first one that changes anything says who writes; one that changes
   * nothing writes nothing, because strangers may have it tried whether the storage takes writes.
   */
  apply(batch: PackedBatch): number | null;
  /**
   * The next part of the export of an id, or the first of a new one, inside the caller's
   * transaction; null: the export is lost.
   */
  exported(id: string | null, maxRows: number): PackedExport | null;
  /** The next part of all rows, for whoever holds one view of them over all parts. */
  part(exporting: Exporting, maxRows: number): PackedExport;
  /**
   * Forgets what is kept in memory: after a transaction that was rolled back, or when the database
   * was emptied.
   */
  forget(): void;
  /** A fact about the store, kept beside its rows. */
  meta(name: string): SqlValue | undefined;
  setMeta(name: string, value: string | number): void;
}

const noRows: PackedExport = { id: "", rows: [], more: false };

/**
 * The rows of a store in an SQLite database; its tables are made by the first commit, and those
 * of an older layout brought up to date by the first use. Where they are of a later one every use
 * of the rows throws {@link NewerFormatError}.
 */
export function rowsIn(database: Database): Rows {
  const { sql } = database;
  const { held, make, close, isMade } = tableIn(database);
  const meta = (name: string) => (isMade() ? storedFact(sql, name) : undefined);
  const setMeta = (name: string, value: string | number): void => {
    if (!held()) make();
    setFact(sql, name, value);
  };
  const writer = writerOf(meta, setMeta);
  const forget = (): void => {
    close();
    writer.forget();
  };
  return {
    get(keys) {
      const of = held();
      return of ? get(of, keys) : keys.map(() => null);
    },
    list(prefix, page) {
      const of = held();
      return of ? list(of, prefix, page) : { rows: [], more: false };
    },
    epoch: () => (held() ? readEpoch(sql) : 0),
    newer: () => isMade() && isNewer(sql),
    look() {
      const { mine, takenOver } = writer.look();
      if (!mine) forget();
      return takenOver;
    },
    apply(batch) {
      const of = held();
      if (!of && !fitsNothing(batch)) return null;
      return apply(of ?? make(), batch, writer);
    },
    exported(id, maxRows) {
      const of = held();
      if (of) return exportPart(of, writer, id, maxRows);
      return id === null ? noRows : null;
    },
    part(exporting, maxRows) {
      const of = held();
      return of ? nextPart(of, exporting, maxRows) : noRows;
    },
    forget,
    meta,
    setMeta,
  };
}

/** The tables of a store, opened by the first use: the one place that knows whether they are. */
function tableIn(database: Database) {
  const { sql } = database;
  let table: Table | undefined;
  const opened = (): Table => {
    bringUpToDate(database);
    const split = first(sql, "SELECT 1 FROM parts LIMIT 1") !== undefined;
    return (table = { sql, columns: columnsIn(sql), epoch: undefined, split });
  };
  const isMade = (): boolean => table !== undefined || hasTables(sql);
  return {
    isMade,
    held: () => table ?? (isMade() ? opened() : undefined),
    make: () => {
      makeTables(sql);
      return opened();
    },
    close: () => void (table = undefined),
  };
}
