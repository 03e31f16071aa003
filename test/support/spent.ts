import { readdirSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

// A measure that does not fail on a busy machine: wall-clock time includes the work of other
// processes, this time does not.

/** Returns the CPU time of this thread, milliseconds. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds in a unit of the times in /proc. */
const tick = 10;

/** Returns parent and CPU time of each process, with its exited children (Linux). */
function processTimes(): ReadonlyMap<number, readonly [parent: number, time: number]> {
  const all = new Map<number, readonly [number, number]>();
  for (const name of readdirSync("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const [user = 0, system = 0, ...children] = fields.slice(11, 15);
      all.set(Number(name), [
        fields[1] ?? 0,
        [user, system, ...children].reduce((sum, time) => sum + time) * tick,
      ]);
    } catch {
      // the process has exited in the meantime
    }
  }
  return all;
}

/** Returns the CPU time of this process and all its descendants, milliseconds. */
function treeTime(): number {
  const all = processTimes();
  const isBelow = (pid: number): boolean =>
    pid === process.pid || (pid > 1 && isBelow(all.get(pid)?.[0] ?? 0));
  return [...all].reduce((sum, [pid, [, time]]) => sum + (isBelow(pid) ? time : 0), 0);
}

/**
 * Returns the CPU time of what runs a test file, milliseconds: the thread, or the process with all
 * its descendants. Other threads of a process run other files.
 */
export const fileTime = (): number =>
  isMainThread && process.platform === "linux" ? treeTime() : threadTime();
