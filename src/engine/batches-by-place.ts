import type { Placement } from "./placement.ts";
import type { Batch } from "./store.ts";

/**
 * Splits a batch into one for each partition. The last one is of the mount's own store, and has
 * the batch's logs, epoch and other members. A batch of one partition stays whole.
 */
export function batchesByPlace(placement: Placement | undefined, batch: Batch): readonly Batch[] {
  if (!placement) return [batch];
  const { expect = [], put = [], del = [], ...rest } = batch;
  const placeOf = (key: string): number => {
    const place = placement.placeOf(key);
    return place === "batch" ? 0 : place;
  };
  const keys = [...expect.map(([key]) => key), ...put.map(([key]) => key), ...del];
  const places = new Set(keys.map(placeOf));
  if (places.size < 2) return [batch];
  const partOf = (place: number, at: number): Batch => ({
    ...(at === places.size - 1 ? rest : {}),
    expect: expect.filter(([key]) => placeOf(key) === place),
    put: put.filter(([key]) => placeOf(key) === place),
    del: del.filter((key) => placeOf(key) === place),
  });
  return [...places].toSorted((a, b) => b - a).map(partOf);
}
