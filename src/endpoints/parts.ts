import type { Deployment } from "../engine/deployment.ts";
import type { Mount } from "../engine/mount.ts";
import type { PartLoader } from "../wire/lazy-endpoints.ts";

/**
 * The endpoints of a CA mount except ACME and EST, in parts that are loaded on first use. `npm run
 * generate` writes the IDs of the endpoints in each part to `part-ids.ts`.
 */
export const pkiParts = {
  issue: async () => (await import("./issuance.ts")).issuing,
  reads: async () => (await import("./lookup.ts")).reading,
  ocsp: async () => (await import("./ocsp.ts")).responding,
  revoke: async () => (await import("./revocation.ts")).revoking,
  ca: async () => (await import("./authorities.ts")).authorities,
  config: async () => (await import("./settings.ts")).settings,
  operations: async () => (await import("./administration.ts")).searchAndMaintenance,
} as const satisfies Readonly<Record<string, PartLoader<Mount>>>;
/** The endpoints under `/v1/sys`, in parts that are loaded on first use. */
export const sysParts = {
  state: async () => (await import("./state.ts")).state,
  system: async () => (await import("./system.ts")).system,
} as const satisfies Readonly<Record<string, PartLoader<Deployment>>>;
