import type { InventoryRow } from "../../api/inventory-search.ts";

/** The columns by which the user can sort rows. */
const orders = ["name", "issued", "expires"] as const;
export type Order = (typeof orders)[number];
/** A sort order: the column, and whether it is descending. */
export interface Sorting {
  readonly by: Order;
  readonly down: boolean;
}

/** The default order: the latest certificate first. */
export const newest: Sorting = { by: "issued", down: true };

/** Parses a sort order from the URL, such as `name` or `-expires`. The default is newest first. */
export function sortingOf(text: string): Sorting {
  const down = text.startsWith("-");
  const by = orders.find((order) => order === text.slice(down ? 1 : 0));
  return by ? { by, down } : newest;
}

/** Formats a sort order for the URL. The default order is an empty string. */
export const sortingText = ({ by, down }: Sorting): string =>
  by === newest.by && down === newest.down ? "" : `${down ? "-" : ""}${by}`;

/**
 * Returns the sort order after a click on a heading: by that column or, if rows are already sorted
 * by it, reversed.
 */
export const turned = (now: Sorting, by: Order): Sorting =>
  now.by === by ? { by, down: !now.down } : { by, down: by === newest.by };

const names = new Intl.Collator("en", { numeric: true });

const compare: Readonly<Record<Order, (a: InventoryRow, b: InventoryRow) => number>> = {
  name: (a, b) => names.compare(a.title, b.title),
  issued: (a, b) => a.begins.getTime() - b.begins.getTime(),
  expires: (a, b) => a.ends.getTime() - b.ends.getTime(),
};

/**
 * Maximum number of rows that are sorted by name if their times are equal. For speed, longer lists
 * are sorted only by serial number in that case.
 */
const maxNamed = 20_000;

/** Returns sorted rows. Equal rows are sorted by name, then by serial number. */
export function sorted(
  rows: readonly InventoryRow[],
  { by, down }: Sorting,
): readonly InventoryRow[] {
  const sign = down ? -1 : 1;
  const tie = rows.length > maxNamed ? () => 0 : compare.name;
  return rows.toSorted(
    (a, b) => sign * compare[by](a, b) || tie(a, b) || (a.serial < b.serial ? -1 : 1),
  );
}
