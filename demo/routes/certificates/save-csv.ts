import { save } from "../../ui/save.ts";
import { toast } from "../../ui/toast.tsx";
import type { InventoryRow } from "../../api/inventory-search.ts";

/** Saves rows as CSV, and shows their number in a toast. */
export async function saveCsv(rows: readonly InventoryRow[], complete: boolean): Promise<void> {
  const { csvOf } = await import("./bulk-actions.ts");
  save("certificates.csv", "text/csv", await csvOf(rows));
  toast(
    `Saved certificates.csv: ${complete ? "" : "only the first "}${rows.length} ${rows.length === 1 ? "certificate" : "certificates"}`,
  );
}
