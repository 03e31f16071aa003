import type { ExportedRow, Page, Row, Store } from "../../engine/ports.ts";
import { checkPrefix, copyPage, exportedAtOnce } from "../batch.ts";
import { type Partitions, rowIn } from "./partition-routing.ts";

type ListedRow = readonly [key: string, row: Row];

/**
 * Lists the rows of all partitions in order or, if `beside` is given, of the partitions to which
 * these keys belong. Each partition is queried once for a page, unless the page contains internal
 * rows of the partition, such as its epoch.
 */
export async function listPartitions(
  partitions: Partitions,
  prefix: string,
  page: Page,
): Promise<readonly ListedRow[]> {
  checkPrefix(prefix);
  const { beside, ...copy } = copyPage(page);
  const { placement } = partitions;
  const places = beside && new Set(beside.map((key) => placement.placeOf(key)));
  const below = placement
    .partitionsBelow(prefix)
    .filter((partition) => places?.has(partition) ?? true);
  const listings = await Promise.all(
    below.map((partition) => listPartition(partitions, partition, prefix, copy)),
  );
  const [only] = listings;
  return only && listings.length === 1 ? only : mergeListings(listings, copy);
}
/** Merges the same page of several partitions into one page. */
export const mergeListings = (
  listings: readonly (readonly ListedRow[])[],
  page: Page,
): readonly ListedRow[] =>
  listings
    .flat()
    .toSorted(page.by ? compareIndexed : compareKeys)
    .slice(0, limitOf(page));

const limitOf = ({ limit = Infinity }: Page): number => Math.max(limit, 0);

/** Lists the rows of one partition, except its internal rows. */
async function listPartition(
  { all, placement }: Partitions,
  partition: number,
  prefix: string,
  page: Page,
): Promise<readonly ListedRow[]> {
  const store = storeAt(all, partition);
  const isShown = shownIn({ all, placement }, partition);
  const limit = limitOf(page);
  const found: ListedRow[] = [];
  for (let next = page; ;) {
    const rows = await store.list(prefix, next);
    for (const [key, row] of rows) if (isShown(key)) found.push([key, rowIn(partition, row)]);
    const last = rows.at(-1);
    // a listing by index needs no further page: internal rows have no index values, so none were
    // filtered out
    if (page.by || !last || found.length >= limit || rows.length < limitOf(next)) return found;
    next = { ...page, limit: limit - found.length, after: last[0] };
  }
}

/**
 * Returns a function that reports whether a row of a partition is visible in the partitioned store.
 */
const shownIn =
  ({ placement }: Partitions, partition: number) =>
  (key: string): boolean => {
    const place = placement.placeOf(key);
    return place === partition || place === "batch";
  };
function storeAt(all: readonly Store[], partition: number): Store {
  const store = all[partition];
  if (!store) throw new TypeError(`the mount has no partition ${partition}`);
  return store;
}

const compareKeys = ([a]: ListedRow, [b]: ListedRow): number => (a < b ? -1 : a > b ? 1 : 0);
function compareIndexed(a: ListedRow, b: ListedRow): number {
  const [one, other] = [a[1].indexed, b[1].indexed];
  if (one === undefined || other === undefined)
    throw new TypeError("the stores of partitions must return index values with their listings");
  return one < other ? -1 : one > other ? 1 : compareKeys(a, b);
}

/**
 * Yields the rows of partitions. The rows of each partition are a snapshot taken when the first
 * part is requested, but the snapshots of different partitions may be of different moments.
 * `numbers` are the partitions to export, by default all.
 */
export async function* exportPartitions(
  partitions: Partitions,
  maxRows = exportedAtOnce,
  numbers: readonly number[] = [...partitions.all.keys()],
): AsyncIterable<readonly ExportedRow[]> {
  const parts = numbers.map((partition) => exportOf(storeAt(partitions.all, partition), maxRows));
  try {
    // the first partition begins first: its rows describe the pages in the other partitions, which
    // may contain more than that description, but never less; the other partitions begin together
    const [begin, ...others] = parts;
    const first = [
      ...(begin ? [await begin.next()] : []),
      ...(await Promise.all(others.map((part) => part.next()))),
    ];
    for (const [at, part] of parts.entries()) {
      const partition = numbers[at] ?? 0;
      const isShown = shownIn(partitions, partition);
      for (let next = first[at]; next && !next.done; next = await part.next())
        yield next.value
          .filter(({ key }) => isShown(key))
          .map((row) => ({ ...row, ...rowIn(partition, row) }));
    }
  } finally {
    // frees the snapshots if the export ends early
    for (const part of parts) await part.return?.();
  }
}
function exportOf(store: Store, maxRows: number): AsyncIterator<readonly ExportedRow[]> {
  if (!store.export) throw new TypeError("the stores of partitions must support exports");
  return store.export(maxRows)[Symbol.asyncIterator]();
}
