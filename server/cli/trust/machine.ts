import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Environment } from "../../settings/secret-files.ts";
import { configDir } from "../token-store.ts";
import type { Machine } from "./trust-store.ts";

/** Returns the machine on which the program runs. */
export function thisMachine(env: Environment): Machine {
  return {
    platform: process.platform,
    home: env["HOME"] || homedir(),
    configDir: configDir(env),
    env,
    exists: existsSync,
    namesIn(path) {
      try {
        return readdirSync(path);
      } catch {
        return [];
      }
    },
    findProgram: (name) =>
      // administration programs are often missing from users' PATH
      [...(env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"]
        .filter((folder) => folder !== "")
        .map((folder) => join(folder, name))
        .find(isProgram),
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
