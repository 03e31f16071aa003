import { CaError } from "../../base/errors.ts";
import { partitionKeys } from "../../engine/partition-layout.ts";
import type { ExportedRow, Store } from "../../engine/ports.ts";

/** The partition that rows leave, and the partition to which they move. */
interface Move {
  readonly source: Store;
  readonly target: Store;
}
/** The revisions of a moved row in its old and in its new partition. */
export interface MovedRevisions {
  readonly before: number;
  readonly after: number | undefined;
}
/**
 * Maximum number of attempts to move rows. An attempt fails only if another process changed, moved
 * or deleted a row at the same time.
 */
const maxTries = 100;

/**
 * Moves rows to their new partition, if they are not there yet, and returns the moved rows by key.
 * Copies the rows before it deletes them, so that a crash in between leaves both copies.
 *
 * A row that is deleted in the new partition during the move must not reappear there. Therefore
 * each deletion there changes a marker, and the copy requires that the marker has not changed since
 * before the row was read.
 */
export async function moveRows(
  { source, target }: Move,
  keys: readonly string[],
): Promise<ReadonlyMap<string, MovedRevisions>> {
  if (!source.getWithIndex) throw new TypeError("the stores of partitions cannot move rows");
  for (let left = maxTries; left > 0; left--) {
    const [marker, ...present] = await target.get([partitionKeys.deletions, ...keys]);
    const rows = await source.getWithIndex(keys);
    const remaining = rows.flatMap((row, at) => (row ? [{ row, copied: present[at]?.rev }] : []));
    if (remaining.length === 0) return new Map();
    const copies = remaining.flatMap(({ row, copied }) => (copied === undefined ? [row] : []));
    const revs = await copyRows(target, copies, marker?.rev ?? null);
    const isMoved =
      revs &&
      (await source.commit({
        expect: remaining.map(({ row }) => [row.key, row.rev] as const),
        del: remaining.map(({ row }) => row.key),
      }));
    if (isMoved)
      return new Map(
        remaining.map(({ row, copied }) => [
          row.key,
          { before: row.rev, after: copied ?? revs.get(row.key) },
        ]),
      );
  }
  throw new CaError("busy", "the rows keep changing; try again");
}

/**
 * Copies rows, and returns the revisions of the copies. Returns undefined if a row or the marker
 * was changed concurrently.
 */
async function copyRows(
  target: Store,
  copies: readonly ExportedRow[],
  marker: number | null,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (copies.length === 0) return new Map();
  const keys = copies.map(({ key }) => key);
  const done = await target.commit({
    expect: [[partitionKeys.deletions, marker], ...keys.map((key) => [key, null] as const)],
    put: copies.map(({ key, value, index }) => (index ? [key, value, index] : [key, value])),
    read: keys,
  });
  if (!done) return undefined;
  const revs = new Map<string, number>();
  for (const [at, key] of keys.entries()) {
    const row = done.rows?.[at];
    if (row) revs.set(key, row.rev);
  }
  return revs;
}
