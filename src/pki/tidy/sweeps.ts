import { acmeSweep } from "./sweep-acme.ts";
import { certSweep } from "./sweep-certs.ts";
import { invalidSweep } from "./sweep-invalid.ts";
import { associationSweep } from "./sweep-associations.ts";
import { issuerSweep } from "./sweep-issuers.ts";
import { revokedSweep } from "./sweep-revoked.ts";
import { metadataSweep } from "./sweep-metadata.ts";
import { queueSweep } from "./sweep-queue.ts";
import type { SweepName } from "./fields.ts";
import type { Sweep } from "./sweep.ts";

/** Returns a sweep that has nothing to do on this server. Its counts stay 0. */
const nothing = (name: SweepName, doing: string): Sweep => ({
  name,
  step: async () => ({ message: `Tidying ${doing}: nothing to do` }),
});

/** All sweeps, in the order in which a run performs them. */
export const sweeps: readonly Sweep[] = [
  certSweep,
  revokedSweep,
  invalidSweep,
  associationSweep,
  issuerSweep,
  nothing("tidy_move_legacy_ca_bundle", "the legacy CA bundle"),
  queueSweep,
  // there is only one cluster, so there are no revocations of other clusters (D 4)
  nothing("tidy_cross_cluster_revoked_certs", "cross-cluster revocations"),
  acmeSweep,
  metadataSweep,
  nothing("tidy_cmpv2_nonce_store", "CMP nonces"),
];
