import type { Steps } from "../../engine/format.ts";

/** Migrations of the store `vars`. There are none so far. */
export const varsSteps: Steps = [];
