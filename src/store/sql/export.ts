import { exportedAtOnce, exportedKey, oldFormKey } from "../batch.ts";
import type { Index } from "../../engine/ports.ts";
import { answerBytes, wholeValue } from "./listing.ts";
import type { PackedExport, PackedExportRow } from "./packed.ts";
import { all, first, run } from "./sql.ts";
import type { Exporting, Table } from "./table.ts";
import { columnOf } from "./tables.ts";
import type { Writer } from "./writer.ts";

/**
 * Saves the old form of a row that is about to be replaced or deleted, if the running export has
 * not reached it yet. Returns whether the row was saved; if so, it now has another key.
 */
export function saveOldForm({ sql, exporting }: Table, key: string): boolean {
  if (!exporting || key <= exporting.after) return false;
  const update = "UPDATE rows SET key = ? WHERE key = ? AND rev <= ?";
  return run(sql, update, oldFormKey(key), key, exporting.rev) > 0;
}
/**
 * Saves a copy of a row that is about to grow in place, if the running export has not reached it
 * yet.
 */
export function saveCopy({ sql, exporting }: Table, key: string): void {
  if (!exporting || key <= exporting.after) return;
  const copy =
    "INSERT INTO rows (key, rev, value) SELECT ?, rev, value FROM rows WHERE key = ? AND rev <= ?";
  run(sql, copy, oldFormKey(key), key, exporting.rev);
}
/** Deletes all saved old forms. */
function dropOld({ sql }: Table): void {
  run(sql, "DELETE FROM parts WHERE row IN (SELECT id FROM rows WHERE key >= ?)", oldFormKey(""));
  run(sql, "DELETE FROM rows WHERE key >= ?", oldFormKey(""));
}

/**
 * Returns the next part of an export, or the first part of a new export if `id` is null. Returns
 * null if the export was lost. The caller controls the transaction.
 */
export function exportPart(
  table: Table,
  writer: Writer,
  id: string | null,
  maxRows: number,
): PackedExport | null {
  const exporting = id === null ? begin(table, writer) : table.exporting;
  if (!exporting || (id ?? exporting.id) !== exporting.id) return null;
  const next = nextPart(table, exporting, maxRows);
  if (!next.more) {
    dropOld(table);
    table.exporting = undefined;
  }
  return next;
}
function begin(table: Table, writer: Writer): Exporting {
  dropOld(table);
  return (table.exporting = { id: crypto.randomUUID(), rev: writer.revision(), after: "" });
}

/** Returns the next part of an export, and advances the export. */
export function nextPart(
  table: Omit<Table, "exporting">,
  exporting: Exporting,
  maxRows: number,
): PackedExport {
  const { sql, columns } = table;
  const names = columns.names();
  const query = `${headQuery(names)} WHERE key > ? AND rev <= ? ORDER BY key LIMIT ?`;
  const count = Math.min(maxRows, exportedAtOnce);
  const heads = all<Head>(sql, query, exporting.after, exporting.rev, count);
  const rows: PackedExportRow[] = [];
  let room = answerBytes;
  for (const [key, rev, id, length, ...values] of heads) {
    if (rows.length > 0 && (room -= length) < 0) break;
    const [value] = first(sql, "SELECT value FROM rows WHERE id = ?", id) ?? [];
    const bytes = wholeValue(table, value, id);
    room -= bytes.length - length;
    const index = indexOf(names, values);
    const plain = exportedKey(key);
    rows.push(index ? [plain, rev, bytes, index] : [plain, rev, bytes]);
    exporting.after = key;
  }
  const more = rows.length < heads.length || heads.length === count;
  return { id: exporting.id, rows, more };
}

/**
 * Returns the requested rows with their index values, in order: at least one, and no more than fit
 * into one response.
 */
export function getExported(
  table: Omit<Table, "exporting">,
  keys: readonly string[],
): (PackedExportRow | null)[] {
  const { sql, columns } = table;
  const names = columns.names();
  const query = `${headQuery(names)} WHERE key = ?`;
  const rows: (PackedExportRow | null)[] = [];
  let room = answerBytes;
  for (const key of keys) {
    const [head] = all<Head>(sql, query, key);
    if (!head) {
      rows.push(null);
      continue;
    }
    const [, rev, id, , ...values] = head;
    const [value] = first(sql, "SELECT value FROM rows WHERE id = ?", id) ?? [];
    const bytes = wholeValue(table, value, id);
    if (rows.length > 0 && bytes.length > room) break;
    room -= bytes.length;
    const index = indexOf(names, values);
    rows.push(index ? [key, rev, bytes, index] : [key, rev, bytes]);
  }
  return rows;
}

type IndexNames = readonly (readonly [name: string, slot: number])[];
type Head = [
  key: string,
  rev: number,
  id: number,
  length: number,
  ...values: (string | number | null)[],
];
/** Returns a query that selects rows with their index values and the size of their value. */
const headQuery = (names: IndexNames): string =>
  `SELECT ${["key", "rev", "id", "length(value)", ...names.map(([, slot]) => columnOf(slot))].join()} FROM rows`;

function indexOf(
  names: IndexNames,
  values: readonly (string | number | null)[],
): Index | undefined {
  const index = names.flatMap(([name], at) => {
    const value = values[at] ?? null;
    return value === null ? [] : [[name, value] as const];
  });
  return index.length > 0 ? Object.fromEntries(index) : undefined;
}
