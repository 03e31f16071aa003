import { answerBytes, valuesOf, wholeValue } from "./listing.ts";
import type { PackedRow } from "./packed.ts";
import { all, first, type Sql, type SqlValue } from "./sql.ts";
import type { Table } from "./table.ts";

/**
 * Reports whether there are enough keys for one statement to be cheaper than one statement per key.
 */
export const areMany = (keys: readonly string[]): boolean => keys.length > 4;
/** Encodes keys as the parameter of `json_each(?)`. */
export const jsonKeys = (keys: readonly string[]): string => JSON.stringify(keys);
/** The join of the requested keys with their rows. LEFT JOIN preserves the order of the keys. */
const join = "FROM json_each(?) AS wanted LEFT JOIN rows ON rows.key = wanted.value";

/** Returns the requested rows in order, at least one, and no more than fit into one response. */
export function get(table: Table, keys: readonly string[]): (PackedRow | null)[] {
  const { sql } = table;
  const read = areMany(keys) ? readTogether(sql, keys) : keys.map((key) => readOne(sql, key));
  const rows: (PackedRow | null)[] = [];
  let room = answerBytes;
  for (const row of read) {
    const bytes = row && wholeValue(table, row[1], row[2]);
    if (bytes && rows.length > 0 && bytes.length > room) break;
    room -= bytes?.length ?? 0;
    rows.push(row && bytes ? [row[0], bytes] : null);
  }
  return rows;
}

/** A row as read, with only the first part of its value. */
type Raw = readonly [rev: number, value: SqlValue, id: number];
const readOne = (sql: Sql, key: string): Raw | undefined =>
  all<[number, SqlValue, number]>(sql, "SELECT rev, value, id FROM rows WHERE key = ?", key)[0];

/**
 * Reads rows with one statement. As in a listing, determines which rows fit before it reads values.
 */
function readTogether(sql: Sql, keys: readonly string[]): readonly (Raw | undefined)[] {
  const heads = all<[number, number, number] | [null, null, null]>(
    sql,
    `SELECT rows.rev, rows.id, length(rows.value) ${join}`,
    jsonKeys(keys),
  );
  let room = answerBytes;
  const end = heads.findIndex(([, , length]) => (room -= length ?? 0) < 0);
  const fittingHeads = heads.slice(0, end < 0 ? heads.length : Math.max(end, 1));
  const values = valuesOf(
    sql,
    fittingHeads.flatMap(([, id]) => id ?? []),
  ).values();
  return fittingHeads.map(([rev, id]) => {
    const value = id === null ? undefined : values.next().value;
    return value && id !== null ? [rev, value[0], id] : undefined;
  });
}

/** Returns the revisions of rows in the order of `keys`, with null for missing rows. */
export const revisions = (sql: Sql, keys: readonly string[]): readonly unknown[] =>
  areMany(keys)
    ? all(sql, `SELECT rows.rev ${join}`, jsonKeys(keys)).map(([rev]) => rev)
    : keys.map((key) => first(sql, "SELECT rev FROM rows WHERE key = ?", key)?.[0] ?? null);
