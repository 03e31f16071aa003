import { CaError } from "../../base/errors.ts";
import { partitionKeys, storedLayout } from "../../engine/partition-layout.ts";
import type { Row, Store } from "../../engine/ports.ts";

// A process may not know yet that a mount is getting more partitions. Even then, it must neither
// miss a row nor write one where no reader looks for it. See docs/partitions.md#growing.

const outdatedErrors = new WeakSet<Error>();
/**
 * Reports whether an error means that a call did nothing because the mount's partitions changed.
 */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error && outdatedErrors.has(error);
function outdatedError(): CaError {
  const error = new CaError("busy", "the partitions of the mount changed; try again");
  outdatedErrors.add(error);
  return error;
}

/** The row with the number of partitions in one partition, as this process last read it. */
export interface KnownLayout {
  /** The row; null if there is none, undefined if it has not been read yet. */
  row: Row | null | undefined;
  /** Returns the row, reading it first if necessary. Throws as `check` does. */
  load(): Promise<Row | null>;
  /**
   * Compares the row with the stored one, or records the stored one if it is the first. Throws an
   * error for which `isOutdated` holds if the mount's partitions changed.
   */
  check(stored: Row | undefined): void;
}

/**
 * Returns the layout of a partition, as this process knows it, in a mount with `count` partitions.
 * The row is read when it is first needed, so that calls do not depend on partitions that they do
 * not use. `known` is the row, if it was read already.
 */
export function layoutIn(store: Store, count: number, known?: Row | null): KnownLayout {
  const layout: KnownLayout = {
    row: known,
    check(stored) {
      const { row } = layout;
      const isSame =
        row === undefined
          ? !stored || storedLayout(stored.value).count <= count
          : (stored?.rev ?? null) === (row?.rev ?? null);
      if (!isSame) throw outdatedError();
      layout.row ??= stored ?? null;
    },
    async load() {
      if (layout.row === undefined) layout.check((await store.get([partitionKeys.layout]))[0]);
      return layout.row ?? null;
    },
  };
  return layout;
}
