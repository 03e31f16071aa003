/** A rate limit that applies to each caller. */
interface Rate {
  /** Maximum number of requests in a window. */
  readonly limit: number;
  /** Length of a window in ms. */
  readonly window: number;
  /**
   * Time in ms for which a caller that exceeds the limit is blocked. Absent or 0 if callers are not
   * blocked.
   */
  readonly block?: number;
}
/** The result of counting a request. */
interface CountedRequest {
  readonly granted: boolean;
  readonly remaining: number;
  /** Time in ms until the next request will be accepted. */
  readonly wait: number;
}
/** A function that counts a request by a caller. `now` is in Unix milliseconds. */
export type RateCounter = (caller: string, now: number) => CountedRequest;

/**
 * Maximum number of tracked callers. Above this, expired windows are dropped, or the oldest one if
 * none has expired.
 */
const maxCallers = 10_000;
interface Count {
  readonly since: number;
  used: number;
  /** End of the block in Unix ms, or 0 if the caller is not blocked. */
  blocked: number;
}

/** Returns a function that counts the requests of each caller within this process. */
export function createRateCounter({ limit, window, block = 0 }: Rate): RateCounter {
  const counted = new Map<string, Count>();
  const isOver = ({ since, blocked }: Count, now: number) =>
    blocked > 0 ? now >= blocked || blocked - now > block : now - since >= window || now < since;
  return (caller, now) => {
    const entry = counted.get(caller);
    const over = !entry || isOver(entry, now);
    const count = over ? { since: now, used: 0, blocked: 0 } : entry;
    if (over) {
      // appends, so that the map stays ordered by start, and expired windows can be found without a
      // scan
      counted.delete(caller);
      if (counted.size >= maxCallers) makeRoom(counted, (one) => isOver(one, now));
      counted.set(caller, count);
    }
    count.used += 1;
    const granted = count.used <= limit;
    if (!granted && block > 0 && count.blocked === 0) count.blocked = now + block;
    return {
      granted,
      remaining: Math.max(0, limit - count.used),
      wait: (count.blocked || count.since + window) - now,
    };
  };
}
/** Drops expired windows, or the oldest window if none has expired. */
function makeRoom(counted: Map<string, Count>, isOver: (count: Count) => boolean): void {
  for (const [name, count] of counted) {
    if (!isOver(count) && counted.size < maxCallers) return;
    counted.delete(name);
  }
}
