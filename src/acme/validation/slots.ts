/** A due validation. */
export interface DueValidation {
  /** ID of the authorization. */
  readonly id: string;
  readonly account: string;
}
/** Concurrency limits, and the time for which a validation keeps its slot while others wait. */
export interface Limits {
  readonly total: number;
  /** Maximum number of validations per account. */
  readonly account: number;
  /**
   * Maximum number of running validations that have already been preempted. It is limited so that
   * slots for others soon become free.
   */
  readonly slow: number;
  /** Time in ms during which a validation that has never been preempted keeps its slot. */
  readonly minSlotTime: number;
}
/** A validation that has a slot. */
export interface RunningValidation<D extends DueValidation> {
  readonly due: D;
  /** Time in ms during which the validation keeps its slot. */
  readonly slotTime: number;
  /** Start time in ms, by the clock passed to the slots. */
  readonly since: number;
}
/** The validation that starts next, and the one preempted for it. */
interface NextTurn<D extends DueValidation> {
  readonly begins: RunningValidation<D>;
  readonly yields?: RunningValidation<D>;
}
/** Slots and the validations that wait for them. */
interface Slots<D extends DueValidation> {
  /** Number of waiting validations of an account. */
  waiting(account: string): number;
  /** Number of accounts with a running or waiting validation. */
  readonly accounts: number;
  /**
   * Queues a validation. `slotTime` is the time in ms for which it may keep its next slot; pass it
   * only for a validation that has been preempted.
   */
  add(due: D, slotTime?: number): void;
  /**
   * Assigns a slot to the next validation. Returns undefined if no validation waits or no slot is
   * available.
   */
  startNext(now: number): NextTurn<D> | undefined;
  /** Frees the slot of a validation, if it still has one. */
  free(id: string): void;
  /**
   * Returns the next time after `now` at which a running validation can be preempted, or undefined
   * if no validation waits or there is no such time.
   */
  soonest(now: number): number | undefined;
}

type Lane = "fresh" | "slow";
type WaitingValidation<D extends DueValidation> = Omit<RunningValidation<D>, "since">;
interface Queue<D extends DueValidation> {
  readonly fresh: WaitingValidation<D>[];
  readonly slow: WaitingValidation<D>[];
  running: number;
  /** Sequence number of the queue's last turn; 0 before the first. */
  turn: number;
}
interface State<D extends DueValidation> {
  readonly limits: Limits;
  readonly queues: Map<string, Queue<D>>;
  readonly running: Map<string, RunningValidation<D>>;
  turns: number;
  /** Number of running validations that have already been preempted. */
  slow: number;
  waiting: { fresh: number; slow: number };
}

/**
 * Returns a set of free slots. A slot is assigned to the account with the fewest slots, and among
 * equals to the account whose last turn was longest ago. A validation that exceeds its slot time is
 * preempted if an account with fewer slots waits, or another validation of its own account; it then
 * waits again, with a longer slot time. Preempted validations never occupy all slots, so a new
 * validation waits for at most one minimum slot time, regardless of the others.
 */
export function slotsOf<D extends DueValidation>(limits: Limits): Slots<D> {
  const state: State<D> = {
    limits,
    queues: new Map(),
    running: new Map(),
    turns: 0,
    slow: 0,
    waiting: { fresh: 0, slow: 0 },
  };
  const { queues, running } = state;
  return {
    waiting(account) {
      const queue = queues.get(account);
      return queue ? queue.fresh.length + queue.slow.length : 0;
    },
    get accounts() {
      return queues.size;
    },
    add(due, slotTime = limits.minSlotTime) {
      const queue = queues.get(due.account) ?? { fresh: [], slow: [], running: 0, turn: 0 };
      queues.set(due.account, queue);
      const lane = laneOf(state, slotTime);
      queue[lane].push({ due, slotTime });
      state.waiting[lane]++;
    },
    startNext(now) {
      for (const lane of lanes(state)) {
        const next = nextOf(state, lane, now);
        if (next) return begin(state, { ...next, lane, now });
      }
      return undefined;
    },
    free(id) {
      const one = running.get(id);
      if (one) leave(state, one);
    },
    soonest(now) {
      if (state.waiting.fresh + state.waiting.slow === 0) return undefined;
      const ends = [...running.values()].map(({ since, slotTime }) => since + slotTime);
      const soonest = Math.min(...ends.filter((end) => end > now));
      return soonest === Infinity ? undefined : soonest;
    },
  };
}

