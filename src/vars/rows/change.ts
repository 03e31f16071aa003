import type { Row } from "../../engine/ports.ts";
import type { Decision, Unit } from "../../engine/unit.ts";

/**
 * Changes anything but variables (`Unit.change`): what was kept of organizations, workspaces, teams
 * and tokens is read anew afterwards.
 */
export async function changeDirectory<T>(
  unit: Unit,
  make: () => Promise<Decision<T> | "again">,
): Promise<T> {
  try {
    return await unit.change(make);
  } finally {
    unit.cache.forget();
  }
}

/** Reads a stored value of one kind: one of `storedRows`, or `textIn`. */
type Read<T> = (stored: unknown) => T;
/**
 * The text of a row that holds an id or a hash; empty, which names nothing, where it holds
 * something else.
 */
export const textIn = (stored: unknown): string => (typeof stored === "string" ? stored : "");
/** A row's value, if it is there. */
export const valueOf = <T>(read: Read<T>, row: Row | undefined): T | undefined =>
  row && read(row.value);
/** Rows of one kind, those that are there. */
export async function rowsOf<T>(
  unit: Unit,
  read: Read<T>,
  keys: readonly string[],
): Promise<readonly T[]> {
  if (keys.length === 0) return [];
  return (await unit.store.get(keys)).flatMap((row) => (row ? [read(row.value)] : []));
}
/** The value of one row, if it is there. */
export async function rowOf<T>(unit: Unit, read: Read<T>, key: string): Promise<T | undefined> {
  const [row] = await unit.store.get([key]);
  return valueOf(read, row);
}
/** Whether there is a row of a key. */
export async function isStored(unit: Unit, key: string): Promise<boolean> {
  const [row] = await unit.store.get([key]);
  return row !== undefined;
}
/** What a listing names after its prefix. */
export async function namesBelow(unit: Unit, prefix: string): Promise<readonly string[]> {
  const rows = await unit.store.list(prefix, { values: false });
  return rows.map(([key]) => key.slice(prefix.length));
}
