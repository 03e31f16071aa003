import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Returns the maximum number of open files for this process and its child processes. */
export function descriptorLimit(): number {
  const limit = reportLimit();
  return /^[0-9]+$/.test(limit) ? Number(limit) : Infinity;
}

function reportLimit(): string {
  try {
    // Node raises its soft limit to the hard limit at startup, and child processes inherit it
    return /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? "";
  } catch {
    return execFileSync("/bin/sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  }
}
