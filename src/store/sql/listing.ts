import type { Page } from "../../engine/ports.ts";
import { afterPrefix } from "../batch.ts";
import type { Columns } from "./columns.ts";
import type { PackedList, PackedRow } from "./packed.ts";
import { all, blob, first, type Sql, type SqlValue } from "./sql.ts";
import { columnOf, treeOf } from "./tables.ts";

/** The parts of a store's tables that a listing reads. */
interface ListingSource {
  readonly sql: Sql;
  readonly columns: Pick<Columns, "slotOf">;
}

/**
 * Maximum size in bytes of a value, or of a part of a value, in one physical row: a row may have up
 * to 2,000,000 bytes, of which index values take up to 786,432 and the key up to 512.
 */
export const partBytes = 1_200_000;
/**
 * Size in bytes at which a response is truncated. A call between a Worker and a Durable Object may
 * transfer at most 32 MiB.
 */
export const answerBytes = 8 * 1024 * 1024;
/**
 * Maximum number of rows in a response without values and with values. Reading this many blocks the
 * Durable Object for a few milliseconds.
 */
const [maxKeys, maxRows] = [2000, 1000];

/** Assembles a value from the part in its own row and the additional parts. */
export function wholeValue(
  { sql }: Pick<ListingSource, "sql">,
  value: SqlValue | undefined,
  id: SqlValue | undefined,
): Uint8Array {
  // the column is declared as a blob
  const start = blob(value) ?? new Uint8Array();
  if (start.length < partBytes) return start;
  const query = "SELECT value FROM parts WHERE row = ? ORDER BY n";
  const parts = all(sql, query, id).map(([part]) => blob(part) ?? new Uint8Array());
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, start.length));
  bytes.set(start);
  let at = start.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

type Head = [key: string, rev: number, at: string | number | null, id: number, length: number];

/**
 * Returns the rows of a listing that fit into one response. Determines which rows fit before it
 * reads values, so that no cursor stays open.
 */
export function list(table: ListingSource, prefix: string, page: Page): PackedList {
  const valued = page.values !== false;
  const limit = Number.isFinite(page.limit) ? Math.max(page.limit ?? 0, 0) : Infinity;
  const max = Math.min(limit, valued ? maxRows : maxKeys);
  const slot = page.by && table.columns.slotOf(page.by.name);
  if (page.by && slot === undefined) return { rows: [], more: false };
  const [where, bindings] =
    page.by && slot !== undefined
      ? byIndex({ sql: table.sql, slot, max }, prefix, page.by)
      : byKey(prefix, page.after);
  const at = slot === undefined ? "NULL" : columnOf(slot);
  const columns = `key, rev, ${at}${valued ? ", id, length(value)" : ""}`;
  const heads = all<Head>(
    table.sql,
    `SELECT ${columns} FROM rows ${where} LIMIT ?`,
    ...bindings,
    max,
  );
  const count = fitting(heads);
  const rows = valued
    ? withValues(table, heads.slice(0, count))
    : heads.slice(0, count).map(([key, rev, at]) => shown(key, [rev], at));
  return { rows, more: rows.length < heads.length || (heads.length === max && max < limit) };
}

const sizeOf = (key: string, length: number | undefined): number => key.length + 32 + (length ?? 0);

/**
 * Returns the number of rows that fit into a response, judging by the first parts of their values.
 * It is at least one if there are any rows.
 */
function fitting(heads: readonly Head[]): number {
  let room = answerBytes;
  const end = heads.findIndex(([key, , , , length]) => (room -= sizeOf(key, length)) < 0);
  return end < 0 ? heads.length : Math.max(end, 1);
}

function withValues(table: ListingSource, heads: readonly Head[]): PackedList["rows"] {
  const values = valuesOf(
    table.sql,
    heads.map(([, , , id]) => id),
  );
  const rows: PackedList["rows"][number][] = [];
  let room = answerBytes;
  for (const [i, [key, rev, at, id]] of heads.entries()) {
    const bytes = wholeValue(table, values[i]?.[0], id);
    room -= sizeOf(key, bytes.length);
    if (room < 0 && rows.length > 0) break;
    rows.push(shown(key, [rev, bytes], at));
  }
  return rows;
}
/** Returns the first parts of the rows' values, in the order of `ids`. */
export const valuesOf = (sql: Sql, ids: readonly number[]): readonly [SqlValue][] =>
  // CROSS JOIN preserves the order of the IDs
  all<[SqlValue]>(
    sql,
    "SELECT rows.value FROM json_each(?) AS wanted CROSS JOIN rows ON rows.id = wanted.value",
    `[${ids.join()}]`,
  );

const shown = (
  key: string,
  row: PackedRow,
  at: string | number | null,
): PackedList["rows"][number] => (at === null ? [key, row] : [key, row, at]);

type Where = [where: string, bindings: (string | number)[]];

function byKey(prefix: string, after: string | undefined): Where {
  const later = after !== undefined && after >= prefix;
  return [
    `WHERE key ${later ? ">" : ">="} ? AND key < ? ORDER BY key`,
    [later ? after : prefix, afterPrefix(prefix)],
  ];
}

interface Walk {
  readonly sql: Sql;
  readonly slot: number;
  readonly max: number;
}
function byIndex(walk: Walk, prefix: string, by: NonNullable<Page["by"]>): Where {
  const { slot } = walk;
  const { from, to, anyOrder } = by;
  const column = columnOf(slot);
  const after = by.after && (from === undefined || by.after[0] >= from) ? by.after : undefined;
  if (to !== undefined && !anyOrder && (after?.[0] ?? from) === to && isCommon(walk, to)) {
    const [where, bindings] = byKey(prefix, after?.[1]);
    return [
      where.replace("WHERE", `INDEXED BY rows_key WHERE ${column} = ? AND`),
      [to, ...bindings],
    ];
  }
  // the unary plus below keeps the query planner from using the index on the key
  let where = `INDEXED BY ${treeOf(slot)} WHERE ${column} IS NOT NULL`;
  const bindings: (string | number)[] = [];
  const add = (condition: string, ...values: readonly (string | number)[]): void => {
    where += ` AND ${condition}`;
    bindings.push(...values);
  };
  if (after) add(`${column} >= ? AND (${column} > ? OR +key > ?)`, after[0], ...after);
  else if (from !== undefined) add(`${column} >= ?`, from);
  if (to !== undefined) add(`${column} <= ?`, to);
  add("+key >= ? AND +key < ?", prefix, afterPrefix(prefix));
  // in the index, rows with equal values are in insertion order
  return [`${where} ORDER BY ${column}${anyOrder ? "" : ", key"}`, bindings];
}

/**
 * Reports whether an index value is so common that walking all keys and skipping other rows is
 * cheaper than sorting the rows with this value by key for each page. If `n` of `all` rows have the
 * value, on average every `all / n`th key matches.
 */
function isCommon({ sql, slot, max }: Walk, value: string | number): boolean {
  const all = Number(first(sql, "SELECT max(id) FROM rows")?.[0] ?? 0);
  const query = `SELECT 1 FROM rows INDEXED BY ${treeOf(slot)} WHERE ${columnOf(slot)} = ?`;
  const n = Math.ceil(Math.sqrt(all * max));
  return first(sql, `${query} LIMIT 1 OFFSET ?`, value, n) !== undefined;
}
