import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { counters, gauges, histograms, type Metric } from "../../src/engine/metrics.ts";
import { root } from "../support/syntax.ts";

const tables: readonly (readonly [string, Readonly<Record<string, Metric>>])[] = [
  ["counter", counters],
  ["histogram", histograms],
  ["gauge", gauges],
];
const rows = tables.flatMap(([type, table]) =>
  Object.values(table).map(
    ({ name, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
  ),
);

it("docs/metrics.md lists every metric", () => {
  const text = readFileSync(join(root, "docs/metrics.md"), "utf8");
  const listed = text.split("\n").filter((line) => line.startsWith("| `"));
  expect(listed.map((line) => line.replace(/ +/g, " "))).toEqual(
    rows.map((row) => row.replace(/ +/g, " ")),
  );
});
