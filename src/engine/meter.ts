import { refusals } from "../base/errors.ts";
import type { CounterLabels, CounterName } from "./metrics.ts";

/** An answered request. */
interface AnsweredRequest {
  /** Id of its endpoint; `none` for a path without one. */
  readonly endpoint: string;
  readonly status: number;
  /** Milliseconds. */
  readonly ms: number;
  /** Error code of a rejection. */
  readonly refusal?: string | undefined;
}

/**
 * Counts as plain data that can be added. The keys are the name of the counter and its labels,
 * separated by spaces. A histogram has an entry per bucket, with its index as the last label, and
 * one for `sum`.
 */
export type Counts = Readonly<Record<string, number>>;

/**
 * Counts what an engine does, for `sys/metrics`. Labels never come from callers, so that callers
 * cannot create counters.
 */
export interface Meter {
  /** Counts a request. */
  request(request: AnsweredRequest): void;
  /** Adds to a counter. */
  count<N extends CounterName>(counter: N, labels: CounterLabels<N>, count?: number): void;
  /** Returns everything counted so far. */
  counts(): Counts;
}

/** Upper bounds of histogram buckets, milliseconds; the last bucket has none. */
export const bucketBounds: readonly number[] = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000,
];

/**
 * Statuses with their own label; all others are `other`, because callers of `sys/health` choose its
 * status.
 */
const statuses = new Set<number>(
  [200, 201, 202, 204, 206, 304].concat(Object.values(refusals).map(({ status }) => status)),
);

interface EndpointCounts {
  readonly statuses: Map<number, number>;
  readonly buckets: number[];
  /** Milliseconds. */
  sum: number;
}
const noCounts = (): EndpointCounts => ({
  statuses: new Map(),
  buckets: Array.from({ length: bucketBounds.length + 1 }, () => 0),
  sum: 0,
});

/** Returns a meter that has counted nothing. */
export function newMeter(): Meter {
  const endpoints = new Map<string, EndpointCounts>();
  const others = new Map<string, number>();
  const add = (key: string, count: number): void =>
    void others.set(key, (others.get(key) ?? 0) + count);
  return {
    request({ endpoint, status, ms, refusal }) {
      let counts = endpoints.get(endpoint);
      if (!counts) endpoints.set(endpoint, (counts = noCounts()));
      const counted = statuses.has(status) ? status : 0;
      counts.statuses.set(counted, (counts.statuses.get(counted) ?? 0) + 1);
      // the clock may have been set back
      const duration = Math.max(0, ms);
      let bucket = 0;
      while (duration > (bucketBounds[bucket] ?? Infinity)) bucket++;
      counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
      counts.sum += duration;
      if (refusal !== undefined) add(`refused ${refusal}`, 1);
    },
    count: (counter, labels, count = 1) => add(`${counter} ${labels.join(" ")}`, count),
    counts() {
      const all: Record<string, number> = Object.fromEntries(others);
      for (const [endpoint, counts] of endpoints) {
        for (const [status, count] of counts.statuses)
          all[`requests ${endpoint} ${status || "other"}`] = count;
        for (const [bucket, count] of counts.buckets.entries())
          if (count > 0) all[`duration ${endpoint} ${bucket}`] = count;
        all[`duration ${endpoint} sum`] = counts.sum;
      }
      return all;
    },
  };
}

/** Adds the counts of several meters. */
export function addCounts(all: readonly Counts[]): Counts {
  const total: Record<string, number> = {};
  for (const counts of all)
    for (const [key, count] of Object.entries(counts)) total[key] = (total[key] ?? 0) + count;
  return total;
}
