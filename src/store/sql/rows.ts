import type { Page, StoreSize } from "../../engine/ports.ts";
import { apply, complete, isForEmptyStore, readEpoch } from "./apply.ts";
import type { Exporting, Table } from "./table.ts";
import { exportPart, getExported, nextPart } from "./export.ts";
import { columnsIn } from "./columns.ts";
import { list } from "./listing.ts";
import { get } from "./lookup.ts";
import type { PackedBatch, PackedExport, PackedList, PackedRow } from "./packed.ts";
import { first, type Database, type SqlValue } from "./sql.ts";
import { migrateTables, storedFact, hasTables, isNewer, makeTables, setFact } from "./tables.ts";
import { estimateSize } from "./size.ts";
import { writerOf } from "./writer.ts";

/** The rows of one store. All methods are synchronous; the caller controls the transactions. */
export interface Rows {
  /** Returns the first of the requested rows, as many as fit into one answer; at least one. */
  get(keys: readonly string[]): (PackedRow | null)[];
  /** Returns the first of the requested rows like `get`, with their index values. */
  getExported(keys: readonly string[]): (PackedExport["rows"][number] | null)[];
  list(prefix: string, page: Page): PackedList;
  epoch(): number;
  size(): StoreSize;
  /** Reports whether the rows have a later layout than this code knows. */
  newer(): boolean;
  /**
   * Checks which process wrote last, inside the caller's transaction, and returns whether another
   * one has written since; then cached state is dropped. Objects have exclusive databases, but two
   * servers may share a directory, and processes may share a file.
   */
  refresh(): boolean;
  /**
   * Applies a batch in the caller's transaction and returns the new epoch; null if a condition does
   * not hold. The first batch that changes anything records the writer. A batch without changes
   * writes nothing, because anonymous callers may use one to probe whether the storage is writable.
   * Before the transaction ends, the caller must call `complete`.
   */
  apply(batch: PackedBatch): number | null;
  /** Writes the rows that the batches of a transaction share. */
  complete(): void;
  /**
   * Returns the next part of the export with an id, or the first part of a new one, in the caller's
   * transaction; null if the export was lost.
   */
  exported(id: string | null, maxRows: number): PackedExport | null;
  /** Returns the next part of all rows, for a caller whose snapshot spans all parts. */
  part(exporting: Exporting, maxRows: number): PackedExport;
  /** Drops cached state, after a rollback or after the database was emptied. */
  forget(): void;
  /** Returns a fact about the store, which is stored in addition to its rows. */
  meta(name: string): SqlValue | undefined;
  setMeta(name: string, value: string | number): void;
}

const noRows: PackedExport = { id: "", rows: [], more: false };

/**
 * Returns the rows of a store in an SQLite database. The first commit creates its tables, and the
 * first use migrates an older layout. If the layout is of a later version, every use throws {@link
 * NewerFormatError}.
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
  const read = <T>(run: (of: Table) => T, otherwise: T): T => {
    const of = held();
    return of ? run(of) : otherwise;
  };
  return {
    get(keys) {
      const of = held();
      return of ? get(of, keys) : keys.map(() => null);
    },
    getExported(keys) {
      const of = held();
      return of ? getExported(of, keys) : keys.map(() => null);
    },
    list: (prefix, page) => read((of) => list(of, prefix, page), { rows: [], more: false }),
    epoch: () => (held() ? readEpoch(sql) : 0),
    size: () => read(() => estimateSize(sql), { rows: 0, bytes: 0 }),
    newer: () => isMade() && isNewer(sql),
    refresh() {
      const { mine, takenOver } = writer.checkOwner();
      if (!mine) forget();
      return takenOver;
    },
    apply(batch) {
      const of = held();
      if (!of && !isForEmptyStore(batch)) return null;
      return apply(of ?? make(), batch, writer);
    },
    complete: () => complete(held()),
    exported: (id, maxRows) =>
      read((of) => exportPart(of, writer, id, maxRows), id === null ? noRows : null),
    part: (exporting, maxRows) => read((of) => nextPart(of, exporting, maxRows), noRows),
    forget,
    meta,
    setMeta,
  };
}

/** Opens the tables of a store on first use; no other code tracks whether they exist. */
function tableIn(database: Database) {
  const { sql } = database;
  let table: Table | undefined;
  const opened = (): Table => {
    migrateTables(database);
    const split = first(sql, "SELECT 1 FROM parts LIMIT 1") !== undefined;
    return (table = {
      sql,
      columns: columnsIn(sql),
      epoch: undefined,
      split,
      numbers: new Map(),
      joined: [],
      jobs: new Map(),
    });
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
