import type { Deployment } from "../engine/deployment.ts";
import type { Mount } from "../engine/mount.ts";
import type { Parts } from "../wire/later.ts";

/**
 * The parts of the endpoints of a CA mount but those of ACME and EST, by the endpoint that each
 * begins with, in the order of the table.
 */
export const pkiParts: Parts<Mount> = {
  issue: async () => (await import("./issuing.ts")).issuing,
  readCaPem: async () => (await import("./reading.ts")).reading,
  askOcsp: async () => (await import("./responding.ts")).responding,
  revoke: async () => (await import("./revoking.ts")).revoking,
  generateExportedRoot: async () => (await import("./authorities.ts")).authorities,
  listRoles: async () => (await import("./settings.ts")).settings,
  listRevocationQueue: async () => (await import("./further.ts")).further,
};
/** The same of those below `/v1/sys`. */
export const sysParts: Parts<Deployment> = {
  health: async () => (await import("./state.ts")).state,
  listMounts: async () => (await import("./system.ts")).system,
};
