import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** A lock by flock(2). It lasts while any process has its descriptor. */
export interface FileLock {
  /** To be handed on to what shall hold it too. */
  readonly descriptor: number;
  release(): void;
}

/**
 * Locks a file or directory by the program `flock`, which locks the description that it inherits.
 * Answers "held" while another has it, undefined where there is no such program or lock.
 */
export function flock(path: string): FileLock | "held" | undefined {
  const descriptor = opened(path);
  if (descriptor === undefined) return undefined;
  const { status } = spawnSync("flock", ["-x", "-n", "3"], {
    stdio: ["ignore", "ignore", "ignore", descriptor],
  });
  if (status === 0) return { descriptor, release: () => closeSync(descriptor) };
  closeSync(descriptor);
  return status === 1 ? "held" : undefined;
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch {
    // whoever needs it says why
    return undefined;
  }
}
