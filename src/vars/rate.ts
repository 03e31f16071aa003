import { createRateCounter } from "../base/rate-counter.ts";

/** Minimum limit: clients use a third of it as their burst, and stop calling below 4. */
const minLimit = 4;
/** Whether a request is allowed, and its rate limit headers. */
interface Allowance {
  readonly granted: boolean;
  readonly headers: Readonly<Record<string, string>>;
}
/** Counts a request of a caller. */
type Limiter = (caller: string, now: number) => Allowance;

/**
 * Returns a rate limiter per caller in requests per second, within this process; 0 or less: no
 * limit, and no headers.
 */
export function limiterOf(requested = 0): Limiter {
  if (!(requested > 0)) return () => ({ granted: true, headers: {} });
  const limit = Math.max(minLimit, Math.floor(requested));
  const counter = createRateCounter({ limit, window: 1000 });
  return (caller, now) => {
    const { granted, remaining, wait } = counter(caller, now);
    const headers = {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(remaining),
      // seconds from now, not a point in time, because clients sleep that long
      "x-ratelimit-reset": (wait / 1000).toFixed(3),
    };
    return { granted, headers };
  };
}
