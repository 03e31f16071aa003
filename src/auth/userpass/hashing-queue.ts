import { CaError } from "../../base/errors.ts";
import { pause } from "../../base/event-loop.ts";
import { FairTurns, type LoginOrigin, type WaitingLogin } from "./fair-turns.ts";

/** Logins that may wait while the password of another one is checked. */
const maxWaiting = 128;
/** Milliseconds between two looks of a waiting login. */
const pollEvery = 10;
/** Rest between two checks, milliseconds: as long as the check took, between these. */
const [minRest, maxRest] = [20, 1000];
/**
 * Milliseconds after which an entry is abandoned, because the request behind it ended early: while
 * its password is checked, and since it last looked whether it is next.
 */
const [maxCheck, maxSilence] = [30_000, 2000];

/** Where a queue takes time from, milliseconds. */
interface QueueClock {
  now(): number;
  pause(milliseconds: number): Promise<void>;
}
interface Entry extends WaitingLogin {
  seen: number;
  isChecked: boolean;
  /** It gave way to another login. */
  isDropped: boolean;
}
const tooMany = (): CaError =>
  new CaError("busy", "too many passwords are being checked; try again", { retryAfter: 1 });

/** The entries of a queue, and which of them is next. */
class Waiting {
  readonly #now: () => number;
  readonly turns: FairTurns;
  #entries: readonly Entry[] = [];
  #next: Entry | undefined;
  /** When the thread has rested. */
  freeAt = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
    this.turns = new FairTurns(now);
  }

  /** Adds an entry. Throws `busy` where too many wait and none gives way. */
  add(origin: LoginOrigin): Entry {
    this.#dropAbandoned();
    // with the one that is checked, or is to be once the thread has rested
    if (this.#entries.length > maxWaiting) {
      const waiting = this.#entries.filter((one) => !one.isChecked);
      const yielding = this.turns.yielding(waiting, origin);
      if (!yielding) throw tooMany();
      yielding.isDropped = true;
      this.remove(yielding);
    }
    const own: Entry = {
      ...origin,
      turnsBefore: this.turns.taken,
      seen: this.#now(),
      isChecked: false,
      isDropped: false,
    };
    this.#entries = [...this.#entries, own];
    return own;
  }
  remove(own: Entry): void {
    this.#entries = this.#entries.filter((one) => one !== own);
  }
  /** Reports whether an entry is to be checked now, and takes its turn. */
  begins(own: Entry): boolean {
    if (own.isDropped) throw tooMany();
    own.seen = this.#now();
    this.#dropAbandoned();
    // a thread that was held up for long makes all look abandoned
    if (!this.#entries.includes(own)) this.#entries = [...this.#entries, own];
    if (this.#now() < this.freeAt || this.#entries.some((one) => one.isChecked)) return false;
    if (!this.#next || !this.#entries.includes(this.#next))
      this.#next = this.turns.next(this.#entries);
    if (this.#next !== own) return false;
    this.turns.take(own);
    own.isChecked = true;
    this.#next = undefined;
    return true;
  }
  #dropAbandoned(): void {
    const now = this.#now();
    this.#entries = this.#entries.filter(
      ({ seen, isChecked }) => now - seen < (isChecked ? maxCheck : maxSilence),
    );
  }
}

/** A queue of password checks. */
interface HashingQueue {
  /**
   * Runs one piece of work at a time and leaves the thread to others for as long afterwards. Calls
   * that wait are served in fair turns. Throws `busy` where too many wait.
   */
  check<T>(origin: LoginOrigin, work: () => Promise<T>): Promise<T>;
  /** Holds a failed login against its network: others come first where there is no room for all. */
  noteFailure(network: string): void;
}

/**
 * Returns a queue of password checks.
 *
 * A waiting call polls by timers of its own: on Workers, a call that waits for another request may
 * wait forever.
 */
export function hashingQueue({ now, pause: wait }: QueueClock): HashingQueue {
  const waiting = new Waiting(now);
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

/** The queue of this process: whatever checks a password shares its thread. */
export const passwordChecks = hashingQueue({ now: () => performance.now(), pause });
