import { spawn } from "node:child_process";

/** The result of one test. */
export interface TestResult {
  readonly name: string;
  readonly outcome: "passed" | "skipped" | "failed";
  /** The messages of a failed test. */
  readonly output: string;
}

/** Where a suite runs, and which of its tests. */
export interface SuiteRun {
  /** The checkout, which is not written to. */
  readonly checkout: string;
  /** A temporary directory of the suite. */
  readonly scratch: string;
  readonly filter: RegExp;
}

/** The test suite of another project. */
export interface Suite {
  readonly name: string;
  /** A file that the checkout has and others do not. */
  readonly landmark: string;
  /** Builds or installs what the tests need. Rejects with the reason when they cannot run here. */
  prepare(run: SuiteRun): Promise<void>;
  /** Runs the tests against servers of its own and returns a result for each. */
  run(run: SuiteRun): Promise<readonly TestResult[]>;
  /** Reasons of the tests that fail by design, by the name of the test. */
  readonly byDesign: Readonly<Record<string, string>>;
}

interface Options {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program at low priority and returns its standard output and error. A test program that
 * exits with another code than zero is no error: its results say which tests failed.
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
