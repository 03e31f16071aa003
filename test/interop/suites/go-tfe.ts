import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { startServer } from "../../support/server.ts";
import { isInstalled, run } from "../acme/command.ts";
import { surroundings } from "../platform/client.ts";
import { goTfeByDesign } from "./by-design.ts";
import { startPlanProxy } from "./paid-plan.ts";
import { outputOf, type Suite, type SuiteRun, type TestResult } from "./suite.ts";

/** The last version with integration tests; later ones test only the client. */
const lastTested = "v1.109.0";

/** The files with tests of what this server offers. */
const files = [
  "organization_integration_test.go",
  "organization_token_integration_test.go",
  "team_access_integration_test.go",
  "team_integration_test.go",
  "team_member_integration_test.go",
  "team_token_integration_test.go",
  "user_integration_test.go",
  "user_token_integration_test.go",
  "variable_integration_test.go",
  "workspace_integration_test.go",
];

const copyOf = ({ scratch }: SuiteRun): string => join(scratch, "checkout");
const program = ({ scratch }: SuiteRun): string => join(scratch, "go-tfe.test");

/** Copies the sources of the last version with integration tests into the scratch directory. */
async function copySources(at: SuiteRun): Promise<void> {
  const to = copyOf(at);
  if (existsSync(join(at.checkout, "helper_test.go"))) {
    cpSync(at.checkout, to, { recursive: true, filter: (path) => basename(path) !== ".git" });
    return;
  }
  const archive = join(at.scratch, "go-tfe.tar");
  await run("git", ["-C", at.checkout, "archive", "--output", archive, lastTested]);
  mkdirSync(to);
  await run("tar", ["-xf", archive, "-C", to]);
}

/** Returns the names of the tests in the chosen files. */
function testNames(at: SuiteRun): readonly string[] {
  return files.flatMap((file) => {
    const source = readFileSync(join(copyOf(at), file), "utf8");
    const declared = source.matchAll(/^func (Test\w+)\(t \*testing\.T\)/gm);
    return [...declared].map(([, name = ""]) => name);
  });
}

/** A line that `go tool test2json` prints. */
interface TestEvent {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

/**
 * Returns a result for each subtest, and one for each test without subtests. A test with subtests
 * counts separately if it failed outside them.
 */
function goLeaves(name: string, events: readonly TestEvent[]): readonly TestResult[] {
  const outcomes = new Map<string, TestResult["outcome"]>([[name, "failed"]]);
  const messages = new Map<string, string>();
  for (const { Action, Test = name, Output = "" } of events) {
    if (Action === "output") messages.set(Test, `${messages.get(Test) ?? ""}${Output}`);
    // a test that is interrupted by a panic has no result
    if (Action === "run" || Action === "fail") outcomes.set(Test, "failed");
    if (Action === "pass") outcomes.set(Test, "passed");
    if (Action === "skip") outcomes.set(Test, "skipped");
  }
  const names = [...outcomes.keys()];
  const failed = names.filter((each) => outcomes.get(each) === "failed");
  const isAbove = (above: string) => (each: string) => each.startsWith(`${above}/`);
  return names
    .filter((each) =>
      outcomes.get(each) === "failed" ? !failed.some(isAbove(each)) : !names.some(isAbove(each)),
    )
    .map((each) => {
      const outcome = outcomes.get(each) ?? "failed";
      return {
        name: each,
        outcome,
        output: outcome === "failed" ? (messages.get(each) ?? "") : "",
      };
    });
}

/** Returns the subtest that was interrupted by a panic, if any. */
function interrupted(events: readonly TestEvent[]): string | undefined {
  if (!events.some(({ Output = "" }) => Output.startsWith("panic: "))) return undefined;
  const last = events.findLast(({ Action }) => Action === "run")?.Test;
  return last?.includes("/") === true ? last : undefined;
}

/** Returns the pattern for Go's test flags that matches exactly one test. */
const patternOf = (name: string): string =>
  name
    .split("/")
    .map((part) => `^${part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`)
    .join("/");

/** Runs a test in its own process, and again without each subtest that was interrupted by a panic. */
async function resultsOf(
  at: SuiteRun,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly TestResult[]> {
  const results = new Map<string, TestResult>();
  const skipped: string[] = [];
  for (;;) {
    const chosen = ["-test.run", patternOf(name)];
    if (skipped.length > 0) chosen.push("-test.skip", skipped.map(patternOf).join("|"));
    const args = ["tool", "test2json", "-t", program(at), "-test.v=test2json", ...chosen];
    const output = await outputOf("go", args, { cwd: copyOf(at), env });
    const events = output
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line): TestEvent => JSON.parse(line));
    for (const result of goLeaves(name, events)) results.set(result.name, result);
    const next = interrupted(events);
    if (next === undefined || skipped.includes(next)) return [...results.values()];
    const panic = events.map(({ Output = "" }) => Output).join("");
    results.set(next, { name: next, outcome: "failed", output: panic });
    skipped.push(next);
  }
}

/** The tests of go-tfe: variables, workspaces, organizations, teams, users and tokens. */
export const goTfe: Suite = {
  name: "go-tfe",
  landmark: "mocks/variable_mocks.go",
  byDesign: goTfeByDesign,
  async prepare(at) {
    if (!isInstalled("go")) throw new Error("go is not installed");
    await copySources(at);
    await run("nice", ["go", "test", "-c", "-o", program(at), "."], {
      cwd: copyOf(at),
      env: surroundings,
      within: 1800,
    });
  },
  async run(at) {
    const token = "suites-of-other-projects";
    const server = await startServer({ env: { LOG: "json", VARS_TOKEN: token } });
    const proxy = await startPlanProxy(server.url);
    const env = {
      TFE_ADDRESS: proxy.url,
      TFE_TOKEN: token,
      TFE_ADMIN_PROVISION_LICENSES_TOKEN: token,
    };
    const results: TestResult[] = [];
    try {
      for (const name of testNames(at).filter((each) => at.filter.test(each)))
        results.push(...(await resultsOf(at, name, env)));
    } finally {
      proxy.close();
      await server.stop();
    }
    return results;
  },
};
