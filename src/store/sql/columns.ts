import type { Index } from "../../engine/ports.ts";
import { all, type Sql } from "./sql.ts";
import { addIndex, columnOf } from "./tables.ts";

/**
 * Where the values of each index lie: a column of `rows` for each name, made when a row is first
 * put under it.
 */
export interface Columns {
  /** Number of the column of an index; undefined where no row was ever put under the name. */
  slotOf(name: string): number | undefined;
  /** The indexes and their columns. */
  names(): readonly (readonly [name: string, slot: number])[];
  /** The values of a row in the order of the statements' columns; makes columns that are absent. */
  values(index: Index | undefined): readonly (string | number | null)[];
  /** Inserts a row: key, revision, value, then its index values. */
  readonly insert: string;
  /** The same, and does nothing where there is one of that key. */
  readonly insertNew: string;
  /** The same, and replaces one of that key. */
  readonly upsert: string;
}

/** The index columns as the tables say now. */
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
      // another process may have made it
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
