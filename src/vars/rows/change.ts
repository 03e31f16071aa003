import type { Row } from "../../engine/ports.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";

/**
 * Commits a change to rows other than variables (`StoreContext.change`), and invalidates cached
 * organizations, workspaces, teams and tokens.
 */
export async function changeDirectory<T>(
  storeContext: StoreContext,
  make: () => Promise<Decision<T> | "again">,
): Promise<T> {
  try {
    return await storeContext.change(make);
  } finally {
    storeContext.cache.forget();
  }
}

/** A parser of stored values: a member of `storedRows`, or `textIn`. */
type Read<T> = (stored: unknown) => T;
/** Returns the ID or hash in a row. Returns "", which matches nothing, for any other value. */
export const textIn = (stored: unknown): string => (typeof stored === "string" ? stored : "");
/** Returns the parsed value of a row, or undefined if the row does not exist. */
export const valueOf = <T>(read: Read<T>, row: Row | undefined): T | undefined =>
  row && read(row.value);
/** Returns the parsed values of the rows that exist. */
export async function rowsOf<T>(
  storeContext: StoreContext,
  read: Read<T>,
  keys: readonly string[],
): Promise<readonly T[]> {
  if (keys.length === 0) return [];
  return (await storeContext.store.get(keys)).flatMap((row) => (row ? [read(row.value)] : []));
}
/** Reads one row. Returns undefined if it does not exist. */
export async function rowOf<T>(
  storeContext: StoreContext,
  read: Read<T>,
  key: string,
): Promise<T | undefined> {
  const [row] = await storeContext.store.get([key]);
  return valueOf(read, row);
}
/** Reports whether a row exists. */
export async function isStored(storeContext: StoreContext, key: string): Promise<boolean> {
  const [row] = await storeContext.store.get([key]);
  return row !== undefined;
}
/** Returns the row keys under a prefix, without the prefix. */
export async function namesBelow(
  storeContext: StoreContext,
  prefix: string,
): Promise<readonly string[]> {
  const rows = await storeContext.store.list(prefix, { values: false });
  return rows.map(([key]) => key.slice(prefix.length));
}
