import type { TaskMeta } from "vitest";
import { fileTime } from "./spent.ts";

declare module "vitest" {
  interface TaskMeta {
    /** CPU time of a file with its modules and child processes, milliseconds. */
    cpuTime?: number;
  }
}

let last = 0;

/** Records the CPU time since the last file of this process or thread, which includes imports. */
export function noteTime(meta: TaskMeta): void {
  const now = fileTime();
  // the time of a process whose parent has exited is lost
  meta.cpuTime = Math.max(0, Math.round(now - last));
  last = now;
}
