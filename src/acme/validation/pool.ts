import { slotsOf, type DueValidation, type Limits, type RunningValidation } from "./slots.ts";

/** Time as it passes, for what is done in real time. */
export interface RealTime {
  /** Milliseconds from anywhere. */
  now(): number;
  /** Calls after some milliseconds; gives what calls it off. */
  after(milliseconds: number, call: () => void): () => void;
}
/** What a pool works on. */
export interface PoolWork<D extends DueValidation> {
  /**
   * What is due and not `known`, of all accounts or of one; of each account at most as many as are
   * wanted, the longest due first.
   */
  due(known: (id: string) => boolean, max: number, account?: string): Promise<readonly D[]>;
  /**
   * Does the work, until the signal ends it. Gives what stores the result, which takes no slot and
   * is not ended. Rejects where the storage failed.
   */
  work(due: D, signal: AbortSignal): Promise<() => Promise<void>>;
  /** How long one may take in all, milliseconds. */
  readonly maxDuration: number;
  /** Told of what failed. */
  failed(cause: unknown): void;
}
/** What is under way, in memory: rows say what is due, so that nothing is lost with it. */
export interface Pool {
  /** Starts what is due, and resolves as soon as it is under way or waits for a slot. */
  look(): Promise<void>;
  /** Whether something is under way or waits. */
  readonly isBusy: boolean;
  /** Whether what has this id is under way or waits. */
  knows(id: string): boolean;
}
/** Why a signal ended a work: not that it took too long, but that somebody else waited. */
export const yielded = Symbol("yielded");

/** So many at once, 50 mostly, and 10 of an account; the rest is said in `slotsOf`. */
export const validationLimits = (total = 50): Limits => ({
  total,
  account: Math.min(total, 10),
  // four of five, so that another one is never far from a slot
  slow: Math.floor(total * 0.8),
  patience: 400,
});

/** How many of an account wait in memory, while there are few accounts and while there are many. */
const [inMemory, inCrowd] = [20, 2];
/** From how many accounts on there are many. */
const crowd = 500;

/** The platform's own time. */
const realTime: RealTime = {
  now: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

interface Inside<D extends DueValidation> {
  readonly works: PoolWork<D>;
  readonly time: RealTime;
  readonly slots: ReturnType<typeof slotsOf<D>>;
  /** What is under way or waits, until its result is stored. */
  readonly known: Set<string>;
  /** What failed in the storage, until the next look. */
  readonly rests: Set<string>;
  readonly stops: Map<string, AbortController>;
  /** Accounts of which more is due than waits in memory. */
  readonly more: Set<string>;
  callOff: (() => void) | undefined;
}

/** A pool of works with slots of their own. */
export function poolOf<D extends DueValidation>(
  works: PoolWork<D>,
  limits: Limits = validationLimits(),
  time: RealTime = realTime,
): Pool {
  const inside: Inside<D> = {
    works,
    time,
    slots: slotsOf<D>(limits),
    known: new Set(),
    rests: new Set(),
    stops: new Map(),
    more: new Set(),
    callOff: undefined,
  };
  return {
    look() {
      inside.rests.clear();
      return look(inside);
    },
    get isBusy() {
      return inside.known.size > 0;
    },
    knows: (id) => inside.known.has(id),
  };
}

async function look<D extends DueValidation>(inside: Inside<D>, account?: string): Promise<void> {
  const { works, slots, known, rests, more } = inside;
  const max = slots.accounts < crowd ? inMemory : inCrowd;
  const found = await works.due((id) => known.has(id) || rests.has(id), max, account);
  const counts = new Map<string, number>();
  for (const due of found) {
    counts.set(due.account, (counts.get(due.account) ?? 0) + 1);
    // another look may have found it meanwhile
    if (known.has(due.id) || slots.waiting(due.account) >= max) continue;
    known.add(due.id);
    slots.add(due);
  }
  for (const [of, count] of counts) if (count >= max) more.add(of);
  fill(inside);
}

/** Gives out slots for as long as there are any, and looks again when one may be given up. */
function fill<D extends DueValidation>(inside: Inside<D>): void {
  const { slots, time } = inside;
  inside.callOff?.();
  inside.callOff = undefined;
  for (;;) {
    const turn = slots.take(time.now());
    if (!turn) break;
    if (turn.yields) inside.stops.get(turn.yields.due.id)?.abort(yielded);
    void run(inside, turn.begins);
  }
  const now = time.now();
  const soonest = slots.soonest(now);
  // a millisecond more: a timer may come a little early
  if (soonest !== undefined) inside.callOff = time.after(soonest - now + 1, () => fill(inside));
}

async function run<D extends DueValidation>(
  inside: Inside<D>,
  one: RunningValidation<D>,
): Promise<void> {
  const { works, slots, known, rests, stops } = inside;
  const { due, patience } = one;
  const stop = new AbortController();
  stops.set(due.id, stop);
  const callOff = inside.time.after(works.maxDuration, () => stop.abort(tooLong()));
  let store: (() => Promise<void>) | undefined;
  try {
    store = await works.work(due, stop.signal);
  } catch (cause) {
    if (stop.signal.reason !== yielded) {
      rests.add(due.id);
      works.failed(cause);
    }
  }
  callOff();
  stops.delete(due.id);
  slots.free(due.id);
  if (!store && stop.signal.reason === yielded) slots.add(due, patience * patienceGrows);
  fill(inside);
  if (store) await stored(inside, due, store);
  if (store || rests.has(due.id)) known.delete(due.id);
  await refill(inside, due.account);
}
/**
 * By how much the patience grows each time: 400 ms, 1.6 s, 6.4 s, 25.6 s, then more than an attempt
 * may take, so that none is begun more than five times before it counts.
 */
const patienceGrows = 4;
const tooLong = (): DOMException => new DOMException("took too long", "TimeoutError");

async function stored<D extends DueValidation>(
  { works, rests }: Inside<D>,
  { id }: D,
  store: () => Promise<void>,
): Promise<void> {
  try {
    await store();
  } catch (cause) {
    rests.add(id);
    works.failed(cause);
  }
}

/** Looks for more of an account, where more is due than was kept in memory. */
async function refill<D extends DueValidation>(inside: Inside<D>, account: string): Promise<void> {
  const { more, slots, works } = inside;
  if (!more.has(account) || slots.waiting(account) > inMemory / 4) return;
  more.delete(account);
  await look(inside, account).catch((cause: unknown) => {
    more.add(account);
    works.failed(cause);
  });
}
