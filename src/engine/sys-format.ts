import { bringUpToDate, filedAnew, formatKey, type Steps } from "./format.ts";
import type { Store } from "./ports.ts";
import { belowSys, sysKeys, wrappedIndex, storedSys } from "./sys-records.ts";

/** From the first format of the store `sys` to that of today. */
export const sysSteps: Steps = [
  {
    // wrapped replies lay under an index of certificates
    version: "0.2.0",
    run: filedAnew(belowSys.wrapped, "not_after", (value) =>
      wrappedIndex(storedSys.wrapped(value)),
    ),
  },
];

/**
 * Whether the rows of the first start are there; those of an older format are brought up to date.
 * Throws {@link NewerFormatError} where a later version has written them.
 */
export async function isInstalled(sys: Store): Promise<boolean> {
  const [marker, format] = await sys.get([sysKeys.installed, formatKey]);
  if (marker) await bringUpToDate(sys, format, sysSteps);
  return marker !== undefined;
}
