import { basename, dirname, relative } from "node:path";
import type { Environment } from "./secret-files.ts";

/**
 * Returns the command prefix with which the user has run this program, such as `npx sealwright`,
 * for printing commands that the user can run.
 * @param program path of the running file
 */
export function invocationOf(env: Environment, program = process.argv[1] ?? ""): string {
  if (/^(?:program|serve)\.ts$/.test(basename(program)))
    return env["npm_lifecycle_event"] === undefined
      ? `node ${relative(".", program.replace(/serve\.ts$/, "program.ts"))}`
      : "npm run -s sealwright --";
  const isInstalledHere = basename(dirname(program)) === ".bin";
  if (isInstalledHere || env["npm_command"] === "exec") return "npx sealwright";
  return basename(program) === "sealwright.js" ? `node ${relative(".", program)}` : "sealwright";
}
