import parse from "parse-prometheus-text-format";

/** The samples of a metric by their labels, as `name=value,…`. */
export type Samples = ReadonlyMap<string, number>;

/**
 * Parses the text format of Prometheus, and returns the samples of each name. The parser drops the
 * labels of histograms, so it reads `_bucket`, `_sum` and `_count` as metrics of their own.
 */
export function parseExposition(text: string): ReadonlyMap<string, Samples> {
  const plain = text.replace(/^# HELP .*\n# TYPE \S+ histogram\n/gm, "");
  const samples = new Map<string, Map<string, number>>();
  for (const { name, metrics } of parse(plain)) {
    const own = samples.get(name) ?? new Map<string, number>();
    samples.set(name, own);
    for (const { labels = {}, value } of metrics) {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
      own.set(pairs.join(), Number(value));
    }
  }
  for (const [, name = ""] of text.matchAll(/^# TYPE (\S+) histogram$/gm))
    validateHistogram(name, samples);
  return samples;
}

/**
 * Validates the buckets of each series of a histogram: they must be cumulative, and the one without
 * an upper bound must equal the count. Throws an error that names the series.
 */
function validateHistogram(name: string, samples: ReadonlyMap<string, Samples>): void {
  const series = new Map<string, (readonly [bound: number, count: number])[]>();
  for (const [labels, count] of samples.get(`${name}_bucket`) ?? []) {
    const pairs = labels.split(",");
    const bound = pairs.find((pair) => pair.startsWith("le="))?.slice("le=".length) ?? "";
    const own = pairs.filter((pair) => !pair.startsWith("le=")).join();
    const buckets = series.get(own) ?? [];
    series.set(own, buckets);
    buckets.push([bound === "+Inf" ? Infinity : Number(bound), count]);
  }
  const counts = samples.get(`${name}_count`) ?? new Map<string, number>();
  if (counts.size !== series.size) throw new Error(`${name}: not every series has buckets`);
  for (const [labels, buckets] of series) {
    const sorted = buckets.toSorted(([a], [b]) => a - b);
    if (sorted.some(([, count], i) => count < (sorted[i - 1]?.[1] ?? 0)))
      throw new Error(`${name}{${labels}}: buckets are not cumulative`);
    const [bound, count] = sorted.at(-1) ?? [];
    if (bound !== Infinity || count !== counts.get(labels))
      throw new Error(`${name}{${labels}}: the +Inf bucket does not equal the count`);
  }
}
