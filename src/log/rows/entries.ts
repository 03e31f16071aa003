import { CaError } from "../../base/errors.ts";
import { logKey } from "../../base/row-keys.ts";
import type { Store } from "../../engine/ports.ts";

/** Rows with entries, in the order of their numbers. */
export interface EntryRows {
  readonly store: Pick<Store, "list">;
  /** Key prefix of the rows. */
  readonly prefix: string;
}
/** An entry and the number that the store assigned to it. */
export interface NumberedEntry {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Maximum number of rows in the first read. A row has one entry, or all entries of a commit. */
const firstRows = 16;

/**
 * Returns the entries after a number, in order, and at least `count` if there are that many. May
 * return more, because rows are read as a whole.
 */
export async function entriesAfter(
  { store, prefix }: EntryRows,
  after: number,
  count: number,
): Promise<readonly NumberedEntry[]> {
  const entries: NumberedEntry[] = [];
  let rowsRead = 0;
  for (let last = after, limit = Math.min(count, firstRows); ;) {
    const rows = await store.list(prefix, { after: logKey(prefix, last), limit });
    for (const [key, { value }] of rows) {
      last = Number(key.slice(prefix.length));
      for (const entry of entriesIn(last, value)) if (entry.number > after) entries.push(entry);
    }
    rowsRead += rows.length;
    if (rows.length < limit || entries.length >= count) return entries;
    limit = Math.ceil((count - entries.length) / (entries.length / rowsRead));
  }
}
/**
 * Returns the entries of a row. `last` is the number of the last entry, from the key of the row.
 */
function entriesIn(last: number, value: unknown): readonly NumberedEntry[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.map((bytes, at) => {
    const number = last - (all.length - 1) + at;
    if (bytes instanceof Uint8Array) return { number, bytes };
    throw new CaError("storage", `entry ${number} of the log is damaged in storage`);
  });
}
/** Throws CaError `storage`, because the entry at an index of the tree has no row. */
export function missingEntry(index: number): never {
  throw new CaError("storage", `entry ${index} of the log is missing from storage`);
}
