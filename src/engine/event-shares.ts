import { memoize } from "../base/memo.ts";
import { selfOf, type StoreContext } from "./store-context.ts";

/** How many events are admitted at once, and the milliseconds after which one more is. */
export type Share = readonly [burst: number, interval: number];
/** What is left of a share. */
interface Bucket {
  left: number;
  at: number;
  /** Events that were not stored since the last one that was. */
  skipped: number;
}

/**
 * The share of a caller in the first log for one endpoint: nobody can use up the share of one
 * endpoint to hide what another one does.
 */
export const endpointShare: Share = [100, 600_000];
/** The share of a caller in the log `frequent`, for all endpoints together. */
export const frequentShare: Share = [1000, 600_000];

/** Maximum shares that a store context remembers. */
const maxShares = 10_000;
/** Shares by name, those used last at the end. */
const sharesOf = memoize<StoreContext, readonly [], Map<string, Bucket>>(() => new Map(), selfOf);

/** Returns what is left of the share of a name now. */
export function bucketOf(
  storeContext: StoreContext,
  name: string,
  [burst, interval]: Share,
): Bucket {
  const shares = sharesOf(storeContext);
  const bucket = shares.get(name) ?? { left: burst, at: -Infinity, skipped: 0 };
  shares.delete(name);
  const [oldest = ""] = shares.keys();
  if (shares.size >= maxShares) shares.delete(oldest);
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
 * Takes one event from each of some shares, and reports whether all had one left. That of an owner
 * stands before those of its callers: with none left, they do not push other shares out of memory.
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
