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
  return samples;
}
