import type { Index } from "../../engine/ports.ts";
import { all, type Sql } from "./sql.ts";
import { addIndex, columnOf } from "./tables.ts";

/**
 * The columns of indexes: one of `rows` per index name, created when a row is first put with it.
 */
export interface Columns {
  /** Returns the column number of an index; undefined if no row was ever put with it. */
  slotOf(name: string): number | undefined;
  /** Returns the indexes and their columns. */
  names(): readonly (readonly [name: string, slot: number])[];
  /**
   * Returns the values of a row in the order of the statements' columns, creating missing columns.
   */
  values(index: Index | undefined): readonly (string | number | null)[];
  /** Inserts a row: key, revision, value, then index values. */
  readonly insert: string;
  /** Inserts a row unless the key exists. */
  readonly insertNew: string;
  /** Inserts or replaces a row. */
  readonly upsert: string;
}

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
  const make = (name: string, kind: "INTEGER" | "TEXT"): void => {
    const slot = Math.max(-1, ...slots.values()) + 1;
    addIndex(sql, slot, name, kind);
    load();
  };
  load();
  return Object.assign(columns, {
    slotOf(name: string) {
      // another process may have created it
      if (!slots.has(name)) load();
      return slots.get(name);
    },
    names: () => [...slots],
    values(index: Index | undefined) {
      for (const name in index)
        if (!slots.has(name)) make(name, typeof index[name] === "number" ? "INTEGER" : "TEXT");
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
