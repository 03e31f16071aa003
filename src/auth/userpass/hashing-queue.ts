import { CaError } from "../../base/errors.ts";
import { pause } from "../../base/event-loop.ts";
import { FairTurns, type LoginOrigin, type WaitingLogin } from "./fair-turns.ts";

/** Maximum number of logins waiting for a password check. */
const maxWaiting = 128;
/** Polling interval of a waiting login in ms. */
const pollEvery = 10;
/**
 * Minimum and maximum pause between two checks in ms. Within these limits, a pause lasts as long as
 * the check before it.
 */
const [minRest, maxRest] = [20, 1000];
/**
 * Time in ms since an entry's check began, and since its last poll, after which the entry counts as
 * abandoned because its request has ended.
 */
const [maxCheck, maxSilence] = [30_000, 2000];

/** The clock and the timer of a queue, both in ms. */
interface QueueClock {
  now(): number;
  pause(milliseconds: number): Promise<void>;
}
interface Entry extends WaitingLogin {
  lastPollAt: number;
  isChecked: boolean;
  /** Whether another login displaced the entry. */
  isDropped: boolean;
}
const tooMany = (): CaError =>
  new CaError("busy", "too many password checks are pending; try again", { retryAfter: 1 });

/** The waiting and running password checks of a queue. */
class WaitingCheck {
  readonly #now: () => number;
  readonly turns: FairTurns;
  #entries: readonly Entry[] = [];
  #next: Entry | undefined;
  /** Time at which the pause after the last check ends. */
  freeAt = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
    this.turns = new FairTurns(now);
  }

  /**
   * Adds an entry. Throws `busy` if the queue is full and the new entry displaces no other entry.
   */
  add(origin: LoginOrigin): Entry {
    this.#dropAbandoned();
    // the entry that is being checked or is next does not count towards the limit
    if (this.#entries.length > maxWaiting) {
      const waiting = this.#entries.filter((one) => !one.isChecked);
      const yielding = this.turns.yielding(waiting, origin);
      if (!yielding) throw tooMany();
      yielding.isDropped = true;
      this.remove(yielding);
    }
    const own: Entry = {
      ...origin,
      turnsBefore: this.turns.started,
      lastPollAt: this.#now(),
      isChecked: false,
      isDropped: false,
    };
    this.#entries = [...this.#entries, own];
    return own;
  }
  remove(own: Entry): void {
    this.#entries = this.#entries.filter((one) => one !== own);
  }
  /** Reports whether it is the entry's turn, and if so, marks its check as running. */
  begins(own: Entry): boolean {
    if (own.isDropped) throw tooMany();
    own.lastPollAt = this.#now();
    this.#dropAbandoned();
    // if the thread was blocked for a long time, all entries were dropped as abandoned
    if (!this.#entries.includes(own)) this.#entries = [...this.#entries, own];
    if (this.#now() < this.freeAt || this.#entries.some((one) => one.isChecked)) return false;
    if (!this.#next || !this.#entries.includes(this.#next))
      this.#next = this.turns.next(this.#entries);
    if (this.#next !== own) return false;
    this.turns.countTurn(own);
    own.isChecked = true;
    this.#next = undefined;
    return true;
  }
  #dropAbandoned(): void {
    const now = this.#now();
    this.#entries = this.#entries.filter(
      ({ lastPollAt, isChecked }) => now - lastPollAt < (isChecked ? maxCheck : maxSilence),
    );
  }
}

/** A queue of password checks. */
interface HashingQueue {
  /**
   * Runs one task at a time. After each task, pauses for as long as the task took, so that other
   * requests can use the thread. Waiting calls get fair turns. Throws `busy` if the queue is full.
   */
  check<T>(origin: LoginOrigin, work: () => Promise<T>): Promise<T>;
  /**
   * Records a failed login from a network. From then on, logins from that network are displaced
   * first when the queue is full.
   */
  noteFailure(network: string): void;
}

/**
 * Returns a queue of password checks. Each waiting call polls with its own timer, because on
 * Workers a call that waits for another request may wait forever.
 */
export function hashingQueue({ now, pause: wait }: QueueClock): HashingQueue {
  const waiting = new WaitingCheck(now);
  return {
    noteFailure: (network) => waiting.turns.noteFailure(network),
    check: async (origin, work) => {
      const own = waiting.add(origin);
      try {
        while (!waiting.begins(own)) await wait(pollEvery);
        const begun = now();
        const result = await work();
        waiting.freeAt = now() + Math.min(Math.max(now() - begun, minRest), maxRest);
        return result;
      } finally {
        waiting.remove(own);
      }
    },
  };
}

/** The queue for all password checks of this process, which share a thread. */
export const passwordChecks = hashingQueue({ now: () => performance.now(), pause });
