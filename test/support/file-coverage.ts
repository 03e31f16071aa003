// Set-up file of `mutate.ts`: appends to a file which sources each test file runs, as JSON lines.
import { appendFileSync } from "node:fs";
import { Session, type Profiler } from "node:inspector";
import { afterAll } from "vitest";

/** The functions that a test file called, by source file. */
export interface FileCoverage {
  readonly test: string;
  /** Names of the functions called, by path of the source file. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
}

const output = process.env["SEALWRIGHT_TEST_COVERAGE"] ?? "";
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Returns the names of the called functions of each source file, without module bodies. */
function calledFunctions(
  scripts: readonly Profiler.ScriptCoverage[],
): Record<string, readonly string[]> {
  const names = new Map<string, Set<string>>();
  for (const { url, functions } of scripts) {
    const source = /\/(src\/.+\.ts)$/.exec(url)?.[1];
    if (source === undefined) continue;
    const called = names.get(source) ?? new Set();
    for (const { functionName, ranges } of functions)
      if (functionName && (ranges[0]?.count ?? 0) > 0) called.add(functionName);
    if (called.size > 0) names.set(source, called);
  }
  return Object.fromEntries([...names].map(([source, called]) => [source, [...called]]));
}

// oxlint-disable-next-line no-empty-pattern -- Vitest accepts only a pattern here
afterAll(({}, suite) => {
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error) throw error;
    const line: FileCoverage = { test: suite.file.name, sources: calledFunctions(result) };
    appendFileSync(output, `${JSON.stringify(line)}\n`);
  });
  session.disconnect();
});
