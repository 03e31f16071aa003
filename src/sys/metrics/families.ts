import { bucketBounds, type Counts } from "../../engine/meter.ts";
import { counters, gauges, histograms, type Metric, type Sample } from "../../engine/metrics.ts";

/** A value with its label values, one for each label name of the metric. */
type Labelled<Value> = readonly [labels: readonly string[], value: Value];

/** A metric with its values. */
export type Family = Metric &
  (
    | { readonly type: "counter" | "gauge"; readonly values: readonly Labelled<number>[] }
    | { readonly type: "histogram"; readonly values: readonly Labelled<Distribution>[] }
  );
/** The durations that a histogram has counted, in seconds. */
export interface Distribution {
  /**
   * For each bucket, the number of durations up to its bound, including those in earlier buckets.
   */
  readonly buckets: readonly number[];
  readonly sum: number;
}
/** Upper bounds of the buckets in seconds. The last bucket has no bound. */
export const boundsInSeconds = bucketBounds.map((bound) => bound / 1000);

/**
 * A function that returns the path of the mount to which a store belongs, or undefined if the mount
 * was deleted.
 */
type PathOf = (store: string) => string | undefined;

/**
 * Returns all metrics that have values, in the order of the tables `counters`, `histograms` and
 * `gauges`. Omits values of deleted mounts.
 */
export function familiesOf(
  counts: Counts,
  samples: readonly Sample[],
  pathOf: PathOf,
): readonly Family[] {
  const counted = groupByMetric(counts);
  const valuesOf = (values: readonly Labelled<number>[] | undefined, names: readonly string[]) =>
    (values ?? []).flatMap(([labels, value]) => withPath(names, labels, value, pathOf));
  return [
    ...Object.entries(counters).map(([name, metric]): Family => {
      return { ...metric, type: "counter", values: valuesOf(counted.get(name), metric.labels) };
    }),
    ...Object.entries(histograms).map(([name, metric]): Family => {
      const parts = valuesOf(counted.get(name), [...metric.labels, "bucket"]);
      return { ...metric, type: "histogram", values: distributionsOf(parts) };
    }),
    ...Object.entries(gauges).map(([name, metric]): Family => {
      const own = samples.filter(({ gauge }) => gauge === name);
      const values = own.map(({ labels, value }) => [labels, value] as const);
      return { ...metric, type: "gauge", values: valuesOf(values, metric.labels) };
    }),
  ].filter(({ values }) => values.length > 0);
}

function groupByMetric(counts: Counts): ReadonlyMap<string, readonly Labelled<number>[]> {
  const groups = new Map<string, Labelled<number>[]>();
  for (const [key, value] of Object.entries(counts)) {
    const [name = "", ...labels] = key.split(" ");
    const values = groups.get(name) ?? [];
    groups.set(name, values);
    values.push([labels, value]);
  }
  return groups;
}

/** Replaces a store's name with its mount's path. Returns no value if the mount was deleted. */
function withPath(
  names: readonly string[],
  labels: readonly string[],
  value: number,
  pathOf: PathOf,
): readonly Labelled<number>[] {
  const shown = labels.map((label, i) => (names[i] === "mount" ? pathOf(label) : label));
  return shown.every((label) => label !== undefined) ? [[shown, value]] : [];
}

/**
 * Combines the entries of histograms. The last label of an entry is the index of a bucket, or
 * `sum`.
 */
function distributionsOf(parts: readonly Labelled<number>[]): readonly Labelled<Distribution>[] {
  const groups = new Map<string, Map<string, number>>();
  for (const [labels, value] of parts) {
    const key = labels.slice(0, -1).join(" ");
    const entries = groups.get(key) ?? new Map<string, number>();
    groups.set(key, entries);
    entries.set(labels.at(-1) ?? "", value);
  }
  return [...groups].map(([key, entries]) => {
    let total = 0;
    const buckets = Array.from(
      { length: bucketBounds.length + 1 },
      (_, bucket) => (total += entries.get(String(bucket)) ?? 0),
    );
    return [key.split(" "), { buckets, sum: (entries.get("sum") ?? 0) / 1000 }];
  });
}
