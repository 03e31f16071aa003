import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Page, Row } from "../../engine/ports.ts";

/** Maximum number of rows to read before the read yields to other requests. */
export const rowsPerRead = 500;

/** Placeholder for a row that cannot be read. */
export const unreadable = "unreadable";
/** A row, undefined for a missing row, or the placeholder for a row that cannot be read. */
export type ReadableRow = Row | undefined | typeof unreadable;
/**
 * Reads rows. If reading them together fails, reads them one by one, because a damaged row must not
 * hide the others.
 */
export async function readableRows(
  mount: Mount,
  names: readonly string[],
): Promise<readonly ReadableRow[]> {
  if (names.length === 0) return [];
  try {
    return await mount.store.get(names);
  } catch (error) {
    if (error instanceof CaError) throw error;
    const one = (key: string): Promise<ReadableRow> =>
      mount.store.get([key]).then(
        ([row]) => row,
        () => unreadable,
      );
    return Promise.all(names.map(one));
  }
}
/** A page in a row listing. */
interface ListingPart {
  readonly rows: readonly (readonly [key: string, row: Row])[];
  /** Key after which the next page starts; empty at the end. */
  readonly last: string;
}
/**
 * Returns a page of the rows with the given prefix, omitting rows that cannot be read. With `of`,
 * returns only the rows that have this group in the `shard` index, from the partitions of the keys
 * in `beside`.
 */
export async function readableBelow(
  mount: Mount,
  prefix: string,
  after: string,
  of: false | (Pick<Page, "beside"> & { readonly group: string }),
): Promise<ListingPart> {
  const page: Page = of
    ? {
        by: { name: "shard", from: of.group, to: of.group, after: [of.group, after] },
        limit: rowsPerRead,
        beside: of.beside,
      }
    : { after, limit: rowsPerRead };
  const lastOf = (keysOfPart: readonly string[]): string =>
    keysOfPart.length < rowsPerRead ? "" : (keysOfPart.at(-1) ?? "");
  try {
    const rows = await mount.store.list(prefix, page);
    return { rows, last: lastOf(rows.map(([key]) => key)) };
  } catch (error) {
    if (error instanceof CaError) throw error;
    const names = (await mount.store.list(prefix, { ...page, values: false })).map(([key]) => key);
    const readable = new Map<string, Row>();
    for (const [i, row] of (await readableRows(mount, names)).entries())
      if (row && row !== unreadable) readable.set(names[i] ?? "", row);
    return { rows: [...readable], last: lastOf(names) };
  }
}
