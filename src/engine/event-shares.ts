import { memoize } from "../base/memo.ts";
import { selfOf, type StoreContext } from "./store-context.ts";

/** A rate of events: the burst, and the milliseconds after which one more is admitted. */
export type Share = readonly [burst: number, interval: number];
/** The remaining events of a share. */
interface Bucket {
  left: number;
  at: number;
  /** Events not stored since the last stored one. */
  skipped: number;
}

/**
 * Share of a caller in the first log for one endpoint, so that nobody can exhaust it at one
 * endpoint to hide calls of another.
 */
export const endpointShare: Share = [100, 600_000];
/** Share of a caller in the log `frequent`, for all endpoints together. */
export const frequentShare: Share = [1000, 600_000];

/** Maximum shares that a store context remembers. */
const maxShares = 10_000;
/** Shares by name, least recently used first. */
const sharesOf = memoize<StoreContext, readonly [], Map<string, Bucket>>(() => new Map(), selfOf);

/** Returns the current state of a share. */
export function bucketOf(
  storeContext: StoreContext,
  name: string,
  [burst, interval]: Share,
): Bucket {
  const shares = sharesOf(storeContext);
  const bucket = shares.get(name) ?? { left: burst, at: -Infinity, skipped: 0 };
  shares.delete(name);
  if (shares.size >= maxShares) {
    const [oldest = ""] = shares.keys();
    shares.delete(oldest);
  }
  shares.set(name, bucket);
  const now = storeContext.ports.now();
  // the elapsed time is unknown after a clock was set back
  const passed = now - bucket.at;
  const more = passed < 0 ? 0 : Math.floor(passed / interval);
  if (more > 0 || passed < 0) {
    bucket.left = Math.min(burst, bucket.left + more);
    bucket.at = bucket.left === burst || passed < 0 ? now : bucket.at + more * interval;
  }
  return bucket;
}

/**
 * Takes one event from each of some shares and reports whether all had one left. The owner's share
 * comes before those of its callers: if it is empty, they do not evict other shares.
 */
export function takeShares(
  storeContext: StoreContext,
  ...shares: readonly (readonly [name: string, share: Share])[]
): boolean {
  const buckets: Bucket[] = [];
  for (const [name, share] of shares) {
    const bucket = bucketOf(storeContext, name, share);
    if (bucket.left <= 0) return false;
    buckets.push(bucket);
  }
  for (const bucket of buckets) bucket.left -= 1;
  return true;
}
