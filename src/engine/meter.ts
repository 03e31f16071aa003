import { refusals } from "../base/errors.ts";
import type { CounterLabels, CounterName } from "./metrics.ts";

/** A request that got a response. */
interface AnsweredRequest {
  /** ID of the endpoint; `none` if no endpoint has the path. */
  readonly endpoint: string;
  readonly status: number;
  /** Duration in ms. */
  readonly ms: number;
  /** Error code, if the request was rejected. */
  readonly refusal?: string | undefined;
}

/**
 * Counter values as plain data that can be added up. A key consists of the name of a counter and
 * its label values, separated by spaces. A histogram has an entry for each bucket, whose last label
 * is the index of the bucket, and an entry whose last label is `sum`.
 */
export type Counts = Readonly<Record<string, number>>;

/**
 * The counters of a process for `sys/metrics`. Label values never come from callers, so that
 * callers cannot create counters.
 */
export interface Meter {
  /** Counts a request. */
  request(request: AnsweredRequest): void;
  /** Adds to a counter. */
  count<N extends CounterName>(counter: N, labels: CounterLabels<N>, count?: number): void;
  /** Returns everything counted so far. */
  counts(): Counts;
}

/** Upper bounds of histogram buckets in ms. One more bucket, the last, has no upper bound. */
export const bucketBounds: readonly number[] = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000,
];

/**
 * Statuses that are counted separately. All others are counted as `other`, because callers of
 * `sys/health` can choose the status of the response.
 */
const statuses = new Set<number>(
  [200, 201, 202, 204, 206, 304].concat(Object.values(refusals).map(({ status }) => status)),
);

interface EndpointCounts {
  readonly statuses: Map<number, number>;
  readonly buckets: number[];
  /** Sum of the durations in ms. */
  sum: number;
}
const noCounts = (): EndpointCounts => ({
  statuses: new Map(),
  buckets: Array.from({ length: bucketBounds.length + 1 }, () => 0),
  sum: 0,
});

/** Returns a new meter, with no counts. */
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

/** Adds up the counts of all given meters. */
export function addCounts(all: readonly Counts[]): Counts {
  const total: Record<string, number> = {};
  for (const counts of all)
    for (const [key, count] of Object.entries(counts)) total[key] = (total[key] ?? 0) + count;
  return total;
}
