import { mountIndexes } from "../../base/mount-indexes.ts";
import type { Index } from "../../engine/ports.ts";
import { all, type Sql } from "./sql.ts";
import { addIndex, columnOf } from "./tables.ts";

/**
 * The index columns of the `rows` table: one per index name, created when a row with this index is
 * first put. The first row of a mount creates all of `mountIndexes`.
 */
export interface Columns {
  /**
   * Returns the column number of an index. Returns undefined if no row was ever put with this
   * index.
   */
  slotOf(name: string): number | undefined;
  /** Returns the names and column numbers of all indexes. */
  names(): readonly (readonly [name: string, slot: number])[];
  /**
   * Returns index values in the order in which the statements bind them. Creates missing columns.
   */
  values(index: Index | undefined): readonly (string | number | null)[];
  /** Statement that inserts a row: key, revision, value, then index values. */
  readonly insert: string;
  /** Statement that inserts a row unless its key exists. */
  readonly insertNew: string;
  /** Statement that inserts or replaces a row. */
  readonly upsert: string;
}

/** An index to create, and the type of its values. */
type NewIndex = readonly [name: string, kind: "INTEGER" | "TEXT"];
/** Returns the index for a name and its first value. */
const kindOf = (name: string, value: unknown): NewIndex => [
  name,
  typeof value === "number" ? "INTEGER" : "TEXT",
];
/** Returns the indexes to create in a table without indexes, given the first name and value. */
const firstIndexes = (name: string, value: unknown): readonly NewIndex[] =>
  Object.hasOwn(mountIndexes, name) ? Object.entries(mountIndexes) : [kindOf(name, value)];

/** Reads the index columns from the tables. */
export function columnsIn(sql: Sql): Columns {
  const slots = new Map<string, number>();
  const columns = { insert: "", insertNew: "", upsert: "" };
  const load = (): void => {
    slots.clear();
    for (const [slot, name] of all<[number, string]>(sql, "SELECT slot, name FROM indexes"))
      slots.set(name, slot);
    Object.assign(columns, statements([...slots.values()].map(columnOf)));
  };
  const make = (names: readonly NewIndex[]): void => {
    let slot = Math.max(-1, ...slots.values());
    for (const [name, kind] of names) addIndex(sql, ++slot, name, kind);
    load();
  };
  load();
  return Object.assign(columns, {
    slotOf(name: string) {
      // another process may have created the column
      if (!slots.has(name)) load();
      return slots.get(name);
    },
    names: () => [...slots],
    values(index: Index | undefined) {
      for (const name in index)
        if (!slots.has(name))
          make(slots.size === 0 ? firstIndexes(name, index[name]) : [kindOf(name, index[name])]);
      const values: (string | number | null)[] = [];
      for (const name of slots.keys()) values.push(index?.[name] ?? null);
      return values;
    },
  });
}

function statements(names: readonly string[]): Pick<Columns, "insert" | "insertNew" | "upsert"> {
  const columns = ["key", "rev", "value", ...names];
  const insert = `INSERT INTO rows (${columns.join()}) VALUES (${columns.map(() => "?").join()})`;
  const set = columns.slice(1).map((name) => `${name} = excluded.${name}`);
  return {
    insert,
    insertNew: `${insert} ON CONFLICT (key) DO NOTHING`,
    upsert: `${insert} ON CONFLICT (key) DO UPDATE SET ${set.join()}`,
  };
}
