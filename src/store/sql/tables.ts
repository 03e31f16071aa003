import { NewerFormatError, type Format } from "../../base/newer-format.ts";
import { all, first, run, type Database, type Sql, type SqlValue } from "./sql.ts";

/**
 * The layout of the tables in this version. Its number is stored in the `meta` table, whose own
 * layout never changes; the first layout stores no number.
 */
export const layout: Required<Format> = { number: 2, version: "0.2.0" };

const schema = `
  CREATE TABLE rows (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, rev INTEGER NOT NULL, value BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX rows_key ON rows (key);
  CREATE TABLE parts (
    row INTEGER NOT NULL, n INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (row, n)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE indexes (slot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Creates the tables of a store. */
export function makeTables(sql: Sql): void {
  run(sql, schema);
  noteLayout(sql);
}
function noteLayout(sql: Sql): void {
  setFact(sql, "layout", layout.number);
  setFact(sql, "version", layout.version);
}

/**
 * Reports whether a store has tables. It has none before the first commit and after it was dropped.
 */
export const hasTables = (sql: Sql): boolean =>
  first(sql, "SELECT 1 FROM sqlite_master WHERE name = 'meta'") !== undefined;
/** Reports whether the `indexes` table exists, which the first layout does not have. */
const hasIndexes = (sql: Sql): boolean =>
  first(sql, "SELECT 1 FROM sqlite_master WHERE name = 'indexes'") !== undefined;

/** Returns a property of a store from its `meta` table. */
export const storedFact = (sql: Sql, name: string): SqlValue | undefined =>
  first(sql, "SELECT value FROM meta WHERE name = ?", name)?.[0];
/** Stores a property of a store in its `meta` table. */
export function setFact(sql: Sql, name: string, value: string | number): void {
  const upsert =
    "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
  run(sql, upsert, name, value);
}

/** Returns the name of an index column. */
export const columnOf = (slot: number): string => `at${slot}`;
/** Returns the name of the B-tree over an index column. */
export const treeOf = (slot: number): string => `rows_${columnOf(slot)}`;
/** Returns the statement that creates the B-tree over an index column. */
const treeStatement = (slot: number): string =>
  `CREATE INDEX ${treeOf(slot)} ON rows (${columnOf(slot)}) WHERE ${columnOf(slot)} IS NOT NULL`;

/** Creates an index column with its B-tree. */
export function addIndex(sql: Sql, slot: number, name: string, kind: "INTEGER" | "TEXT"): void {
  run(sql, `ALTER TABLE rows ADD COLUMN ${columnOf(slot)} ${kind}`);
  run(sql, treeStatement(slot));
  run(sql, "INSERT INTO indexes (slot, name) VALUES (?, ?)", slot, name);
}

/** Names of the indexes in the first layout, each of which has a column with the same name. */
const firstIndexes = ["not_after", "name", "role", "issuer"];

/** An index of a store, independent of the layout. */
export interface IndexColumn {
  readonly name: string;
  readonly slot: number;
  /** The column of `rows` that contains the index values. */
  readonly column: string;
  readonly kind: "INTEGER" | "TEXT";
}
/**
 * Returns the indexes of tables in this layout or an older layout, without migrating the tables.
 */
export function indexColumns(sql: Sql): readonly IndexColumn[] {
  const kinds = new Map(
    all<[string, string]>(sql, "SELECT name, type FROM pragma_table_info('rows')"),
  );
  const existing = hasIndexes(sql)
    ? all<[number, string]>(sql, "SELECT slot, name FROM indexes")
    : [];
  const older = firstIndexes.flatMap((name, slot) =>
    kinds.has(name) ? [{ name, slot, column: name }] : [],
  );
  return [...existing.map(([slot, name]) => ({ name, slot, column: columnOf(slot) })), ...older]
    .map(
      (index) =>
        ({ ...index, kind: kinds.get(index.column) === "INTEGER" ? "INTEGER" : "TEXT" }) as const,
    )
    .sort((a, b) => a.slot - b.slot);
}

/**
 * Steps that migrate older layouts. Each step is one transaction and does nothing if it is already
 * done, so that an interrupted migration can be resumed.
 */
export const layoutSteps: readonly ((sql: Sql) => void)[] = [
  (sql) =>
    void run(
      sql,
      "CREATE TABLE IF NOT EXISTS indexes (slot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
    ),
  ...firstIndexes.map((name, slot) => (sql: Sql) => {
    if (first(sql, "SELECT 1 FROM indexes WHERE name = ?", name)) return;
    run(sql, `DROP INDEX IF EXISTS rows_${name}`);
    run(sql, `ALTER TABLE rows RENAME COLUMN ${name} TO ${columnOf(slot)}`);
    run(sql, treeStatement(slot));
    run(sql, "INSERT INTO indexes (slot, name) VALUES (?, ?)", slot, name);
  }),
  noteLayout,
];

const numberOf = (sql: Sql): number => Number(storedFact(sql, "layout") ?? 1);
/** Reports whether tables have a later layout. */
export const isNewer = (sql: Sql): boolean => numberOf(sql) > layout.number;

/**
 * Migrates tables of an older layout. Throws {@link NewerFormatError} for a later layout, which
 * stays unchanged.
 */
export function migrateTables(database: Database): void {
  const { sql } = database;
  const number = numberOf(sql);
  if (isNewer(sql)) {
    const version = storedFact(sql, "version");
    throw new NewerFormatError(typeof version === "string" ? { number, version } : { number });
  }
  if (number === layout.number) return;
  for (const step of layoutSteps) database.transactionSync(() => step(sql));
}
