// Removes the lines of the checks one at a time, in copies of the project, and lists the removals
// that no test detects. Run: node test/support/mutate.ts [--tests=<path>,<path>…] [--workers=<n>]
// [--sample=<n>] [--files=<n>] [--coverage=<file>] [folder, file or file:line…]
import { spawn, type SpawnOptions } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { transformSync } from "esbuild";
import type { FileCoverage } from "./file-coverage.ts";

const root = resolve(import.meta.dirname, "../..");
const args = process.argv.slice(2);
const named = args.filter((argument) => !argument.startsWith("--"));
const option = (name: string): string | undefined =>
  args.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
/** The folders with the rules of a role, and with the assertions before a certificate is signed. */
const rooms = ["src/pki/issuer", "src/pki/leaf", "src/pki/request"];
const filesIn = (path: string): readonly string[] =>
  path.endsWith(".ts")
    ? [path]
    : readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => `${path}/${name}`);
const lineNumber = /:\d+$/;
const paths = (named.length > 0 ? named : rooms).map((name) => name.replace(lineNumber, ""));
const files = [...new Set(paths.flatMap(filesIn))];
const namedLines = named.filter((name) => lineNumber.test(name));
/** Reports whether a removal begins at one of the named lines, or no line is named. */
const isNamed = ({ file, from }: Removal): boolean =>
  namedLines.length === 0 || namedLines.includes(`${file}:${from + 1}`);
const tests = option("tests")?.split(",") ?? ["test/pki", "test/contract"];
const workers = Number(option("workers") ?? 3);
/** Maximum number of test files that run for a removal. */
const maxFiles = Number(option("files") ?? Infinity);
/** Timeout of a mutant that loops forever; well above a whole run of the tests. */
const maxDuration = 1_200_000;

/** The lines to remove, zero-based and inclusive, and the resulting file. */
interface Removal {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Names of the functions that contain the lines, the innermost first. */
  readonly within: readonly string[];
}
/**
 * Matches lines whose removal proves nothing: names that are missing wherever they are used,
 * declarations of endpoints, which the whole run checks, and closing brackets.
 */
const declares =
  /^\s*(\/\/|\/?\*|export |function |async function |const |let |interface |type |[)\]}]|$)|^ {2}(id|at|access|style|doc|body|ignores|reply|refuses|asks): |^\s+"[a-z_]+",$|^\s+\w+\??: (readonly .*|boolean|string|number|[A-Z]\w*(<.*>)?( \| undefined)?),$/;
const depth = (line: string): number =>
  (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0);

/** Returns the compiled program; undefined for a syntax error. */
function program(text: string): string | undefined {
  try {
    return transformSync(text, {
      loader: "ts",
      minifyWhitespace: true,
      minifySyntax: true,
      logLevel: "silent",
    }).code;
  } catch {
    return undefined;
  }
}

/**
 * Returns the removals that keep the syntax valid and change the program: single lines, and
 * brackets that close on a later line.
 */
function removalsOf(file: string): readonly Removal[] {
  const original = readFileSync(join(root, file), "utf8");
  const lines = original.split("\n");
  const whole = program(original);
  const without = (from: number, to: number, instead: string): Removal | undefined => {
    const text = lines
      .map((line, at) => (at < from || at > to ? line : at === from ? instead : ""))
      .join("\n");
    const parsed = program(text);
    if (parsed === undefined || parsed === whole) return undefined;
    return { file, from, to, text, within: functionsAt(lines, from) };
  };
  const imports = lines.findLastIndex((line) => /^(import .*|\} )from "/.test(line));
  return lines.flatMap((line, from) => {
    if (from <= imports || declares.test(line)) return [];
    let [to, open] = [from, depth(line)];
    while (open > 0 && to + 1 < lines.length) open += depth(lines[++to] ?? "");
    if (open !== 0) return [];
    // tries an empty statement first, because the line before may be a condition without braces
    return [without(from, to, ";") ?? without(from, to, "")].filter(
      (removal) => removal !== undefined,
    );
  });
}

