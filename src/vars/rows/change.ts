import { CaError } from "../../base/errors.ts";
import type { Unit } from "../../engine/unit.ts";
import type { Batch, Row } from "../../engine/ports.ts";

/** What a change answers, and the batch that makes it; it expects every row that it read. */
export interface Change<T> {
  readonly reply: T;
  readonly batch?: Batch;
}
/** As many as ever write one row at once: each round one of them succeeds. */
const tries = 500;

/**
 * Makes a change from rows as they are now, and again when one of them was changed meanwhile, or
 * `make` saw that and says "again". It may run several times.
 */
export async function change<T>(ca: Unit, make: () => Promise<Change<T> | "again">): Promise<T> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const made = await make();
    if (made !== "again" && (!made.batch || (await ca.store.commit(made.batch)))) return made.reply;
  }
  throw new CaError("busy", "the resource keeps changing; try again");
}
/**
 * The same for anything but variables: what was kept of organizations, workspaces, teams and tokens
 * is read anew afterwards.
 */
export async function changeDirectory<T>(
  ca: Unit,
  make: () => Promise<Change<T> | "again">,
): Promise<T> {
  try {
    return await change(ca, make);
  } finally {
    ca.forget();
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
  ca: Unit,
  read: Read<T>,
  keys: readonly string[],
): Promise<readonly T[]> {
  if (keys.length === 0) return [];
  return (await ca.store.get(keys)).flatMap((row) => (row ? [read(row.value)] : []));
}
/** The value of one row, if it is there. */
export async function rowOf<T>(ca: Unit, read: Read<T>, key: string): Promise<T | undefined> {
  const [row] = await ca.store.get([key]);
  return valueOf(read, row);
}
/** Whether there is a row of a key. */
export async function isHeld(ca: Unit, key: string): Promise<boolean> {
  const [row] = await ca.store.get([key]);
  return row !== undefined;
}
/** What a listing names after its prefix. */
export async function namesBelow(ca: Unit, prefix: string): Promise<readonly string[]> {
  const rows = await ca.store.list(prefix, { values: false });
  return rows.map(([key]) => key.slice(prefix.length));
}
