import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Page, Row } from "../../engine/ports.ts";

/** Rows read before other requests get their turn. */
export const rowsPerRead = 500;

/** Placeholder for a row that cannot be read. */
export const unreadable = "unreadable";
/** A row, a missing row, or a row that cannot be read. */
export type ReadableRow = Row | undefined | typeof unreadable;
/**
 * Reads rows, one by one if reading them together fails, because a damaged row must not hide the
 * others.
 */
export async function readableRows(
  ca: Mount,
  names: readonly string[],
): Promise<readonly ReadableRow[]> {
  if (names.length === 0) return [];
  try {
    return await ca.store.get(names);
  } catch (error) {
    if (error instanceof CaError) throw error;
    const one = (key: string): Promise<ReadableRow> =>
      ca.store.get([key]).then(
        ([row]) => row,
        () => unreadable,
      );
    return Promise.all(names.map(one));
  }
}
/** A page of a listing. */
interface ListingPart {
  readonly rows: readonly (readonly [key: string, row: Row])[];
  /** Key after which the next page starts; empty at the end. */
  readonly last: string;
}
/**
 * Returns a page of a listing without unreadable rows. `shard`: only rows with this value in the
 * index `shard`.
 */
export async function readableBelow(
  ca: Mount,
  prefix: string,
  after: string,
  shard?: string,
): Promise<ListingPart> {
  const page: Page =
    shard === undefined
      ? { after, limit: rowsPerRead }
      : {
          by: { name: "shard", from: shard, to: shard, after: [shard, after] },
          limit: rowsPerRead,
        };
  const lastOf = (keysOfPart: readonly string[]): string =>
    keysOfPart.length < rowsPerRead ? "" : (keysOfPart.at(-1) ?? "");
  try {
    const rows = await ca.store.list(prefix, page);
    return { rows, last: lastOf(rows.map(([key]) => key)) };
  } catch (error) {
    if (error instanceof CaError) throw error;
    const names = (await ca.store.list(prefix, { ...page, values: false })).map(([key]) => key);
    const readable = new Map<string, Row>();
    for (const [i, row] of (await readableRows(ca, names)).entries())
      if (row && row !== unreadable) readable.set(names[i] ?? "", row);
    return { rows: [...readable], last: lastOf(names) };
  }
}
