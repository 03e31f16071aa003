import type { MountType, NewRows } from "../../engine/deployment.ts";
import { rowsInBackup } from "./backup.ts";
import { resealedPolicy } from "../../engine/external-key.ts";
import { resealedKey } from "../../engine/key-row.ts";
import { keys } from "../../engine/records.ts";
import { sealedAnew } from "../../engine/sealing.ts";
import { responderRenewal } from "../ocsp/responder-renewal.ts";
import { pkiPolicies } from "./ready-policies.ts";
import { serialKeyBinding } from "../issuer/serial.ts";
import { crlJob } from "../revocation/crl-build.ts";
import { crlDelta, crlDeltaRenewal, crlDeltaRotation } from "../revocation/crl-delta.ts";
import { crlLists } from "../revocation/crl-needs.ts";
import { endingLists } from "../revocation/crl-ending.ts";
import { crlRenewal } from "../revocation/crl-renewal.ts";
import { crlUnpublish } from "../revocation/crl-unpublish.ts";
import { endLeases, leaseEnd, leaseRevoke, showEnded } from "../revocation/leases.ts";
import { autoTidyJob } from "../tidy/auto-tidy.ts";
import { countJob } from "../tidy/count-certificates.ts";
import { tidyJob } from "../tidy/tidy-job.ts";

const serialKey = keys.config("serial");

/**
 * Mounts of certificate authorities. A new one has the sealed key of its serial numbers, and its
 * cluster address where the deployment knows its own.
 */
export const pkiMounts: MountType = {
  type: "pki",
  rows: async ({ vault, random, publicUrl }, { uuid, path }) => {
    const cluster = `${publicUrl}/v1/${path}`;
    const rows: NewRows = [[serialKey, await vault.seal(random(32), serialKeyBinding(uuid))]];
    return publicUrl
      ? [...rows, [keys.config("cluster"), { path: cluster, aia_path: cluster }]]
      : rows;
  },
  secret: { key: serialKey, binding: serialKeyBinding },
  resealed: (
    vault,
    { mount: { uuid }, keys: held, responders, serialKey: sealed, externalPolicy },
  ) =>
    Promise.all([
      ...[...held.values()]
        .filter(({ managed }) => !managed)
        .map(async (row) => [keys.key(row.id), await resealedKey(vault, uuid, row)] as const),
      ...[...responders.values()].map(async (row) => {
        const key = await resealedKey(vault, uuid, row.key);
        return [keys.responder(row.issuer), key && { ...row, key }] as const;
      }),
      ...(externalPolicy.client
        ? [
            resealedPolicy(vault, uuid, externalPolicy).then(
              (row) => [keys.config("external-policy"), row] as const,
            ),
          ]
        : []),
      ...(sealed
        ? [
            sealedAnew(vault, { sealed, binding: serialKeyBinding(uuid) }).then(
              (anew) => [serialKey, anew] as const,
            ),
          ]
        : []),
    ]),
  backup: rowsInBackup,
  jobs: [
    crlJob,
    crlRenewal,
    crlLists,
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
  ],
  leases: { end: endLeases, show: showEnded },
  warnings: endingLists,
  policies: pkiPolicies,
  // 87600 h: enough for a root of ten years
  first: { path: "pki", config: { max_lease_ttl: 87_600 * 3600 } },
};
