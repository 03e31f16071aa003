import type { Page, StoreSize } from "../../engine/ports.ts";
import { apply, complete, isForEmptyStore, readEpoch } from "./apply.ts";
import type { Exporting, Table } from "./table.ts";
import { exportPart, getExported, nextPart } from "./export.ts";
import { columnsIn } from "./columns.ts";
import { list } from "./listing.ts";
import { get } from "./lookup.ts";
import type {
  PackedBatch,
  PackedExport,
  PackedExportRow,
  PackedList,
  PackedRow,
} from "./packed.ts";
import { first, type Database, type SqlValue } from "./sql.ts";
import { migrateTables, storedFact, hasTables, isNewer, makeTables, setFact } from "./tables.ts";
import { estimateSize } from "./size.ts";
import { writerOf } from "./writer.ts";

/** The rows of one store. All methods are synchronous; the caller controls the transactions. */
export interface Rows {
  /** Returns the requested rows in order, at least one, and no more than fit into one response. */
  get(keys: readonly string[]): (PackedRow | null)[];
  /** Returns the requested rows as `get` does, with their index values. */
  getExported(keys: readonly string[]): (PackedExportRow | null)[];
  list(prefix: string, page: Page): PackedList;
  epoch(): number;
  size(): StoreSize;
  /** Reports whether the tables have a later layout than this version supports. */
  newer(): boolean;
  /**
   * Checks inside the caller's transaction which process wrote last, and drops cached state if it
   * was not this process. Returns whether another process has written since this process last did.
   * A Durable Object has its database to itself, but two servers may share a directory, and
   * processes may share a file.
   */
  refresh(): boolean;
  /**
   * Applies a batch in the caller's transaction, and returns the new epoch. Returns null if a
   * condition does not hold. The first batch that changes anything records this process as the
   * writer. A batch without changes writes nothing, because anonymous callers can cause such
   * batches, which probe whether the storage is writable. The caller must call `complete` before
   * the transaction ends.
   */
  apply(batch: PackedBatch): number | null;
  /** Writes the rows that the batches of the current transaction share. */
  complete(): void;
  /**
   * Returns the next part of an export, or the first part of a new export if `id` is null, in the
   * caller's transaction. Returns null if the export was lost.
   */
  exported(id: string | null, maxRows: number): PackedExport | null;
  /**
   * Returns the next part of an export. The caller reads all parts in one snapshot, so no old forms
   * of rows are saved.
   */
  part(exporting: Exporting, maxRows: number): PackedExport;
  /** Drops cached state. Required after a rollback, and once the database has been emptied. */
  forget(): void;
  /** Returns a property of the store, such as its layout, that is stored outside its rows. */
  meta(name: string): SqlValue | undefined;
  setMeta(name: string, value: string | number): void;
}

const noRows: PackedExport = { id: "", rows: [], more: false };

/**
 * Returns the rows of a store in an SQLite database. The first commit creates the store's tables,
 * and the first use migrates an older layout. If the layout is of a later version, every use throws
 * {@link NewerFormatError}.
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

/** Opens the tables of a store on first use, and tracks whether they exist. */
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
