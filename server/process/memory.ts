import { setFlagsFromString } from "node:v8";

/**
 * Node flags of a process that serves. 8 MiB instead of 16 MiB for new objects saves 40 MiB at the
 * same CPU time within noise.
 */
export const memoryFlags: readonly string[] = ["--max-semi-space-size=8"];

/**
 * Makes V8 collect old objects once they have grown by half; by default 20 MiB can grow to 100. If
 * a later V8 lacks the flag, it only warns on stderr.
 */
export const collectEarly = (): void => setFlagsFromString("--heap-growing-percent=50");
