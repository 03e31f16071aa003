// Removes the lines of the role's checks one at a time, in a copy of the project, and tells which removals no test notices.
// Run: node test/support/mutate.ts [file…]
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const files =
  process.argv.length > 2
    ? process.argv.slice(2)
    : ["src/pki/role.ts", "src/pki/names.ts", "src/pki/constraints.ts", "src/pki/validity.ts", "src/pki/request.ts"];
/** Lines that decide: a demand of the judge, a refusal, a verdict. */
const decides = /judge\.demand\(|\bask\(|\bthrow\b|return refuse\(|return allow\(|checkUri\(uri\)|refuseControlCharacters\(name\)|checkPublicKey\(/;

const copy = mkdtempSync(join(tmpdir(), "sealwright-mutate-"));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const name of ["src", "test", "demo", "worker", "package.json", "tsconfig.json", "vitest.config.ts", "wrangler.toml"])
  cpSync(join(root, name), join(copy, name), { recursive: true });
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

const passes = (): boolean =>
  spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--project", "node", "--bail", "1", "test/pki", "test/contract"], {
    cwd: copy,
    stdio: "ignore",
    timeout: 120_000,
  }).status === 0;

if (!passes()) throw new Error("the tests fail before anything is removed");
let removed = 0;
const unnoticed: string[] = [];
for (const file of files) {
  const text = readFileSync(join(root, file), "utf8");
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    // a statement of one line: what spans lines cannot be taken out alone
    if (!decides.test(line) || !/;\s*(\/\/.*)?$/.test(line) || /^\s*(\/\/|\*|const |export )/.test(line)) continue;
    writeFileSync(join(copy, file), [...lines.slice(0, i), "", ...lines.slice(i + 1)].join("\n"));
    removed++;
    if (passes()) unnoticed.push(`${file}:${i + 1} ${line.trim()}`);
  }
  writeFileSync(join(copy, file), text);
}
process.stdout.write(`${removed} lines removed one at a time, ${removed - unnoticed.length} noticed\n`);
for (const line of unnoticed) process.stdout.write(`not noticed: ${line}\n`);
process.exitCode = unnoticed.length ? 1 : 0;
