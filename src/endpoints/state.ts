import * as health from "../sys/health.ts";
import * as seal from "../sys/seal.ts";

/** What tells whether the system works, and whether it is sealed. */
export const state = [
  health.health,
  health.sealStatus,
  health.initStatus,
  seal.init,
  seal.seal,
  seal.unseal,
  seal.leader,
] as const;
