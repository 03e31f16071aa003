import * as health from "../sys/health/health.ts";
import * as seal from "../sys/seal/seal.ts";

/** Endpoints for health, initialization and sealing. */
export const state = [
  health.health,
  health.sealStatus,
  health.initStatus,
  seal.init,
  seal.seal,
  seal.unseal,
  seal.leader,
] as const;