/** Matches a line that begins a function, method or member, and captures its name. */
const begins =
  /^\s*(?:export |default |static |async |get |set |function\*? |const )*(#?\w+)(?:[(<:]| =)/;
/** Returns the names of the functions that contain a line, by their indentation. */
function functionsAt(lines: readonly string[], at: number): readonly string[] {
  const indentOf = (line: string): number => line.length - line.trimStart().length;
  const names: string[] = [];
  let indent = Infinity;
  for (const line of lines.slice(0, at + 1).toReversed()) {
    if (line.trim() === "" || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    const [, name] = begins.exec(line) ?? [];
    if (name !== undefined) names.push(name);
  }
  return names;
}

/** Folders that a copy of the project does not need, or shares with it. */
const unused = new Set([".git", "data", "dist", "node_modules"]);
function copyOf(): string {
  const copy = mkdtempSync(join(tmpdir(), "sealwright-mutate-"));
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  for (const name of readdirSync(root))
    if (!unused.has(name)) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}
/** Runs test files in a copy, and resolves with the exit code. */
const runTests = (
  copy: string,
  flags: readonly string[],
  options: SpawnOptions,
): Promise<unknown> =>
  new Promise((done) => {
    const words = ["node_modules/vitest/vitest.mjs", "run", "--project", "node", ...flags];
    spawn(process.execPath, words, { cwd: copy, ...options }).once("exit", done);
  });
/** Runs test files until a test fails, and returns whether all pass. */
const passes = async (copy: string, paths: readonly string[]): Promise<boolean> =>
  (await runTests(copy, ["--bail", "1", "--no-file-parallelism", ...paths], {
    stdio: "ignore",
    timeout: maxDuration,
  })) === 0;

/**
 * Returns which sources each test file runs. Runs all tests of a copy, or reads the file in which
 * an earlier run has recorded it.
 */
async function coverageIn(copy: string): Promise<readonly FileCoverage[]> {
  const output = resolve(option("coverage") ?? join(copy, "coverage.jsonl"));
  if (!existsSync(output)) {
    const env = { ...process.env, SEALWRIGHT_TEST_COVERAGE: output };
    const code = await runTests(copy, ["--reporter=dot", ...tests], { env, stdio: "inherit" });
    if (code !== 0) {
      rmSync(output, { force: true });
      throw new Error("the tests fail before anything is removed");
    }
  }
  const lines = readFileSync(output, "utf8").trimEnd().split("\n");
  // every line was written by `file-coverage.ts`
  return lines.map((line) => JSON.parse(line) as FileCoverage);
}
/** Number of test files that run first, because they are the most likely to detect a removal. */
const likely = 8;
/** Returns the test files that run the function of a removal, those that run little else first. */
function testsOf(coverage: readonly FileCoverage[], { file, within }: Removal): readonly string[] {
  const share = ({ sources }: FileCoverage): number =>
    (sources[file]?.length ?? 0) /
    Object.values(sources).reduce((sum, { length }) => sum + length, 0);
  const reaching = coverage.filter(({ sources }) => Object.hasOwn(sources, file));
  // the coverage names no function that is an argument of another, such as `memoize`
  const innermost = within.find((name) =>
    reaching.some(({ sources }) => sources[file]?.includes(name)),
  );
  const calling = reaching.filter(({ sources }) => innermost && sources[file]?.includes(innermost));
  // no test calls a function of a file that has only tables
  return ([calling, reaching].find((some) => some.length > 0) ?? coverage)
    .toSorted((a, b) => share(b) - share(a))
    .slice(0, maxFiles)
    .map(({ test }) => test);
}
/** Reports whether a test detects a removal in a copy. */
async function isNoticed(copy: string, paths: readonly string[]): Promise<boolean> {
  for (const some of [paths.slice(0, likely), paths.slice(likely)])
    if (some.length > 0 && !(await passes(copy, some))) return true;
  return false;
}

const all = files.flatMap(removalsOf).filter(isNamed);
const sample = Math.min(Number(option("sample") ?? all.length), all.length);
// evenly spaced, so that the same sources result in the same sample
const todo = Array.from(
  { length: sample },
  (_, at) => all[Math.floor((at * all.length) / sample)],
).filter((removal) => removal !== undefined);
const copies = Array.from({ length: workers }, copyOf);
const coverage = await coverageIn(copies[0] ?? "");
const unnoticed = new Map<string, number>();
let next = 0;
await Promise.all(
  copies.map(async (copy) => {
    for (let removal = todo[next++]; removal; removal = todo[next++]) {
      const { file, from, text } = removal;
      // the copies contain the project as it was when they were created
      const original = readFileSync(join(copy, file), "utf8");
      writeFileSync(join(copy, file), text);
      if (!(await isNoticed(copy, testsOf(coverage, removal)))) {
        unnoticed.set(file, (unnoticed.get(file) ?? 0) + 1);
        process.stdout.write(
          `not noticed: ${file}:${from + 1} ${(original.split("\n")[from] ?? "").trim()}\n`,
        );
      }
      writeFileSync(join(copy, file), original);
    }
  }),
);
for (const file of files) {
  const count = todo.filter((removal) => removal.file === file).length;
  process.stdout.write(
    `${file}: ${count} removals, ${count - (unnoticed.get(file) ?? 0)} noticed\n`,
  );
}
const survivors = [...unnoticed.values()].reduce((sum, one) => sum + one, 0);
process.stdout.write(
  `${todo.length} removals, one at a time, ${todo.length - survivors} noticed\n`,
);
process.exitCode = survivors ? 1 : 0;
