import { readFileSync } from "node:fs";

interface ProcessState {
  state: string;
  started: string;
}

/**
 * Returns the state letter and the start time in ticks since boot (proc_pid_stat(5), fields 3 and
 * 22). Returns undefined on systems other than Linux.
 */
function stateOf(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/**
 * Returns a string that identifies a process by its ID and, on Linux, its start time, because IDs
 * are reused, especially in containers.
 */
export function identityOf(pid: number): string {
  return `${pid} ${stateOf(pid)?.started ?? ""}`.trimEnd();
}

/**
 * Reports whether the process described by {@link identityOf} is still running. A zombie process,
 * or another process with the same ID, does not count.
 */
export function isAlive(identity: string): boolean {
  const [id = "", started] = identity.split(" ");
  const pid = Number(id);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const state = stateOf(pid);
  if (state === undefined) return true;
  return state.state !== "Z" && (started === undefined || started === state.started);
}
