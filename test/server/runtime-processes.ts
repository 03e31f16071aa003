import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { RunningServer } from "../support/server.ts";

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * Ids of processes that have a text in their command line: the runtime and its watcher carry their
 * directory there.
 */
export function processesWith(text: string): string[] {
  return readdirSync("/proc").filter(
    (pid) => /^[0-9]+$/.test(pid) && textOf(`/proc/${pid}/cmdline`).includes(text),
  );
}

/** The group of the runtime, by the id of its leader, as the launcher has noted it. */
export function groupOf(server: RunningServer): string {
  return readFileSync(join(server.dataDir, "lock"), "utf8").split("\n")[1]?.split(" ")[0] ?? "";
}

/**
 * The processes that a launcher has started, by their ids: the group's leader, the runtime and the
 * watcher.
 */
export function runtimeOf(server: RunningServer): {
  group: string;
  directory: string;
  processes: { workerd: string | undefined; watcher: string | undefined };
} {
  const group = groupOf(server);
  const directory =
    /\S*\/sealwright-[A-Za-z0-9]{6}(?=\/config\.capnp)/.exec(
      textOf(`/proc/${group}/cmdline`).replaceAll("\0", " "),
    )?.[0] ?? "";
  const all = processesWith(directory);
  expect(all.length).toBeGreaterThanOrEqual(3);
  const isRuntime = (pid: string): boolean => textOf(`/proc/${pid}/comm`).trim() === "workerd";
  return {
    group,
    directory,
    processes: {
      workerd: all.find(isRuntime),
      watcher: all.find((pid) => pid !== group && !isRuntime(pid)),
    },
  };
}
