import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goTfe } from "./go-tfe.ts";
import { hvac } from "./hvac.ts";
import { nodeVault } from "./node-vault.ts";
import { springVault } from "./spring-vault.ts";
import type { Suite, TestResult } from "./suite.ts";
import { terraformProvider } from "./terraform-provider.ts";
import { vaultrs } from "./vaultrs.ts";

// Runs the suite of each checkout named by the arguments, one after the other, and prints a table.

const suites: readonly Suite[] = [terraformProvider, hvac, nodeVault, goTfe, vaultrs, springVault];
const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Row {
  readonly suite: string;
  readonly results: readonly TestResult[];
  readonly byDesign: Suite["byDesign"];
  /** The reason why the suite did not run. */
  readonly refused?: string;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function suiteOf(checkout: string): Suite {
  const suite = suites.find(({ landmark }) => existsSync(join(checkout, landmark)));
  if (suite !== undefined) return suite;
  const known = suites.map(({ name, landmark }) => `${name} (${landmark})`).join(", ");
  throw new TypeError(
    `${checkout}: not a checkout of a known suite; known suites and the files that identify them: ${known}`,
  );
}

async function rowOf(suite: Suite, checkout: string, filter: RegExp): Promise<Row> {
  const { name, byDesign } = suite;
  const run = { checkout, scratch: mkdtempSync(join(tmpdir(), `${name}-`)), filter };
  print(`${name}: preparing`);
  try {
    await suite.prepare(run);
  } catch (error) {
    return { suite: name, results: [], byDesign, refused: messageOf(error).trim() };
  }
  print(`${name}: running`);
  return suite.run(run).then(
    (results) =>
      results.length === 0
        ? { suite: name, results, byDesign, refused: "no test ran" }
        : { suite: name, results, byDesign },
    (error: unknown) => ({ suite: name, results: [], byDesign, refused: messageOf(error) }),
  );
}

const failures = ({ results }: Row): readonly TestResult[] =>
  results.filter(({ outcome }) => outcome === "failed");
const unexpected = (row: Row): readonly TestResult[] =>
  failures(row).filter(({ name }) => row.byDesign[name] === undefined);

function explain(row: Row): void {
  print(`\n${row.suite}`);
  if (row.refused !== undefined) print(`did not run: ${row.refused}`);
  for (const { name } of failures(row))
    if (row.byDesign[name] !== undefined) print(`by design: ${name}: ${row.byDesign[name]}`);
  for (const { name, outcome } of row.results)
    if (outcome === "passed" && row.byDesign[name] !== undefined)
      print(`listed in by-design.ts, but passed: ${name}`);
  for (const { name, output } of unexpected(row)) print(`FAILED: ${name}\n${output}`);
}

function cells(row: Row): readonly string[] {
  if (row.refused !== undefined) return [row.suite, "did not run", "", "", ""];
  const count = (outcome: TestResult["outcome"]): number =>
    row.results.filter((result) => result.outcome === outcome).length;
  const failed = unexpected(row).length;
  const numbers = [count("passed"), count("skipped"), count("failed") - failed, failed];
  return [row.suite, ...numbers.map(String)];
}

const words = process.argv.slice(2);
const end = words.includes("--") ? words.indexOf("--") : words.length;
const [checkouts, filters] = [words.slice(0, end), words.slice(end + 1)];
if (filters.length > 1) throw new TypeError(`more than one filter: ${filters.join(" ")}`);
const chosen = checkouts.map((checkout) => [suiteOf(checkout), checkout] as const);
const rows: Row[] = [];
for (const [suite, checkout] of chosen)
  rows.push(await rowOf(suite, checkout, new RegExp(filters[0] ?? "")));
rows.forEach(explain);
const table = [["suite", "passed", "skipped", "failed by design", "failed"], ...rows.map(cells)];
const widths = (table[0] ?? []).map((_, column) =>
  Math.max(...table.map((line) => line[column]?.length ?? 0)),
);
print("");
for (const line of table)
  print(
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
process.exit(rows.some((row) => row.refused !== undefined || unexpected(row).length > 0) ? 1 : 0);
