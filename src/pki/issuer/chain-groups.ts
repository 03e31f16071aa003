import type { IssuerRow } from "../../engine/records.ts";

/**
 * Groups of rows that lead to each other (Tarjan's algorithm), a group after all that it leads to;
 * members by descending id.
 */
export function connected(
  rows: readonly IssuerRow[],
  next: (row: IssuerRow) => readonly IssuerRow[],
): readonly (readonly IssuerRow[])[] {
  const index = new Map<IssuerRow, number>();
  const open: IssuerRow[] = [];
  const groups: (readonly IssuerRow[])[] = [];
  const visit = (row: IssuerRow): number => {
    index.set(row, index.size);
    let low = index.size - 1;
    open.push(row);
    for (const other of next(row)) {
      if (!index.has(other)) low = Math.min(low, visit(other));
      else if (open.includes(other)) low = Math.min(low, index.get(other) ?? low);
    }
    if (low === index.get(row))
      groups.push(open.splice(open.indexOf(row)).toSorted((a, b) => (a.id < b.id ? 1 : -1)));
    return low;
  };
  for (const row of rows) if (!index.has(row)) visit(row);
  return groups;
}
