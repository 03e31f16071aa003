import { slotsOf, type DueValidation, type Limits, type RunningValidation } from "./slots.ts";

/** Real time, as opposed to the injected clock. */
export interface RealTime {
  /** Returns the milliseconds since an arbitrary moment. */
  now(): number;
  /** Calls a function after a number of milliseconds. Returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void;
}
/** The operations with which a pool finds and processes its work. */
export interface PoolWork<D extends DueValidation> {
  /**
   * Returns due items of all accounts or one account that are not queued. Returns at most `max`
   * items per account, those that have been due longest first.
   */
  due(isQueued: (id: string) => boolean, max: number, account?: string): Promise<readonly D[]>;
  /**
   * Processes an item until it is done or aborted. Returns a function that stores the result, which
   * needs no slot and is not aborted. Rejects if storage fails.
   */
  work(due: D, signal: AbortSignal): Promise<() => Promise<void>>;
  /** Maximum duration of one item, in milliseconds. */
  readonly maxDuration: number;
  /** Called for each failure. */
  failed(cause: unknown): void;
}
/**
 * The work in progress, which is only in memory. Due items are stored, so nothing is lost if the
 * process ends.
 */
export interface Pool {
  /** Starts due work, and resolves when all of it runs or waits for a slot. */
  startDue(): Promise<void>;
  /** True if any item runs or waits. */
  readonly isBusy: boolean;
  /** Reports whether an item runs or waits. */
  isQueued(id: string): boolean;
}
/** Abort reason of preempted work, as opposed to a timeout. */
export const yielded = Symbol("yielded");

/**
 * Returns the limits for at most `total` concurrent validations, of which an account may have 10.
 */
export const validationLimits = (total = 50): Limits => ({
  total,
  account: Math.min(total, 10),
  // four fifths of the slots, so that a slot for other validations soon becomes free
  slow: Math.floor(total * 0.8),
  minSlotTime: 400,
});

/**
 * Maximum number of items per account that wait in memory: with fewer than `crowd` accounts, and
 * otherwise.
 */
const [inMemory, inCrowd] = [20, 2];
/** Number of accounts from which the lower maximum applies. */
const crowd = 500;

/** The platform's clock and timers. */
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
  /** Items that are running or waiting, or whose result has not been stored yet. */
  readonly queued: Set<string>;
  /** Items that failed because the store failed; skipped until the next `startDue`. */
  readonly deferred: Set<string>;
  readonly stops: Map<string, AbortController>;
  /** Accounts with more due items than may wait in memory. */
  readonly more: Set<string>;
  callOff: (() => void) | undefined;
}

/** Returns a pool with its own slots. */
export function poolOf<D extends DueValidation>(
  works: PoolWork<D>,
  limits: Limits = validationLimits(),
  time: RealTime = realTime,
): Pool {
  const inside: Inside<D> = {
    works,
    time,
    slots: slotsOf<D>(limits),
    queued: new Set(),
    deferred: new Set(),
    stops: new Map(),
    more: new Set(),
    callOff: undefined,
  };
  return {
    startDue() {
      inside.deferred.clear();
      return queueDue(inside);
    },
    get isBusy() {
      return inside.queued.size > 0;
    },
    isQueued: (id) => inside.queued.has(id),
  };
}

async function queueDue<D extends DueValidation>(
  inside: Inside<D>,
  account?: string,
): Promise<void> {
  const { works, slots, queued, deferred, more } = inside;
  const max = slots.accounts < crowd ? inMemory : inCrowd;
  const dueItems = await works.due((id) => queued.has(id) || deferred.has(id), max, account);
  const counts = new Map<string, number>();
  for (const due of dueItems) {
    counts.set(due.account, (counts.get(due.account) ?? 0) + 1);
    // a concurrent query may have found the same item
    if (queued.has(due.id) || slots.waiting(due.account) >= max) continue;
    queued.add(due.id);
    slots.add(due);
  }
  for (const [of, count] of counts) if (count >= max) more.add(of);
  fill(inside);
}

/** Fills free slots, and sets a timer for the next possible preemption. */
function fill<D extends DueValidation>(inside: Inside<D>): void {
  const { slots, time } = inside;
  inside.callOff?.();
  inside.callOff = undefined;
  for (;;) {
    const turn = slots.startNext(time.now());
    if (!turn) break;
    if (turn.yields) inside.stops.get(turn.yields.due.id)?.abort(yielded);
    void run(inside, turn.begins);
  }
  const now = time.now();
  const soonest = slots.soonest(now);
  // one more millisecond, because timers may fire early
  if (soonest !== undefined) inside.callOff = time.after(soonest - now + 1, () => fill(inside));
}

async function run<D extends DueValidation>(
  inside: Inside<D>,
  one: RunningValidation<D>,
): Promise<void> {
  const { works, slots, queued, deferred, stops } = inside;
  const { due, slotTime } = one;
  const stop = new AbortController();
  stops.set(due.id, stop);
  const callOff = inside.time.after(works.maxDuration, () => stop.abort(tooLong()));
  let store: (() => Promise<void>) | undefined;
  try {
    store = await works.work(due, stop.signal);
  } catch (cause) {
    if (stop.signal.reason !== yielded) {
      deferred.add(due.id);
      works.failed(cause);
    }
  }
  callOff();
  stops.delete(due.id);
  slots.free(due.id);
  if (!store && stop.signal.reason === yielded) slots.add(due, slotTime * slotTimeFactor);
  fill(inside);
  if (store) await stored(inside, due, store);
  if (store || deferred.has(due.id)) queued.delete(due.id);
  await refill(inside, due.account);
}
/**
 * Factor by which the slot time of a preempted validation grows. The slot times are 400 ms, 1.6 s,
 * 6.4 s, 25.6 s, and then more than an attempt may take. Hence an attempt starts at most five times
 * before it is completed.
 */
const slotTimeFactor = 4;
const tooLong = (): DOMException => new DOMException("took too long", "TimeoutError");

async function stored<D extends DueValidation>(
  { works, deferred }: Inside<D>,
  { id }: D,
  store: () => Promise<void>,
): Promise<void> {
  try {
    await store();
  } catch (cause) {
    deferred.add(id);
    works.failed(cause);
  }
}

/** Queries more due items of an account once few of its items wait in memory. */
async function refill<D extends DueValidation>(inside: Inside<D>, account: string): Promise<void> {
  const { more, slots, works } = inside;
  if (!more.has(account) || slots.waiting(account) > inMemory / 4) return;
  more.delete(account);
  await queueDue(inside, account).catch((cause: unknown) => {
    more.add(account);
    works.failed(cause);
  });
}
