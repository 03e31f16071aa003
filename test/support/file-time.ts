import { isMainThread } from "node:worker_threads";
import type { TaskMeta } from "vitest";
import { cpuMs } from "../../bench/figures.ts";
import { threadTime } from "./spent.ts";

declare module "vitest" {
  interface TaskMeta {
    /** CPU time of a file with its modules and child processes, milliseconds. */
    cpuTime?: number;
  }
}

/**
 * Returns the CPU time of what runs a test file, milliseconds: the thread, or the process with all
 * its descendants. Other threads of a process run other files.
 */
const fileTime = (): number =>
  isMainThread && process.platform === "linux" ? cpuMs(process.pid) : threadTime();

let last = 0;

/**
 * Records the CPU time of a file and its imports: the time since the previous file of this process
 * or thread.
 */
export function noteTime(meta: TaskMeta): void {
  const now = fileTime();
  // the time of a process whose parent has exited is lost
  meta.cpuTime = Math.max(0, Math.round(now - last));
  last = now;
}
