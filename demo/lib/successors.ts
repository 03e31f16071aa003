import type { InventoryRow } from "../api/inventory-search.ts";

/** Returns the properties that a certificate shares with its renewal. */
const kindOf = ({ title, others, unread, role }: InventoryRow): string =>
  JSON.stringify([title, others.toSorted(), unread, role]);

/** Reports whether a certificate is a renewal of another one: the same names, issued later. */
export const isRenewalOf = (next: InventoryRow, row: InventoryRow): boolean =>
  kindOf(next) === kindOf(row) &&
  next.begins > row.begins &&
  next.ends > row.ends &&
  next.state !== "revoked" &&
  next.state !== "expired";

/** Returns the renewed certificates among the given ones, with the latest renewal. */
export function successors(rows: readonly InventoryRow[]): ReadonlyMap<string, InventoryRow> {
  const last = new Map<string, InventoryRow>();
  const leaves = rows.filter(({ authority }) => !authority);
  for (const row of leaves) {
    const latest = last.get(kindOf(row));
    const counts = row.state !== "revoked" && row.state !== "expired";
    if (counts && (!latest || row.begins > latest.begins)) last.set(kindOf(row), row);
  }
  return new Map(
    leaves.flatMap((row) => {
      const next = last.get(kindOf(row));
      return next && isRenewalOf(next, row) ? [[row.serial, next] as const] : [];
    }),
  );
}
