import type { InventoryRow } from "../api/inventory-search.ts";

/** Returns the properties that a certificate shares with its renewal. */
const kindOf = ({ title, others, unread, role }: InventoryRow): string =>
  JSON.stringify([title, others.toSorted(), unread, role]);

/**
 * Reports whether a certificate takes the place of another one: the same names, from a later day
 * on.
 */
export const follows = (next: InventoryRow, row: InventoryRow): boolean =>
  kindOf(next) === kindOf(row) &&
  next.begins > row.begins &&
  next.ends > row.ends &&
  next.state !== "revoked" &&
  next.state !== "expired";

/** The certificates among some that were renewed by others of them, with the last that did. */
export function successors(rows: readonly InventoryRow[]): ReadonlyMap<string, InventoryRow> {
  const last = new Map<string, InventoryRow>();
  const leaves = rows.filter(({ authority }) => !authority);
  for (const row of leaves) {
    const held = last.get(kindOf(row));
    const counts = row.state !== "revoked" && row.state !== "expired";
    if (counts && (!held || row.begins > held.begins)) last.set(kindOf(row), row);
  }
  return new Map(
    leaves.flatMap((row) => {
      const next = last.get(kindOf(row));
      return next && follows(next, row) ? [[row.serial, next] as const] : [];
    }),
  );
}
