/** Clients divide the limit by three for their burst; with less than 4 they call nothing at all. */
const leastLimit = 4;
const windowMs = 1000;
/**
 * Most callers that are counted at once; then those whose second is over are forgotten, and the one
 * that was first.
 */
const mostCounted = 10_000;
interface Counted {
  readonly since: number;
  used: number;
}
/** What one more request of a caller leaves: whether it is granted, and the headers that say so. */
export interface Allowance {
  readonly granted: boolean;
  readonly headers: Readonly<Record<string, string>>;
}
/** Counts a request of a caller. */
export type Limiter = (caller: string, now: number) => Allowance;

/**
 * A limit of requests a second for each caller, in this process; 0 or less: none, and no headers.
 */
export function limiterOf(requested = 0): Limiter {
  if (!(requested > 0)) return () => ({ granted: true, headers: {} });
  const limit = Math.max(leastLimit, Math.floor(requested));
  const counted = new Map<string, Counted>();
  return (caller, now) => {
    const held = counted.get(caller);
    const over = !held || now - held.since >= windowMs || now < held.since;
    const count = over ? { since: now, used: 0 } : held;
    if (over) {
      // behind all that began before it, so that nobody has to look through ten thousand for those
      // whose second is over
      counted.delete(caller);
      if (counted.size >= mostCounted) makeRoom(counted, now);
      counted.set(caller, count);
    }
    count.used += 1;
    // seconds from now, never a point in time: clients sleep that long
    const reset = ((windowMs - (now - count.since)) / 1000).toFixed(3);
    const headers = {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(Math.max(0, limit - count.used)),
      "x-ratelimit-reset": reset,
    };
    return { granted: count.used <= limit, headers };
  };
}
/** Forgets those whose second is over, and at least the one that began first. */
function makeRoom(counted: Map<string, Counted>, now: number): void {
  for (const [name, { since }] of counted) {
    const fresh = now - since < windowMs && now >= since;
    if (fresh && counted.size < mostCounted) return;
    counted.delete(name);
  }
}
