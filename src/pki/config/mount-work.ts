import { externalPolicyConfig } from "../../external/rows/records.ts";
import type { Job, MountType } from "../../engine/deployment.ts";
import { resealedPolicy } from "../../external/rows/client-key.ts";
import { resealedKey } from "../rows/key-row.ts";
import type { Mount } from "../../engine/mount.ts";
import { logConfig } from "../../log/rows/records.ts";
import { witnessState } from "../../log/rows/witness-state.ts";
import { sealedSerialKey, respondersById, keysById, keys } from "../rows/records.ts";
import { reseal } from "../../engine/sealing.ts";
import { expiryWarnings } from "../issuer/issuer-expiry.ts";
import { serialKeyBinding } from "../issuer/serial-binding.ts";
import { responderRenewal } from "../ocsp/responder-renewal.ts";
import { crlDateWarnings } from "../crl/crl-expiring.ts";
import { crlBuild } from "../crl/crl-build.ts";
import { crlDelta, crlDeltaRenewal, crlDeltaRotation } from "../crl/crl-delta.ts";
import { crlAdjustment } from "../crl/crl-adjustment.ts";
import { crlRenewal } from "../crl/crl-schedule.ts";
import { crlUnpublish } from "../crl/crl-publish.ts";
import { leaseEnd, leaseRevoke } from "../revoke/leases.ts";
import { newestIndexJob } from "../issuer/newest-index.ts";
import { autoTidyJob } from "../tidy/auto-tidy.ts";
import { countJob } from "../tidy/count-certificates.ts";
import { tidyJob } from "../tidy/tidy-job.ts";

export { requireNoLog } from "../../log/rows/records.ts";
export { endLeases, buildAffectedCrls } from "../revoke/leases.ts";

const serialKey = keys.config("serial");

/** Reseals the secrets in the rows of a mount with the current sealing key. */
export const resealMount: MountType["resealed"] = (vault, config) => {
  const { uuid } = config.mount;
  const policy = config.get(externalPolicyConfig);
  const sealed = config.get(sealedSerialKey);
  const log = config.get(logConfig);
  return Promise.all([
    ...[...config.get(keysById).values()]
      .filter(({ managed }) => !managed)
      .map(async (row) => [keys.key(row.id), await resealedKey(vault, uuid, row)] as const),
    ...[...config.get(respondersById).values()].map(async (row) => {
      const key = await resealedKey(vault, uuid, row.key);
      return [keys.responder(row.issuer), key && { ...row, key }] as const;
    }),
    ...(policy.client
      ? [
          resealedPolicy(vault, uuid, policy).then(
            (row) => [keys.config("external-policy"), row] as const,
          ),
        ]
      : []),
    ...(log.key
      ? [
          resealedKey(vault, uuid, log.key).then(
            (key) => [keys.config("log"), key && { ...log, key }] as const,
          ),
        ]
      : []),
    ...(sealed
      ? [
          reseal(vault, { sealed, binding: serialKeyBinding(uuid) }).then(
            (resealed) => [serialKey, resealed] as const,
          ),
        ]
      : []),
  ]);
};

/** Returns the warnings of a mount for `sys/health`. */
export async function mountWarnings(ca: Mount): Promise<readonly string[]> {
  const config = await ca.config();
  const { since } = await witnessState(ca, config);
  return [
    ...(await crlDateWarnings(ca.storeContext)),
    ...expiryWarnings(config, Math.floor(ca.ports.now() / 1000)),
    ...(since > 0
      ? ["Too few witnesses cosigned the log, so its published checkpoint is outdated."]
      : []),
  ];
}

/** The jobs of a CA mount. */
export const jobs: readonly Job[] = [
  crlBuild,
  crlRenewal,
  crlAdjustment,
  crlDelta,
  crlDeltaRenewal,
  crlDeltaRotation,
  crlUnpublish,
  responderRenewal,
  tidyJob,
  autoTidyJob,
  countJob,
  leaseEnd,
  leaseRevoke,
  newestIndexJob,
];
