import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { generated, root } from "../tools/generate/products.ts";

it("every generated file is what `npm run generate` would write now", async () => {
  const stale = Object.entries(await generated())
    .filter(
      ([path, content]) =>
        !existsSync(join(root, path)) || readFileSync(join(root, path), "utf8") !== content,
    )
    .map(([path]) => path);
  expect(stale, "run `npm run generate`").toEqual([]);
});

it("the routing tables are generated even if an endpoint is missing from them", () => {
  const copy = mkdtempSync(join(tmpdir(), "sealwright-generate-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const part of ["src", "server", "tools", "test/support", "package.json", ".oxfmtrc.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const tables = (
    [
      ["src/endpoints/part-ids.ts", '    "listRoles",\n'],
      ["src/client/pki.ts", '  listRoles: "LIST /roles",\n'],
    ] as const
  ).map(([file, line]) => {
    const path = join(copy, file);
    const fresh = readFileSync(path, "utf8");
    writeFileSync(path, fresh.replace(line, ""));
    expect(readFileSync(path, "utf8"), file).not.toBe(fresh);
    return { path, fresh };
  });
  // in a separate process, because these tables send the example requests of other generators
  execFileSync(process.execPath, ["tools/generate/run.ts", "--tables"], { cwd: copy });
  for (const { path, fresh } of tables) expect(readFileSync(path, "utf8"), path).toBe(fresh);
});
