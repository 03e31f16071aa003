import { createRateCounter } from "../base/rate-counter.ts";

/**
 * Minimum limit in requests per second. Clients use a third of the limit as their burst, and send
 * nothing if the limit is below 4.
 */
const minLimit = 4;
/** The result of counting a request: whether it is allowed, and the rate limit headers. */
interface Allowance {
  readonly granted: boolean;
  readonly headers: Readonly<Record<string, string>>;
}
/** A function that counts a caller's request at a time in Unix milliseconds. */
type Limiter = (caller: string, now: number) => Allowance;

/**
 * Returns a limiter that counts the requests per second of each caller in this process. If
 * `requested` is 0 or less, requests are not limited, and responses get no rate limit headers.
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
      // in seconds from now instead of a point in time, because clients sleep for this time
      "x-ratelimit-reset": (wait / 1000).toFixed(3),
    };
    return { granted, headers };
  };
}
