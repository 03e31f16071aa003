import { setFlagsFromString } from "node:v8";

/**
 * Node flags of a process that serves: a semi-space of 4 MiB instead of 16 MiB saves 60 MiB and
 * costs no measurable CPU time.
 */
export const memoryFlags: readonly string[] = ["--max-semi-space-size=4"];

/**
 * Makes V8 collect old objects once they have grown by half; by default 20 MiB can grow to 100. If
 * a later V8 lacks the flag, it only warns on stderr.
 */
export const collectEarly = (): void => setFlagsFromString("--heap-growing-percent=50");
