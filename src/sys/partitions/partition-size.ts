import { memoize } from "../../base/memo.ts";
import { withTimeout } from "../../base/with-timeout.ts";
import type { Store, StoreSize } from "../../engine/ports.ts";

/**
 * Lifetime of a cached size in ms. The size is cached because an estimate reads about a thousand
 * rows.
 */
const sizeTtl = 60_000;

interface CachedSize {
  /** Time at which the size was read (Unix ms). */
  at: number;
  size: StoreSize | undefined;
}
const cacheOf = memoize<Store, readonly [], CachedSize>(() => ({ at: -Infinity, size: undefined }));

/**
 * Returns the size of a partition, cached for at most one minute. Returns undefined if the size is
 * unknown, or cannot be read within `timeout` ms.
 */
export async function partitionSize(
  store: Store,
  now: number,
  timeout: number,
): Promise<StoreSize | undefined> {
  const cached = cacheOf(store);
  // the clock may have been set back
  if (now - cached.at < sizeTtl && now >= cached.at) return cached.size;
  const read: Promise<StoreSize | undefined> = store.size?.() ?? Promise.resolve(undefined);
  const size = await withTimeout(read, timeout, () => undefined).catch(() => undefined);
  if (size) Object.assign(cached, { at: now, size });
  return size;
}
