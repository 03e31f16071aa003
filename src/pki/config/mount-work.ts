import type { Job, MountType } from "../../engine/deployment.ts";
import type { Mount } from "../../engine/mount.ts";
import { witnessState } from "../../log/rows/witness-state.ts";
import { resealRow } from "../../engine/sealing.ts";
import { expiryWarnings } from "../issuer/issuer-expiry.ts";
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
import { configuredSealedRows, secretOfRow } from "./sealed-rows.ts";

export { endLeases, buildAffectedCrls } from "../revoke/leases.ts";

/** Reseals the secrets in the rows of a mount with the current sealing key. */
export const resealMount: MountType["resealed"] = (vault, config) =>
  Promise.all(
    config.get(configuredSealedRows).flatMap((row) => {
      const secret = secretOfRow(config.mount.uuid, row);
      return secret ? [resealRow(vault, secret).then((value) => [row[0], value] as const)] : [];
    }),
  );

/** Returns the warnings of a mount for `sys/health`. */
export async function mountWarnings(mount: Mount): Promise<readonly string[]> {
  const config = await mount.config();
  const { since } = await witnessState(mount, config);
  return [
    ...(await crlDateWarnings(mount.storeContext)),
    ...expiryWarnings(config, Math.floor(mount.ports.now() / 1000)),
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
