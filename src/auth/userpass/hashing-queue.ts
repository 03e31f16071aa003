import { CaError } from "../../base/errors.ts";
import { pause } from "../../base/turn.ts";

/** Logins that may wait while the password of another one is checked. */
const maxWaiting = 15;
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
interface Entry {
  seen: number;
  isChecked: boolean;
}

/**
 * Returns a function that runs one piece of work at a time and leaves the thread to others for as
 * long afterwards; others wait in their order. It throws `busy` where too many wait.
 *
 * A waiting call polls by timers of its own: on Workers, a call that waits for another request may
 * wait forever.
 */
export function hashingQueue({ now, pause: wait }: QueueClock) {
  let entries: readonly Entry[] = [];
  let freeAt = -Infinity;
  const dropAbandoned = (): void => {
    entries = entries.filter((one) => now() - one.seen < (one.isChecked ? maxCheck : maxSilence));
  };
  const isNext = (own: Entry): boolean => {
    own.seen = now();
    dropAbandoned();
    // a thread that was held up for long makes all look abandoned
    if (!entries.includes(own)) entries = [...entries, own];
    return entries[0] === own && now() >= freeAt;
  };
  return async <T>(work: () => Promise<T>): Promise<T> => {
    dropAbandoned();
    if (entries.length > maxWaiting)
      throw new CaError("busy", "too many passwords are being checked; try again", {
        retryAfter: 1,
      });
    const own: Entry = { seen: now(), isChecked: false };
    entries = [...entries, own];
    try {
      while (!isNext(own)) await wait(pollEvery);
      own.isChecked = true;
      const begun = now();
      const result = await work();
      freeAt = now() + Math.min(Math.max(now() - begun, minRest), maxRest);
      return result;
    } finally {
      entries = entries.filter((one) => one !== own);
    }
  };
}

/** The queue of this process: whatever checks a password shares its thread. */
export const queued = hashingQueue({ now: () => performance.now(), pause });