const laneOf = <D extends DueValidation>({ limits }: State<D>, slotTime: number): Lane =>
  slotTime > limits.minSlotTime ? "slow" : "fresh";

/**
 * Returns the lanes in the order in which they are served. The slow lane is first only while it has
 * less than its share of the slots and the fresh lane has at least its own.
 */
function lanes<D extends DueValidation>({ limits, running, slow }: State<D>): readonly Lane[] {
  const fresh = running.size - slow;
  return slow < limits.slow && fresh >= limits.total - limits.slow
    ? ["slow", "fresh"]
    : ["fresh", "slow"];
}

interface NextAccount<D extends DueValidation> {
  readonly account: string;
  readonly yields?: RunningValidation<D>;
}
/** Returns the account served next in a lane, and the validation preempted for it. */
function nextOf<D extends DueValidation>(
  state: State<D>,
  lane: Lane,
  now: number,
): NextAccount<D> | undefined {
  if (state.waiting[lane] === 0) return undefined;
  const late = [...state.running.values()].filter(({ since, slotTime }) => now - since >= slotTime);
  const isFull = state.running.size >= state.limits.total;
  if (isFull && late.length === 0) return undefined;
  let best: (NextAccount<D> & { readonly queue: Queue<D> }) | undefined;
  for (const [account, queue] of state.queues) {
    if (queue[lane].length === 0) continue;
    if (best && !isBefore(queue, best.queue)) continue;
    const isSlowFull = lane === "slow" && state.slow >= state.limits.slow;
    const isOwnFull = queue.running >= state.limits.account;
    if (!isFull && !isSlowFull && !isOwnFull) {
      best = { account, queue };
      continue;
    }
    const yields = longestWaiting(state, late, (one, own) => {
      if (isSlowFull && laneOf(state, one.slotTime) !== "slow") return false;
      return one.due.account === account || (!isOwnFull && own > queue.running);
    });
    if (yields) best = { account, queue, yields };
  }
  return best;
}
const isBefore = <D extends DueValidation>(one: Queue<D>, other: Queue<D>): boolean =>
  one.running - other.running < 0 || (one.running === other.running && one.turn < other.turn);

/** Returns the validation to preempt, which is one of the account with the most slots. */
function longestWaiting<D extends DueValidation>(
  { queues }: State<D>,
  late: readonly RunningValidation<D>[],
  may: (one: RunningValidation<D>, ofAccount: number) => boolean,
): RunningValidation<D> | undefined {
  let best: { readonly one: RunningValidation<D>; readonly count: number } | undefined;
  for (const one of late) {
    const count = queues.get(one.due.account)?.running ?? 0;
    if (!may(one, count)) continue;
    const isBetter =
      !best || count > best.count || (count === best.count && one.since < best.one.since);
    if (isBetter) best = { one, count };
  }
  return best?.one;
}

function begin<D extends DueValidation>(
  state: State<D>,
  { account, lane, now, yields }: NextAccount<D> & { readonly lane: Lane; readonly now: number },
): NextTurn<D> | undefined {
  const queue = state.queues.get(account);
  const first = queue?.[lane].shift();
  if (!queue || !first) return undefined;
  state.waiting[lane]--;
  const begins = { ...first, since: now };
  queue.running++;
  queue.turn = ++state.turns;
  state.running.set(begins.due.id, begins);
  if (lane === "slow") state.slow++;
  if (yields) leave(state, yields);
  return { begins, ...(yields ? { yields } : {}) };
}

function leave<D extends DueValidation>(state: State<D>, one: RunningValidation<D>): void {
  state.running.delete(one.due.id);
  if (laneOf(state, one.slotTime) === "slow") state.slow--;
  const queue = state.queues.get(one.due.account);
  if (!queue) return;
  queue.running--;
  if (queue.running + queue.fresh.length + queue.slow.length === 0)
    state.queues.delete(one.due.account);
}
