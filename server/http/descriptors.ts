import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Returns the limit of open files of this process and its children. */
export function descriptorLimit(): number {
  const limit = reportLimit();
  return /^[0-9]+$/.test(limit) ? Number(limit) : Infinity;
}

function reportLimit(): string {
  try {
    // Node raises its soft limit to the hard one at startup, and child processes inherit that
    return /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? "";
  } catch {
    return execFileSync("/bin/sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  }
}
