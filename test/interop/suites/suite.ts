import { spawn } from "node:child_process";

/** The result of one test. */
export interface TestResult {
  readonly name: string;
  readonly outcome: "passed" | "skipped" | "failed";
  /** The messages of a failed test. */
  readonly output: string;
}

/** Where a suite runs, and the filter for its tests. */
export interface SuiteRun {
  /** The checkout, which is not modified. */
  readonly checkout: string;
  /** A temporary directory for the suite. */
  readonly scratch: string;
  readonly filter: RegExp;
}

/** The test suite of another project. */
export interface Suite {
  readonly name: string;
  /** A file by which a checkout of the project is recognized. */
  readonly landmark: string;
  /** Builds or installs what the tests need. Rejects with the reason if they cannot run. */
  prepare(run: SuiteRun): Promise<void>;
  /** Runs the tests against its own servers and returns their results. */
  run(run: SuiteRun): Promise<readonly TestResult[]>;
  /** Reasons of the tests that fail by design, by test name. */
  readonly byDesign: Readonly<Record<string, string>>;
}

interface Options {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program at low priority and returns its standard output and standard error. A nonzero exit
 * code is not an error, because the results say which tests failed.
 */
export async function outputOf(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: Options,
): Promise<string> {
  const child = spawn("nice", [program, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return output;
}
