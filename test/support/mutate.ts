// Removes the statements of the checks one at a time, in copies of the project, and tells which removals no test notices.
// Run: node test/support/mutate.ts [--tests=<path>,<path>…] [file…]
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const given = process.argv.slice(2);
const named = given.filter((argument) => !argument.startsWith("--"));
const files = named.length ? named : ["src/pki/role.ts", "src/pki/names.ts", "src/pki/constraints.ts", "src/pki/validity.ts", "src/pki/request.ts"];
const tests = given
  .find((argument) => argument.startsWith("--tests="))
  ?.slice("--tests=".length)
  .split(",") ?? ["test/pki", "test/contract"];
const workers = 3;

/** Statements that decide: a demand of the judge, a refusal, a verdict, a check, a warning. */
const decides =
  /judge\.demand\(|\bask\(|\bthrow\b|return refuse\(|return allow\(|return false|checkUri\b|refuse[A-Z]\w*\(|check[A-Z]\w*\(|asSan\(|caller\.warn\(|warnOf\w+\(/;

/** A statement by its first and last line, counted from 0. */
interface Statement {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}
const depth = (line: string): number => (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0);

/** The statements of a file that decide: those of one line, and calls that span lines. */
function statementsOf(file: string, lines: readonly string[]): readonly Statement[] {
  return lines.flatMap((line, from) => {
    if (!decides.test(line) || /^\s*(\/\/|\/?\*|const |export |function |async function |import )/.test(line)) return [];
    let [to, open] = [from, depth(line)];
    while (open > 0 && to + 1 < lines.length) open += depth(lines[++to] ?? "");
    const whole = open === 0 && (/;\s*(\/\/.*)?$/.test(lines[to] ?? "") || /^\s*(for|if)\b.*\{$/.test(line));
    return whole ? [{ file, from, to }] : [];
  });
}

function copyOf(): string {
  const copy = mkdtempSync(join(tmpdir(), "sealwright-mutate-"));
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  for (const name of ["src", "test", "package.json", "tsconfig.json", "vitest.config.ts", "wrangler.toml"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}
const passes = (copy: string): Promise<boolean> =>
  new Promise((done) => {
    const run = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--project", "node", "--bail", "1", "--no-file-parallelism", ...tests], {
      cwd: copy,
      stdio: "ignore",
      timeout: 120_000,
    });
    run.once("exit", (code) => done(code === 0));
  });

const todo = files.flatMap((file) => statementsOf(file, readFileSync(join(root, file), "utf8").split("\n")));
let unnoticed = 0;
const copies = Array.from({ length: workers }, copyOf);
if (!(await passes(copies[0] ?? ""))) throw new Error("the tests fail before anything is removed");
let next = 0;
await Promise.all(
  copies.map(async (copy) => {
    for (let statement = todo[next++]; statement; statement = todo[next++]) {
      const { file, from, to } = statement;
      const text = readFileSync(join(root, file), "utf8");
      const lines = text.split("\n");
      // an empty statement: what stands before may be a condition without braces
      writeFileSync(join(copy, file), lines.map((line, at) => (at < from || at > to ? line : at === from ? ";" : "")).join("\n"));
      if (await passes(copy)) {
        unnoticed++;
        process.stdout.write(`not noticed: ${file}:${from + 1} ${(lines[from] ?? "").trim()}\n`);
      }
      writeFileSync(join(copy, file), text);
    }
  }),
);
process.stdout.write(`${todo.length} statements removed one at a time, ${todo.length - unnoticed} noticed\n`);
process.exitCode = unnoticed ? 1 : 0;
