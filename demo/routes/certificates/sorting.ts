import type { InventoryRow } from "../../api/inventory-search.ts";

/** The columns that rows can be sorted by. */
const orders = ["name", "issued", "expires"] as const;
export type Order = (typeof orders)[number];
/** An order and whether it is the other way round. */
export interface Sorting {
  readonly by: Order;
  readonly down: boolean;
}

/** The default order: the latest certificate first. */
const newest: Sorting = { by: "issued", down: true };

/** The order that an address asks for: `name`, `-expires`; newest first unless it asks. */
export function sortingOf(text: string): Sorting {
  const down = text.startsWith("-");
  const by = orders.find((order) => order === text.slice(down ? 1 : 0));
  return by ? { by, down } : newest;
}

/** The same in an address; empty for what is unless asked. */
export const sortingText = ({ by, down }: Sorting): string =>
  by === newest.by && down === newest.down ? "" : `${down ? "-" : ""}${by}`;

/** Returns the order after a click on a heading: by that column, or reversed. */
export const turned = (now: Sorting, by: Order): Sorting =>
  now.by === by ? { by, down: !now.down } : { by, down: by === newest.by };

const names = new Intl.Collator("en", { numeric: true });

const compare: Readonly<Record<Order, (a: InventoryRow, b: InventoryRow) => number>> = {
  name: (a, b) => names.compare(a.title, b.title),
  issued: (a, b) => a.begins.getTime() - b.begins.getTime(),
  expires: (a, b) => a.ends.getTime() - b.ends.getTime(),
};

/** Of more rows than these the ones of one time stay as their serial numbers are: that is quick. */
const maxNamed = 20_000;

/** Rows in an order; those of one name or time by name, then serial number. */
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
