import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/server.ts";

/** Combined output and exit code of a command. */
export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Runs openssl in a directory. */
export function openssl(cwd: string, ...args: string[]): Ran {
  const { status, stdout, stderr } = spawnSync("openssl", args, { cwd, encoding: "utf8" });
  return { code: status, output: stdout + stderr };
}

/** Creates a directory with these files. */
export function directoryWith(files: Readonly<Record<string, string>> = {}): string {
  const directory = temporaryDirectory();
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}
