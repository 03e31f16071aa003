import type { Placement } from "./placement.ts";
import type { Batch, Committed, Store } from "./store.ts";

/**
 * Splits a batch into one batch per partition, each with the same `onlyAtEpoch`. The last batch is
 * for the partition with the lowest number, which is the mount's own store if the batch has rows
 * there. It also has the logs, the new epoch and all other members. A batch for a single partition
 * is returned unchanged.
 */
export function batchesByPlace(placement: Placement | undefined, batch: Batch): readonly Batch[] {
  if (!placement) return [batch];
  const { expect = [], put = [], del = [], ...rest } = batch;
  const { onlyAtEpoch } = rest;
  const placeOf = (key: string): number => {
    const place = placement.placeOf(key);
    return place === "batch" ? 0 : place;
  };
  const keys = [...expect.map(([key]) => key), ...put.map(([key]) => key), ...del];
  const places = new Set(keys.map(placeOf));
  if (places.size < 2) return [batch];
  const partOf = (place: number, at: number): Batch => ({
    ...(at === places.size - 1 ? rest : onlyAtEpoch === undefined ? {} : { onlyAtEpoch }),
    expect: expect.filter(([key]) => placeOf(key) === place),
    put: put.filter(([key]) => placeOf(key) === place),
    del: del.filter((key) => placeOf(key) === place),
  });
  return [...places].toSorted((a, b) => b - a).map(partOf);
}

/**
 * A store, or a store context. `commit` of the latter also schedules jobs and adds the audit entry.
 */
interface Committing {
  readonly store: Pick<Store, "placement">;
  commit(batch: Batch): Promise<Committed | undefined>;
}
/**
 * Commits a batch partition by partition, to the mount's own store last. Returns undefined if one
 * of these commits fails. Earlier commits are not rolled back, so the caller must retry the whole
 * change.
 */
export async function commitByPlace(
  context: Committing,
  batch: Batch,
): Promise<Committed | undefined> {
  let done: Committed | undefined;
  for (const part of batchesByPlace(context.store.placement, batch)) {
    done = await context.commit(part);
    if (!done) return undefined;
  }
  return done;
}
