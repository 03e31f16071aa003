import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../../worker/build/build.ts";
import { cachedFolder } from "./built.ts";

/**
 * The sources of the package; it is packed outside the checkout, whose built files other tests use
 * meanwhile.
 */
const built = [
  "package.json",
  "package-lock.json",
  ".npmrc",
  "tsconfig.json",
  "tsconfig.build.json",
  "tsconfig.node.json",
  "src",
  "server",
  "worker",
  "demo",
  "tools",
  "bench",
  "deploy",
  "docs",
  "examples",
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "SECURITY.md",
];

/** Returns the package as packed by `npm pack` from the current sources. */
export async function packedArchive(): Promise<string> {
  const there = built.map((name) => join(root, name)).filter((path) => existsSync(path));
  const folder = await cachedFolder("package", there, async (draft) => {
    // not below node_modules, where the compiler would treat the sources as a dependency's
    const source = mkdtempSync(join(tmpdir(), "sealwright-source-"));
    try {
      for (const path of there) cpSync(path, join(source, basename(path)), { recursive: true });
      symlinkSync(join(root, "node_modules"), join(source, "node_modules"));
      run("npm", ["pack"], source);
      const name = readdirSync(source).find((one) => one.endsWith(".tgz")) ?? "";
      copyFileSync(join(source, name), join(draft, "sealwright.tgz"));
    } finally {
      rmSync(source, { recursive: true, force: true });
    }
  });
  return join(folder, "sealwright.tgz");
}

/** Runs a program; a failure includes its output. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env = process.env,
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(" ")} ended with ${status}\n${stdout}\n${stderr}`, {
      cause: error,
    });
  return stdout;
}
