import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";
import { print } from "./output.ts";

/** The result of a run. */
export interface Summary {
  passed: number;
  /** Number of failed tests, plus failed files, suites and unhandled errors. */
  failed: number;
  /** Number of tests run by project. */
  readonly ran: Map<string, number>;
  /** The contents of `task.meta.events` of all tests. */
  readonly events: Set<string>;
}

type Problem = ReturnType<TestModule["errors"]>[number];
type Console = Parameters<NonNullable<Reporter["onUserConsoleLog"]>>[0];

const indent = (text: string): string => text.replace(/^(?=.)/gm, "    ");
/**
 * Returns the project of a test; a browser project has the browser's name in parentheses after its
 * own.
 */
const projectOf = (part: TestCase | TestModule): string =>
  part.project.name.replace(/ \(.*\)$/, "");
const nameOf = (part: TestCase | TestSuite | TestModule): string => {
  const module = part.type === "module" ? part : part.module;
  return `[${projectOf(module)}] ${module.relativeModuleId}${part.type === "module" ? "" : ` > ${part.fullName}`}`;
};

/**
 * Prints one line per file, failures, skipped tests, and the seeds that tests print; shows other
 * console output only for failed tests.
 */
export class RunReporter implements Reporter {
  readonly summary: Summary = { passed: 0, failed: 0, ran: new Map(), events: new Set() };
  readonly #printed = new Map<string, string>();
  readonly #seeds: string[] = [];
  readonly #skipped: string[] = [];
  #root = "";

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onUserConsoleLog({ taskId = "", content }: Console): void {
    this.#printed.set(taskId, (this.#printed.get(taskId) ?? "") + content);
    this.#seeds.push(...content.split("\n").filter((line) => line.startsWith("seed ")));
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state === "skipped") return;
    const { ran } = this.summary;
    ran.set(projectOf(test), (ran.get(projectOf(test)) ?? 0) + 1);
    this.#note(test.meta());
    if (result.state === "passed") this.summary.passed++;
    else this.#fail(test, result.errors ?? []);
  }

  /** Prints measurements of a test. */
  onTestCaseAnnotate(_: TestCase, annotation: { readonly message: string }): void {
    print(`note ${annotation.message}`);
  }

  onTestSuiteResult(suite: TestSuite): void {
    this.#note(suite.meta());
    if (suite.errors().length > 0) this.#fail(suite, suite.errors());
  }

  onTestModuleEnd(module: TestModule): void {
    this.#note(module.meta());
    if (module.errors().length > 0) this.#fail(module, module.errors());
    const tests = [...module.children.allTests()];
    this.#noteSkipped(tests);
    const { cpuTime } = module.meta();
    const times = [
      `${Math.round(module.diagnostic().duration)} ms`,
      ...(cpuTime === undefined ? [] : [`${cpuTime} ms of CPU time`]),
    ];
    print(
      `${module.ok() ? "pass" : "FAIL"} ${nameOf(module)} (${tests.length} tests, ${times.join(", ")})`,
    );
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly Problem[],
    reason: string,
  ): void {
    for (const error of unhandled) this.#failWith("unhandled error", [error]);
    for (const module of modules) this.#failUnfinished(module);
    if (reason === "interrupted") this.#failWith("the run was interrupted", []);
    if (this.#seeds.length > 0)
      print(`\nSeeds: ${this.#seeds.map((line) => line.replace(/^seed /, "")).join(", ")}`);
    if (this.#skipped.length > 0) print(`\nSkipped:\n${this.#skipped.join("\n")}`);
  }

  #note(meta: object): void {
    const events: unknown = "events" in meta ? meta.events : undefined;
    if (Array.isArray(events)) for (const event of events) this.summary.events.add(String(event));
  }

  #noteSkipped(tests: readonly TestCase[]): void {
    for (const test of tests) {
      const result = test.result();
      if (result.state === "skipped")
        this.#skipped.push(
          `  ${nameOf(test)}: ${result.note ?? (test.options.mode === "todo" ? "to do" : "no reason given")}`,
        );
    }
  }

  /** A file that never ran, or a test that never ended, must not look like a success. */
  #failUnfinished(module: TestModule): void {
    if (module.state() === "queued" || module.state() === "pending")
      this.#failWith(`${nameOf(module)} did not end`, []);
    for (const test of module.children.allTests("pending"))
      this.#failWith(`${nameOf(test)} did not end`, []);
  }

  #fail(part: TestCase | TestSuite | TestModule, errors: readonly Problem[]): void {
    this.#failWith(nameOf(part), errors, this.#printed.get(part.id));
  }

  #failWith(what: string, errors: readonly Problem[], printed = ""): void {
    this.summary.failed++;
    print(
      [
        `\nFAILED ${what}`,
        ...errors.map((error) => indent(this.#describe(error))),
        ...(printed ? [indent(`printed:\n${printed.trimEnd()}`)] : []),
        "",
      ].join("\n"),
    );
  }

  #describe(error: Problem): string {
    const frames = error.stacks?.map(
      ({ file, line, column, method }) =>
        `  at ${relative(this.#root, file)}:${line}:${column}${method ? ` (${method})` : ""}`,
    );
    const head = `${error.name ?? "Error"}: ${error.message}`;
    const where =
      frames && frames.length > 0
        ? frames.join("\n")
        : (error.stack ?? "").replace(head, "").trimStart();
    const diff = typeof error["diff"] === "string" ? `\n${error["diff"]}` : "";
    const cause = error.cause ? `\ncaused by ${this.#describe(error.cause)}` : "";
    return `${head}${diff}${where && `\n${where}`}${cause}`;
  }
}
