import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { expect, it } from "vitest";
import { counters, gauges, histograms } from "../../src/engine/metrics.ts";
import { root } from "../support/syntax.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const known = new Map<string, readonly string[]>([
  ...[counters, gauges].flatMap((table) =>
    Object.values(table).map(({ name, labels }): [string, readonly string[]] => [name, labels]),
  ),
  ...Object.values(histograms).flatMap(({ name, labels }) =>
    ["bucket", "sum", "count"].map((part): [string, readonly string[]] => [
      `${name}_${part}`,
      [...labels, "le"],
    ]),
  ),
]);
/** Labels and metrics of Prometheus itself. */
const own = new Set(["up", "instance", "job"]);

/**
 * Returns the syntax errors of an expression, and its metrics and labels that the server does not
 * have.
 */
function unknownIn(expression: string): readonly string[] {
  const names: string[] = [];
  const labels = new Set([...known.values()].flat());
  // Grafana replaces its variables with durations
  const text = expression.replaceAll("$__rate_interval", "5m");
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      const word = text.slice(from, to);
      if (type.isError) names.push(`syntax at "${text.slice(from, from + 20)}"`);
      const isUnknown =
        type.name === "Identifier"
          ? !known.has(word)
          : type.name === "LabelName" && !labels.has(word);
      if (isUnknown && !own.has(word)) names.push(word);
    },
  });
  return names;
}

const rules = [...read("deploy/alerts.yml").matchAll(/^ +expr: (.*)$/gm)].map(
  ([, one = ""]) => one,
);
interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}
const dashboard = JSON.parse(read("deploy/dashboard.json")) as Dashboard;
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

it("the alert rules and the dashboard query only metrics and labels that the server has", () => {
  expect([rules.length > 8, queries.length > 12]).toEqual([true, true]);
  expect([...rules, ...queries].flatMap(unknownIn)).toEqual([]);
});
it("unknown metrics, unknown labels and syntax errors in a query are found", () => {
  expect(unknownIn("rate(sealwright_request_total[5m]")).toEqual([
    "sealwright_request_total",
    expect.stringContaining("syntax"),
  ]);
  expect(unknownIn("sum by (path) (sealwright_jobs)")).toEqual(["path"]);
});
