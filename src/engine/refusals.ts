import { memo } from "../base/memo.ts";
import { stored } from "./stored.ts";
import { sysKeys } from "./sys-records.ts";
import type { Unit } from "./unit.ts";

/**
 * How many refusals of one caller are stored at once, and after how many milliseconds one more is:
 * a token of few rights must neither fill the log with its refusals nor keep the disk busy.
 */
const [atOnce, refill] = [30, 6000];
/** The same of all callers together: whoever may make tokens has many. */
const [allAtOnce, allRefill] = [300, 200];
/** How many callers are remembered. */
const mostCallers = 1000;
/** Milliseconds between two writes of how many calls had no valid token. */
const countEvery = 60_000;
/** How many hours are remembered. */
const mostHours = 48;
const hour = 3_600_000;

/**
 * How many changes by one endpoint a caller has in the first log at once, and after how many
 * milliseconds one more: the log keeps 10,000 of all callers together, and nobody can use up the
 * share of one endpoint to hide what another one does.
 */
const share = [100, 600_000] as const;
/** How many shares are remembered. */
const maxShares = 10_000;

interface Bucket {
  left: number;
  at: number;
  skipped: number;
}
interface Seen {
  readonly callers: Map<string, Bucket>;
  readonly all: Bucket;
  /** Calls without a valid token that are not written yet. */
  strangers: number;
  written: number;
}
/** What one engine remembers of refusals. */
const seenOf = memo<Unit, readonly [], Seen>(() => ({
  callers: new Map(),
  all: { left: allAtOnce, at: -Infinity, skipped: 0 },
  strangers: 0,
  written: -Infinity,
}));

/** Fills a bucket up to now, and tells whether there is something in it. */
function fill(bucket: Bucket, now: number, [most, every]: readonly [number, number]): boolean {
  // a clock that went back says nothing
  const passed = now - bucket.at;
  const more = passed < 0 ? 0 : Math.floor(passed / every);
  if (more > 0 || passed < 0) {
    bucket.left = Math.min(most, bucket.left + more);
    bucket.at = bucket.left === most || passed < 0 ? now : bucket.at + more * every;
  }
  return bucket.left > 0;
}

/**
 * Whether one more refusal of a caller is stored, and how many were not since the last one that
 * was; undefined: this one is not.
 */
export function withinLimit(sys: Unit, caller: string): { readonly more: number } | undefined {
  const { callers, all } = seenOf(sys);
  const now = sys.ports.now();
  const own = callers.get(caller) ?? { left: atOnce, at: -Infinity, skipped: 0 };
  if (!callers.has(caller) && callers.size >= mostCallers) {
    const [oldest = ""] = callers.keys();
    callers.delete(oldest);
  }
  callers.set(caller, own);
  const granted = [fill(own, now, [atOnce, refill]), fill(all, now, [allAtOnce, allRefill])];
  if (!granted.every(Boolean)) {
    own.skipped += 1;
    return undefined;
  }
  own.left -= 1;
  all.left -= 1;
  const more = own.skipped;
  own.skipped = 0;
  return { more };
}

/** Shares by caller and endpoint, those used last at the end. */
const sharesOf = memo<Unit, readonly [], Map<string, Bucket>>(() => new Map());

/** Takes one change from a share, and reports whether there was one left. */
export function takeShare(sys: Unit, name: string): boolean {
  const shares = sharesOf(sys);
  const own = shares.get(name) ?? { left: share[0], at: -Infinity, skipped: 0 };
  shares.delete(name);
  const [oldest = ""] = shares.keys();
  if (shares.size >= maxShares) shares.delete(oldest);
  shares.set(name, own);
  const isLeft = fill(own, sys.ports.now(), share);
  if (isLeft) own.left -= 1;
  return isLeft;
}

/**
 * Counts a call without a valid token. The counts of all engines come together in one row, written
 * once a minute at most, whatever strangers do.
 */
export async function tellStranger(sys: Unit): Promise<void> {
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
      const held = stored.strangers(row?.value).hours;
      const last = held.find(([at]) => at === begin)?.[1] ?? 0;
      const others = held.filter(([at]) => at !== begin).slice(1 - mostHours);
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
export async function strangersOf(sys: Unit): Promise<readonly (readonly [number, number])[]> {
  const [row] = await sys.store.get([sysKeys.strangers]);
  return stored.strangers(row?.value).hours;
}
