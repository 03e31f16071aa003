import { NewerFormatError, type Format } from "../base/newer-format.ts";
import type { Index, Row, Store } from "./ports.ts";

/** Key of the row that says in which format the rows of a store are; without it, in the first. */
export const formatKey = "format";

/**
 * Brings the rows of a store from one format into the next. It may be broken off at any time and is
 * run again then; several may run at once.
 */
export interface Step {
  /** The first version that reads the format it leads to. */
  readonly version: string;
  run(store: Store): Promise<void>;
}
/** The steps from the first format to that of this code, in order. */
export type Steps = readonly Step[];

/** The row of a new store, which is in the format of this code. */
export const formatRows = (steps: Steps): readonly (readonly [key: string, value: Format])[] => {
  const last = steps.at(-1);
  return last ? [[formatKey, { number: steps.length + 1, version: last.version }]] : [];
};

/** The format that a row tells of. Throws {@link NewerFormatError} for one unknown to this code. */
export function formatOf(row: Row | undefined, steps: Steps): number {
  // rows of this key are written only here, with this type, by whatever version
  const { number, version } = (row?.value ?? { number: 1 }) as Format;
  if (number > steps.length + 1)
    throw new NewerFormatError(version ? { number, version } : { number });
  return number;
}

/** Throws {@link NewerFormatError} where a later version has written the rows. */
export async function refuseNewer(store: Store, steps: Steps): Promise<void> {
  formatOf((await store.get([formatKey]))[0], steps);
}

/**
 * Brings a store up to date from the format row just read, and reports whether it changed anything.
 * Each step starts a new epoch, so that no process keeps using what it read before. Throws {@link
 * NewerFormatError}.
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
    // whoever does the same at once may have been first
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

/** How many rows are filed at once: values may be large. */
const atOnce = 16;
/** A step that files rows under another index than the one before. */
export const filedAnew =
  (prefix: string, before: string, index: (value: unknown) => Index): Step["run"] =>
  async (store) => {
    // whatever still lies under the index of before is left to do
    for (let more = true; more;) {
      const rows = await store.list(prefix, { by: { name: before }, limit: atOnce });
      const expect = rows.map(([key, { rev }]) => [key, rev] as const);
      const put = rows.map(([key, { value }]) => [key, value, index(value)] as const);
      if (rows.length > 0) await store.commit({ expect, put });
      more = rows.length > 0;
    }
  };
