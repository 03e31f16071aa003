import { bringUpToDate, reindex, formatKey, type Steps } from "./format.ts";
import type { Store } from "./ports.ts";
import { belowSys, sysKeys, wrappedIndex, storedSys } from "./sys-records.ts";

/** Migrations of the `sys` store. */
export const sysSteps: Steps = [
  {
    // in earlier versions, an index of certificates contained the wrapped responses
    version: "0.2.0",
    run: reindex(belowSys.wrapped, "not_after", (value) => wrappedIndex(storedSys.wrapped(value))),
  },
];

/**
 * Reports whether the deployment is initialized, after migrating the `sys` store if it has an older
 * format. Throws {@link NewerFormatError} if a later version has migrated the store.
 */
export async function isInstalled(sys: Store): Promise<boolean> {
  const [marker, format] = await sys.get([sysKeys.installed, formatKey]);
  if (marker) await bringUpToDate(sys, format, sysSteps);
  return marker !== undefined;
}
