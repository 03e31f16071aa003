import type { Expect } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { notFound } from "../jsonapi/fault.ts";
import { changeDirectory } from "./change.ts";

/** The key and the parser of a row. */
interface RowAt<R> {
  readonly key: string;
  readonly read: (stored: unknown) => R;
}
/** The new value of a row, and the other changes in its batch. */
export interface RowChange<R, T> {
  readonly reply: T;
  /** The new value. Absent if the row is deleted. */
  readonly row?: R;
  readonly expect?: readonly Expect[];
  readonly put?: readonly (readonly [key: string, value: unknown])[];
  readonly del?: readonly string[];
}

/**
 * Changes or deletes a row together with dependent rows. `make` receives the current value, and
 * runs again if the row was changed concurrently. Rejects with 404 if the row no longer exists.
 */
export function changeRow<R, T>(
  storeContext: StoreContext,
  { key, read }: RowAt<R>,
  make: (row: R) => Promise<RowChange<R, T>> | RowChange<R, T>,
): Promise<T> {
  return changeDirectory(storeContext, async () => {
    const [stored] = await storeContext.store.get([key]);
    if (!stored) throw notFound();
    const { reply, row, expect = [], put = [], del = [] } = await make(read(stored.value));
    return {
      reply,
      batch: {
        expect: [[key, stored.rev], ...expect],
        put: row === undefined ? put : [[key, row], ...put],
        del: row === undefined ? [key, ...del] : del,
      },
    };
  });
}
