import type { Steps } from "../../engine/format.ts";

/** From the first format of the store `vars` to that of today, which is the same. */
export const varsSteps: Steps = [];
