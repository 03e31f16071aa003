/** A validation that is due. */
export interface DueValidation {
  /** Of its authorization. */
  readonly id: string;
  readonly account: string;
}
/** How many run at once, and how long one keeps its slot while others wait. */
export interface Limits {
  readonly total: number;
  /** Of one account. */
  readonly account: number;
  /** Of those that have given up a slot before, so that others find one at any time. */
  readonly slow: number;
  /** Milliseconds for which nobody takes the slot of one that has given up none. */
  readonly patience: number;
}
/** One that has a slot. */
export interface RunningValidation<D extends DueValidation> {
  readonly due: D;
  /** Milliseconds for which nobody takes its slot. */
  readonly patience: number;
  /** When it began, in milliseconds of the clock that the slots are asked with. */
  readonly since: number;
}
/** Who begins, and who gives up its slot for it. */
export interface NextTurn<D extends DueValidation> {
  readonly begins: RunningValidation<D>;
  readonly yields?: RunningValidation<D>;
}
/** Slots, and who waits for them. */
export interface Slots<D extends DueValidation> {
  /** How many of an account wait. */
  waiting(account: string): number;
  /** Accounts of which one runs or waits. */
  readonly accounts: number;
  /** Lets one wait; `patience`: of one that gave up its slot, what it gets the next time. */
  add(due: D, patience?: number): void;
  /** Gives a slot to whoever is next; undefined where nobody waits or none can be had. */
  take(now: number): NextTurn<D> | undefined;
  /** The slot of one is free, if it has one still. */
  free(id: string): void;
  /** When the patience of the next one ends; undefined where nobody waits, or all have ended. */
  soonest(now: number): number | undefined;
}

type Lane = "fresh" | "slow";
type Waiting<D extends DueValidation> = Omit<RunningValidation<D>, "since">;
interface Queue<D extends DueValidation> {
  readonly fresh: Waiting<D>[];
  readonly slow: Waiting<D>[];
  running: number;
  /** The number of its last turn; 0 before the first. */
  turn: number;
}
interface State<D extends DueValidation> {
  readonly limits: Limits;
  readonly queues: Map<string, Queue<D>>;
  readonly running: Map<string, RunningValidation<D>>;
  turns: number;
  /** How many run that have given up a slot before. */
  slow: number;
  waiting: { fresh: number; slow: number };
}

/**
 * Slots that are given to the account that has the fewest, and of several to the one whose last
 * turn is the longest ago. One that runs for longer than its patience gives its slot up when
 * somebody waits who has fewer, or another one of its own account does; it is to wait again with
 * more patience. Those who have given up one never hold all slots: whoever comes anew waits for one
 * patience at most, whatever the others ask for.
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
    add(due, patience = limits.patience) {
      const queue = queues.get(due.account) ?? { fresh: [], slow: [], running: 0, turn: 0 };
      queues.set(due.account, queue);
      const lane = laneOf(state, patience);
      queue[lane].push({ due, patience });
      state.waiting[lane]++;
    },
    take(now) {
      for (const lane of lanes(state)) {
        const found = nextOf(state, lane, now);
        if (found) return begin(state, { ...found, lane, now });
      }
      return undefined;
    },
    free(id) {
      const one = running.get(id);
      if (one) leave(state, one);
    },
    soonest(now) {
      if (state.waiting.fresh + state.waiting.slow === 0) return undefined;
      const ends = [...running.values()].map(({ since, patience }) => since + patience);
      const soonest = Math.min(...ends.filter((end) => end > now));
      return soonest === Infinity ? undefined : soonest;
    },
  };
}

const laneOf = <D extends DueValidation>({ limits }: State<D>, patience: number): Lane =>
  patience > limits.patience ? "slow" : "fresh";

/** The lanes in the order in which they are served: the slow one gets its share, and no more. */
function lanes<D extends DueValidation>({ limits, running, slow }: State<D>): readonly Lane[] {
  const fresh = running.size - slow;
  return slow < limits.slow && fresh >= limits.total - limits.slow
    ? ["slow", "fresh"]
    : ["fresh", "slow"];
}

interface Found<D extends DueValidation> {
  readonly account: string;
  readonly yields?: RunningValidation<D>;
}
/** The account that is served next in a lane, and who gives up a slot for it. */
function nextOf<D extends DueValidation>(
  state: State<D>,
  lane: Lane,
  now: number,
): Found<D> | undefined {
  if (state.waiting[lane] === 0) return undefined;
  const late = [...state.running.values()].filter(({ since, patience }) => now - since >= patience);
  const isFull = state.running.size >= state.limits.total;
  if (isFull && late.length === 0) return undefined;
  let best: (Found<D> & { readonly queue: Queue<D> }) | undefined;
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
      if (isSlowFull && laneOf(state, one.patience) !== "slow") return false;
      return one.due.account === account || (!isOwnFull && own > queue.running);
    });
    if (yields) best = { account, queue, yields };
  }
  return best;
}
const isBefore = <D extends DueValidation>(one: Queue<D>, other: Queue<D>): boolean =>
  one.running - other.running < 0 || (one.running === other.running && one.turn < other.turn);

/** Of those that may, the one that gives up its slot: of the account that has the most. */
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
  { account, lane, now, yields }: Found<D> & { readonly lane: Lane; readonly now: number },
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
  if (laneOf(state, one.patience) === "slow") state.slow--;
  const queue = state.queues.get(one.due.account);
  if (!queue) return;
  queue.running--;
  if (queue.running + queue.fresh.length + queue.slow.length === 0)
    state.queues.delete(one.due.account);
}
