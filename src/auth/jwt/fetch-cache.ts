import { CaError } from "../../base/errors.ts";
import type { Ports } from "../../engine/ports.ts";
import { NetError } from "../../net/failure.ts";

/** Time in ms for which a value is cached, even if it changes at the source. */
const cachedFor = 5 * 60_000;
/** Minimum time in ms between refetches of a cached value that does not suffice. */
const refetchAfter = 10_000;
/** Time in ms for which a failed fetch is not retried. */
const failureFor = 5000;
/** Maximum number of concurrent requests for a cache entry. */
const maxConcurrent = 4;
/** Timeout of a request in ms. */
export const fetchTimeout = 10_000;
/** Maximum number of cached sources. */
const maxCached = 200;

/** A value from another server, and the state of the requests for it. */
interface CachedFetch<T> {
  value: T | undefined;
  /** Time of the last successful fetch in Unix ms, if any. */
  at: number | undefined;
  /** Time of the last fetch in Unix ms, whether or not it succeeded. */
  tried: number;
  /** Error message of the last fetch, if that failed. */
  fault: string | undefined;
  /** Start times of pending requests. */
  underWay: readonly number[];
}
/** Cached values of one kind, first by the ports that fetched them, then by source. */
type FetchCache<T> = WeakMap<Ports, Map<string, CachedFetch<T>>>;
/** Returns an empty cache. */
export const fetchCache = <T>(): FetchCache<T> => new WeakMap();

/** Returns the cache entry of a source, creating an empty one if there is none. */
export function cacheEntry<T>(cache: FetchCache<T>, ports: Ports, source: object): CachedFetch<T> {
  const all = cache.get(ports) ?? new Map<string, CachedFetch<T>>();
  cache.set(ports, all);
  const id = JSON.stringify(source, (_, value: unknown) =>
    value instanceof Uint8Array ? [...value] : value,
  );
  const cached = all.get(id);
  if (cached) return cached;
  if (all.size >= maxCached) all.clear();
  const fresh: CachedFetch<T> = {
    value: undefined,
    at: undefined,
    tried: -Infinity,
    fault: undefined,
    underWay: [],
  };
  all.set(id, fresh);
  return fresh;
}

const isWithin = (since: number, now: number, span: number): boolean =>
  now >= since && now - since < span;

/** The instructions for fetching and caching a value. */
interface FetchPlan<T> {
  /** Name of the value in error messages. */
  readonly what: string;
  /** Fetches the value. Rejects with `NetError` if that fails. */
  fetch(): Promise<T>;
  /**
   * Reports whether a cached value suffices for this request. If not, the value is fetched again,
   * but not too often.
   */
  suffices?(value: T): boolean;
}
/**
 * Returns the value of a cache entry, fetching it if it is missing, older than five minutes, or
 * does not suffice. Throws CaError `busy` if it cannot be fetched; the error does not show the
 * reason, because callers are anonymous.
 */
export async function cachedFetch<T>(
  entry: CachedFetch<T>,
  ports: Ports,
  plan: FetchPlan<T>,
): Promise<T> {
  const now = ports.now();
  const current =
    entry.at !== undefined && isWithin(entry.at, now, cachedFor) ? entry.value : undefined;
  const suffices = current !== undefined && (plan.suffices?.(current) ?? true);
  if (current !== undefined && (suffices || isWithin(entry.tried, now, refetchAfter)))
    return current;
  if (current === undefined && entry.fault !== undefined && isWithin(entry.tried, now, failureFor))
    throw unavailable(plan);
  entry.underWay = entry.underWay.filter((begun) => isWithin(begun, now, fetchTimeout));
  if (entry.underWay.length < maxConcurrent) return await refetch(entry, ports, plan, current);
  if (current !== undefined) return current;
  throw unavailable(plan);
}

async function refetch<T>(
  entry: CachedFetch<T>,
  ports: Ports,
  plan: FetchPlan<T>,
  current: T | undefined,
): Promise<T> {
  const now = ports.now();
  entry.tried = now;
  entry.underWay = [...entry.underWay, now];
  try {
    const value = await plan.fetch();
    // an older fetch does not replace the result of a newer one, unless the clock was set back
    // since
    if (entry.at === undefined || entry.at <= now || entry.at > ports.now()) {
      entry.value = value;
      entry.at = now;
      entry.fault = undefined;
    }
    return value;
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    entry.fault = error.message;
    if (current !== undefined) return current;
    throw unavailable(plan);
  } finally {
    const at = entry.underWay.indexOf(now);
    entry.underWay = entry.underWay.filter((_, i) => i !== at);
  }
}
const unavailable = ({ what }: Pick<FetchPlan<unknown>, "what">): CaError =>
  new CaError("busy", `cannot fetch ${what}; try again later`, {
    retryAfter: failureFor / 1000,
  });
