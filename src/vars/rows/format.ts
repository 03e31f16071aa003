import type { Steps } from "../../engine/format.ts";

/** Migrations of the `vars` store. There are none so far. */
export const varsSteps: Steps = [];
