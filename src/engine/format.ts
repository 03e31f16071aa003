import { NewerFormatError, type Format } from "../base/newer-format.ts";
import type { Index, Row, Store } from "./ports.ts";

/** Key of the row with a store's format. A store without this row has the first format. */
export const formatKey = "format";

/**
 * A migration of a store from one format to the next. `run` may be interrupted and repeated, and
 * may run concurrently.
 */
export interface Step {
  /** The first version of Sealwright that reads the new format. */
  readonly version: string;
  run(store: Store): Promise<void>;
}
/** The migrations from the first format to the current one, in order. */
export type Steps = readonly Step[];

/** Returns the rows with the format of a new store, or none if there is only the first format. */
export const formatRows = (steps: Steps): readonly (readonly [key: string, value: Format])[] => {
  const last = steps.at(-1);
  return last ? [[formatKey, { number: steps.length + 1, version: last.version }]] : [];
};

/**
 * Returns the format number in a row. Throws {@link NewerFormatError} if this version does not know
 * the format.
 */
export function formatOf(row: Row | undefined, steps: Steps): number {
  // only this module writes rows with this key, and in every version they have this type
  const { number, version } = (row?.value ?? { number: 1 }) as Format;
  if (number > steps.length + 1)
    throw new NewerFormatError(version ? { number, version } : { number });
  return number;
}

/** Throws {@link NewerFormatError} if a later version has migrated the store. */
export async function refuseNewer(store: Store, steps: Steps): Promise<void> {
  formatOf((await store.get([formatKey]))[0], steps);
}

/**
 * Migrates a store to the current format, and reports whether anything changed. Each step starts a
 * new epoch, so that no process continues to use rows that it read before. Throws {@link
 * NewerFormatError} if a later version has migrated the store.
 */
export async function bringUpToDate(
  store: Store,
  read: Row | undefined,
  steps: Steps,
): Promise<boolean> {
  let row = read;
  for (let number = formatOf(row, steps); number <= steps.length;) {
    const { version, run } = steps[number - 1] as Step;
    await run(store);
    // a concurrent migration may have finished first
    await store.commit({
      epoch: "next",
      expect: [[formatKey, row?.rev ?? null]],
      put: [[formatKey, { number: number + 1, version } satisfies Format]],
    });
    [row] = await store.get([formatKey]);
    number = formatOf(row, steps);
  }
  return row !== read;
}

/** Maximum number of rows to reindex per commit. It is limited because values may be large. */
const maxReindexed = 16;
/** Returns a migration that moves rows from one index to another. */
export const reindex =
  (prefix: string, before: string, index: (value: unknown) => Index): Step["run"] =>
  async (store) => {
    // rows that are still in the old index have not been migrated
    for (let more = true; more;) {
      const rows = await store.list(prefix, { by: { name: before }, limit: maxReindexed });
      const expect = rows.map(([key, { rev }]) => [key, rev] as const);
      const put = rows.map(([key, { value }]) => [key, value, index(value)] as const);
      if (rows.length > 0) await store.commit({ expect, put });
      more = rows.length > 0;
    }
  };
