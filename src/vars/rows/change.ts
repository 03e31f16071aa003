import type { Row } from "../../engine/ports.ts";
import type { Decision, Partition } from "../../engine/partition.ts";

/**
 * Changes anything except variables (`Partition.change`) and invalidates cached organizations,
 * workspaces, teams and tokens.
 */
export async function changeDirectory<T>(
  partition: Partition,
  make: () => Promise<Decision<T> | "again">,
): Promise<T> {
  try {
    return await partition.change(make);
  } finally {
    partition.cache.forget();
  }
}

/** Reads a stored value of one kind: one of `storedRows`, or `textIn`. */
type Read<T> = (stored: unknown) => T;
/** Returns the ID or hash in a row; empty, which matches nothing, for other values. */
export const textIn = (stored: unknown): string => (typeof stored === "string" ? stored : "");
/** A row's value, if it is there. */
export const valueOf = <T>(read: Read<T>, row: Row | undefined): T | undefined =>
  row && read(row.value);
/** Rows of one kind, those that are there. */
export async function rowsOf<T>(
  partition: Partition,
  read: Read<T>,
  keys: readonly string[],
): Promise<readonly T[]> {
  if (keys.length === 0) return [];
  return (await partition.store.get(keys)).flatMap((row) => (row ? [read(row.value)] : []));
}
/** The value of one row, if it is there. */
export async function rowOf<T>(
  partition: Partition,
  read: Read<T>,
  key: string,
): Promise<T | undefined> {
  const [row] = await partition.store.get([key]);
  return valueOf(read, row);
}
/** Reports whether a row exists. */
export async function isStored(partition: Partition, key: string): Promise<boolean> {
  const [row] = await partition.store.get([key]);
  return row !== undefined;
}
/** Returns the key parts after the prefix of a listing. */
export async function namesBelow(partition: Partition, prefix: string): Promise<readonly string[]> {
  const rows = await partition.store.list(prefix, { values: false });
  return rows.map(([key]) => key.slice(prefix.length));
}
