import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseCLI, startVitest } from "vitest/node";
import { endpointLists } from "../../src/endpoints/all.ts";
import { uncovered } from "./coverage.ts";
import { end, holdBack, print } from "./output.ts";
import { RunReporter, type Summary } from "./reporter.ts";

const root = resolve(import.meta.dirname, "../..");

/** Maximum time to wait for browsers and workers to exit once every result is in, milliseconds. */
const closing = 20_000;

/**
 * Returns the projects with too few tests, because a project that silently collects nothing is a
 * failure.
 */
function tooFew({ ran }: Summary): readonly string[] {
  const minimum = JSON.parse(readFileSync(join(root, "test/minimum.json"), "utf8")) as Record<
    string,
    number
  >;
  return Object.entries(minimum)
    .filter(([project, min]) => (ran.get(project) ?? 0) < min)
    .map(
      ([project, min]) =>
        `${project}: ${ran.get(project) ?? 0} tests ran, at least ${min} are expected`,
    );
}

/** Runs the checks over a whole run. Returns one sentence per failure. */
const check = (summary: Summary): readonly string[] => [
  ...tooFew(summary),
  ...uncovered(Object.values(endpointLists).flat(), summary.events),
];

/** Runs the tests; the arguments are those of `vitest run`. Returns the result. */
async function run(args: readonly string[], reporter: RunReporter): Promise<void> {
  const { filter, options } = parseCLI(["vitest", "run", ...args]);
  const { reporters: __, ...chosen } = options as typeof options & { reporters?: unknown };
  const whole = args.length === 0;
  const vitest = await startVitest([...filter], {
    ...chosen,
    root,
    run: true,
    watch: false,
    reporters: [reporter],
    ...(whole ? { allowOnly: false } : {}),
  });
  const { ran } = reporter.summary;
  print(
    `\nRan ${[...ran].map(([project, count]) => `${count} in ${project}`).join(", ") || "no test"}.`,
  );
  if (ran.size === 0) reporter.summary.failed++;
  if (whole) {
    const failures = check(reporter.summary);
    for (const failure of failures) print(`FAILED check: ${failure}`);
    reporter.summary.failed += failures.length;
  } else
    print(
      "Not all tests were selected: the checks over the whole run (minimum test counts, endpoints and refusals) were skipped.",
    );
  await Promise.race([vitest.close(), new Promise((done) => setTimeout(done, closing).unref())]);
}

process.chdir(root);
// programs that tests start strip the types of several hundred files; this compiles each file once
// per run
const compiled = mkdtempSync(join(tmpdir(), "sealwright-compiled-"));
process.once("exit", () => rmSync(compiled, { recursive: true, force: true }));
process.env["NODE_COMPILE_CACHE"] = compiled;
// the runtime of the Worker tests should send no metrics and fetch nothing
Object.assign(process.env, {
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
});
// the configuration names this folder, and the runtime requires that it exists
mkdirSync("dist/site", { recursive: true });

const reporter = new RunReporter();
const showHeld = holdBack();
try {
  await run(process.argv.slice(2), reporter);
} catch (error) {
  print(`FAILED: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  reporter.summary.failed++;
}
const { passed, failed } = reporter.summary;
if (failed > 0) showHeld();
end(passed, failed);
