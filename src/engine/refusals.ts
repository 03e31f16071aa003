import { memoize } from "../base/memo.ts";
import { bucketOf, takeShares, type Share } from "./event-shares.ts";
import { sysKeys, storedSys } from "./sys-records.ts";
import { selfOf, type StoreContext } from "./store-context.ts";

/**
 * The share of one caller in a log of refusals: a token of few rights must neither fill the log nor
 * keep the disk busy.
 */
const callerShare: Share = [30, 600_000];
/** Share of all tokens created by one token together, or of all ACME accounts of one owner. */
const ownerShare: Share = [300, 60_000];
/** Rejections of a caller that are stored however many other callers are rejected. */
const certain = 5;
/** Share of all callers together, beyond what is certain for each. */
const commonShare: Share = [300, 10_000];
/** Milliseconds between two writes of how many calls had no valid token. */
const countEvery = 60_000;
/** Maximum hours that are remembered. */
const maxHours = 48;
const hour = 3_600_000;

interface Seen {
  /** Calls without a valid token that are not written yet. */
  strangers: number;
  written: number;
}
/** What one engine remembers of refusals. */
const seenOf = memoize<StoreContext, readonly [], Seen>(
  () => ({
    strangers: 0,
    written: -Infinity,
  }),
  selfOf,
);

/**
 * Takes one refusal from the share of a caller, and returns how many were not stored since the last
 * one that was; undefined: this one is not. `storeContext`: of the store with the log. `owner`: the
 * caller itself, or the one that its credential comes from.
 */
export function withinLimit(
  storeContext: StoreContext,
  caller: string,
  owner: string,
): { readonly more: number } | undefined {
  const ofOwner =
    owner === caller ? undefined : bucketOf(storeContext, `refusals of ${owner}`, ownerShare);
  if (ofOwner && ofOwner.left <= 0) {
    // without a share for the caller: those of many would push others out of memory
    ofOwner.skipped += 1;
    return undefined;
  }
  const own = bucketOf(storeContext, `refusals ${caller}`, callerShare);
  const isLeft =
    own.left > 0 &&
    (own.left > callerShare[0] - certain || takeShares(storeContext, ["refusals", commonShare]));
  if (!isLeft) {
    own.skipped += 1;
    return undefined;
  }
  let more = 0;
  for (const bucket of ofOwner ? [own, ofOwner] : [own]) {
    bucket.left -= 1;
    more += bucket.skipped;
    bucket.skipped = 0;
  }
  return { more };
}

/**
 * Counts a call without a valid token. The counts of all engines come together in one row, written
 * once a minute at most, whatever strangers do.
 */
export async function countAnonymous(sys: StoreContext): Promise<void> {
  const seen = seenOf(sys);
  const now = sys.ports.now();
  seen.strangers += 1;
  if (now >= seen.written && now - seen.written < countEvery) return;
  const count = seen.strangers;
  [seen.strangers, seen.written] = [0, now];
  try {
    await sys.change(async () => {
      const [row] = await sys.store.get([sysKeys.strangers]);
      const begin = Math.floor(now / hour) * hour;
      const held = storedSys.strangers(row?.value).hours;
      const last = held.find(([at]) => at === begin)?.[1] ?? 0;
      const others = held.filter(([at]) => at !== begin).slice(1 - maxHours);
      return {
        reply: undefined,
        batch: {
          expect: [[sysKeys.strangers, row?.rev ?? null]],
          put: [[sysKeys.strangers, { hours: [...others, [begin, last + count]] }]],
        },
      };
    });
  } catch (error) {
    seen.strangers += count;
    throw error;
  }
}

/** How many calls had no valid token, by the hours in which they came: Unix milliseconds. */
export async function strangersOf(
  sys: StoreContext,
): Promise<readonly (readonly [number, number])[]> {
  const [row] = await sys.store.get([sysKeys.strangers]);
  return storedSys.strangers(row?.value).hours;
}
