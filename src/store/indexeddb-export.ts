import type { ExportedRow } from "../engine/ports.ts";
import { exportedKey, oldFormKey } from "./batch.ts";
import { exportingIn, type Exporting, type Rows, type Transaction } from "./indexeddb-database.ts";

/** A part of an export. */
export interface ExportPart {
  /** Maximum revision of the rows in the export; identifies the export. */
  readonly of: number;
  readonly rows: readonly ExportedRow[];
  readonly more: boolean;
}

/**
 * Saves the old form of a row that is about to change, unless the running export has already passed
 * the row.
 */
export async function saveOldForm(
  rows: Rows<"readwrite">,
  exporting: Exporting | undefined,
  key: string,
): Promise<void> {
  if (!exporting || key <= exporting.after) return;
  const old = await rows.get(key);
  if (old && old.rev <= exporting.rev) await rows.put(old, oldFormKey(key));
}

/**
 * Returns the next part of the export `of`, or the first part of a new export if `of` is undefined.
 * Returns undefined if the export was lost.
 */
export async function exportPart(
  transaction: Transaction<"readwrite">,
  of: number | undefined,
  maxRows: number,
): Promise<ExportPart | undefined> {
  const [rows, meta] = [transaction.objectStore("rows"), transaction.objectStore("meta")];
  const old = IDBKeyRange.lowerBound(oldFormKey(""));
  let exporting = exportingIn(await meta.get("export"));
  if (of === undefined) {
    const last = await meta.get("rev");
    exporting = { rev: (typeof last === "number" ? last : 0) + 1, after: "" };
    await Promise.all([meta.put(exporting.rev, "rev"), rows.delete(old)]);
  }
  if (!exporting || exporting.rev !== (of ?? exporting.rev)) {
    await transaction.done;
    return undefined;
  }
  const range = exporting.after === "" ? undefined : IDBKeyRange.lowerBound(exporting.after, true);
  const [keys, rowValues] = await Promise.all([
    rows.getAllKeys(range, maxRows),
    rows.getAll(range, maxRows),
  ]);
  const { rev } = exporting;
  const more = keys.length === maxRows;
  const after = keys.at(-1) ?? "";
  await (more
    ? meta.put({ rev, after }, "export")
    : Promise.all([meta.delete("export"), rows.delete(old)]));
  await transaction.done;
  const exported = keys.flatMap((key, at): ExportedRow[] => {
    const row = rowValues[at];
    if (!row || row.rev > rev) return [];
    const { index, ...whole } = row;
    const values = index ? { index: Object.fromEntries(index) } : {};
    return [{ key: exportedKey(key), ...whole, ...values }];
  });
  return { of: rev, rows: exported, more };
}
