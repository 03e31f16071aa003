import { concat } from "../base/bytes.ts";
import type { Batch } from "./ports.ts";

/** A merged batch, whose `expect`, `put`, `append` and `del` are present even if empty. */
type MergedBatch = Batch & Required<Pick<Batch, "expect" | "put" | "append" | "del">>;
type Appends = NonNullable<Batch["append"]>;

/**
 * Merges batches into one, so that their changes are applied atomically. Appends to the same pages
 * become one append. Throws TypeError if the batches require different epochs.
 */
export function mergeBatches(...batches: readonly Batch[]): MergedBatch {
  const merged: MergedBatch = {
    expect: batches.flatMap(({ expect = [] }) => expect),
    put: batches.flatMap(({ put = [] }) => put),
    append: mergeAppends(batches.flatMap(({ append = [] }) => append)),
    del: batches.flatMap(({ del = [] }) => del),
  };
  return batches.reduce<MergedBatch>(withRest, merged);
}

/**
 * Adds the less common members of a batch. `log` is included even if empty, because its presence
 * marks a change.
 */
function withRest(merged: MergedBatch, batch: Batch): MergedBatch {
  const { epoch, onlyAtEpoch, log, read, upkeep, clear } = batch;
  const contradicts =
    (epoch !== undefined && (merged.epoch ?? epoch) !== epoch) ||
    (onlyAtEpoch !== undefined && (merged.onlyAtEpoch ?? onlyAtEpoch) !== onlyAtEpoch);
  if (contradicts) throw new TypeError("batches with different epochs cannot be merged");
  return {
    ...merged,
    ...(epoch === undefined ? {} : { epoch }),
    ...(onlyAtEpoch === undefined ? {} : { onlyAtEpoch }),
    ...(log ? { log: [...(merged.log ?? []), ...log] } : {}),
    ...(read ? { read: [...(merged.read ?? []), ...read] } : {}),
    ...(upkeep ? { upkeep: [...(merged.upkeep ?? []), ...upkeep] } : {}),
    ...(clear ? { clear } : {}),
  };
}

function mergeAppends(appends: Appends): Appends {
  const pages = new Map<string, Uint8Array[]>();
  for (const [prefix, bytes] of appends) {
    const pieces = pages.get(prefix);
    if (pieces) pieces.push(bytes);
    else pages.set(prefix, [bytes]);
  }
  return [...pages].map(([prefix, pieces]) => [prefix, concat(pieces)]);
}
