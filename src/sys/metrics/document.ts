import { boundsInSeconds, type Distribution, type Family } from "./families.ts";

/** Times in a metrics document (Unix milliseconds). */
interface Times {
  readonly now: number;
  /** Time at which the server started. */
  readonly since: number;
}

/**
 * Encodes metrics as the JSON document that clients of this API family expect. Counts and rates
 * cover the time since the server started, not the last interval.
 */
export function encodeDocument(families: readonly Family[], { now, since }: Times): string {
  const seconds = Math.max(1, (now - since) / 1000);
  const valuesOf = (type: "counter" | "gauge") =>
    families.flatMap((family) =>
      family.type === type
        ? family.values.map(([labels, value]) => ({ ...nameAndLabels(family, labels), value }))
        : [],
    );
  return `${JSON.stringify({
    Timestamp: `${new Date(now).toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`,
    // clients require integers in this member
    Gauges: valuesOf("gauge").map(({ value, ...one }) => ({ ...one, Value: Math.round(value) })),
    Points: [],
    Counters: valuesOf("counter").map(({ value, ...one }) => ({
      ...one,
      Count: value,
      Rate: value / seconds,
      Sum: value,
      Min: 1,
      Max: 1,
      Mean: 1,
      Stddev: 0,
    })),
    Samples: families.flatMap((family) =>
      family.type === "histogram"
        ? family.values.map(([labels, value]) => ({
            ...nameAndLabels(family, labels),
            ...summarize(value, seconds),
          }))
        : [],
    ),
  })}\n`;
}

const nameAndLabels = ({ name, labels: names }: Family, labels: readonly string[]) => ({
  Name: name,
  Labels: Object.fromEntries(labels.map((label, i) => [names[i] ?? "", label])),
});

/** Summarizes a histogram. `Min` and `Max` are bounds of buckets, not observed values. */
function summarize({ buckets, sum }: Distribution, seconds: number) {
  const count = buckets.at(-1) ?? 0;
  const first = buckets.findIndex((total) => total > 0);
  const last = buckets.indexOf(count);
  return {
    Count: count,
    Rate: sum / seconds,
    Sum: sum,
    Min: boundsInSeconds[first - 1] ?? 0,
    Max: boundsInSeconds[last] ?? boundsInSeconds.at(-1) ?? 0,
    Mean: sum / Math.max(1, count),
    Stddev: 0,
  };
}
