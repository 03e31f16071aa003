import { setFlagsFromString } from "node:v8";

/**
 * Node flags for a process that serves clients. A semi-space of 4 MiB instead of 16 MiB saves 60
 * MiB and costs no measurable CPU time.
 */
export const memoryFlags: readonly string[] = ["--max-semi-space-size=4"];

/**
 * Makes V8 collect the old generation once it has grown by half; by default it can grow from 20 to
 * 100 MiB. A later V8 without the flag only warns on stderr.
 */
export const collectEarly = (): void => setFlagsFromString("--heap-growing-percent=50");
