import { NewerFormat, type Format } from "../../base/newer-format.ts";
import { first, run, type Database, type Sql, type SqlValue } from "./sql.ts";

/**
 * The form of the tables that this code reads and writes. Tables remember the number of theirs in
 * `meta`, whose own form never changes; those of the first form remember none.
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

/** Makes the tables of an object that has none. */
export function makeTables(sql: Sql): void {
  run(sql, schema);
  noteLayout(sql);
}
function noteLayout(sql: Sql): void {
  setFact(sql, "layout", layout.number);
  setFact(sql, "version", layout.version);
}

/** Whether an object has tables. One that was only asked, or has given its space back, has none. */
export const hasTables = (sql: Sql): boolean =>
  first(sql, "SELECT 1 FROM sqlite_master WHERE name = 'meta'") !== undefined;

/** A fact about an object that has tables. */
export const fact = (sql: Sql, name: string): SqlValue | undefined =>
  first(sql, "SELECT value FROM meta WHERE name = ?", name)?.[0];
/** Stores a fact about an object that has tables. */
export function setFact(sql: Sql, name: string, value: string | number): void {
  const upsert =
    "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
  run(sql, upsert, name, value);
}

/** The column of an index, and the B-tree over it. */
export const columnOf = (slot: number): string => `at${slot}`;
/** Name of the B-tree over the column of an index. */
export const treeOf = (slot: number): string => `rows_${columnOf(slot)}`;
/** The statement that makes the B-tree over the column of an index. */
export const treeStatement = (slot: number): string =>
  `CREATE INDEX ${treeOf(slot)} ON rows (${columnOf(slot)}) WHERE ${columnOf(slot)} IS NOT NULL`;

/** The first layout had four indexes, each a column of its name. */
const firstIndexes = ["not_after", "name", "role", "issuer"];

/**
 * The steps from older layouts to this one. Each is one transaction, does nothing when it was done
 * before, and leaves behind what the next start goes on from.
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

const numberOf = (sql: Sql): number => Number(fact(sql, "layout") ?? 1);
/** Whether tables are of a later layout. */
export const isNewer = (sql: Sql): boolean => numberOf(sql) > layout.number;

/**
 * Brings tables of an older layout up to date. Throws {@link NewerFormat} for those of a later one,
 * which stay as they are.
 */
export function bringUpToDate(database: Database): void {
  const { sql } = database;
  const number = numberOf(sql);
  if (isNewer(sql)) {
    const version = fact(sql, "version");
    throw new NewerFormat(typeof version === "string" ? { number, version } : { number });
  }
  if (number === layout.number) return;
  for (const step of layoutSteps) database.transactionSync(() => step(sql));
}
