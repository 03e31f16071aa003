import type { Deployment } from "../engine/deployment.ts";
import type { Mount } from "../engine/mount.ts";
import type { PartLoader } from "../wire/lazy-endpoints.ts";

/**
 * The endpoints of a CA mount except ACME and EST, in parts that are loaded on first use. Each part
 * is named after its file. `npm run generate` writes the IDs of the endpoints in each part to
 * `part-ids.ts`.
 */
export const pkiParts = {
  issuance: async () => (await import("./issuance.ts")).issuance,
  lookup: async () => (await import("./lookup.ts")).lookup,
  ocsp: async () => (await import("./ocsp.ts")).ocsp,
  revocation: async () => (await import("./revocation.ts")).revocation,
  authorities: async () => (await import("./authorities.ts")).authorities,
  settings: async () => (await import("./settings.ts")).settings,
  administration: async () => (await import("./administration.ts")).administration,
} as const satisfies Readonly<Record<string, PartLoader<Mount>>>;
/** The endpoints under `/v1/sys`, in parts that are loaded on first use. */
export const sysParts = {
  state: async () => (await import("./state.ts")).state,
  system: async () => (await import("./system.ts")).system,
} as const satisfies Readonly<Record<string, PartLoader<Deployment>>>;
