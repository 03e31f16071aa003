import { crlConfig } from "../rows/settings.ts";
import type { Job } from "../../engine/deployment.ts";
import {
  leaseEndKind,
  leaseRevokeKind,
  nextLeaseEndJob,
  readLeasePrefix,
} from "../../engine/lease-jobs.ts";
import {
  belowLeases,
  leaseEnds,
  type StoredLease,
  storedLease,
} from "../../engine/lease-records.ts";
import { batchesByPlace } from "../../engine/batches-by-place.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowPrefixes } from "../rows/records.ts";
import { revokeMany } from "./revoke-many.ts";

/**
 * Number of leases to revoke per batch. The store commits a batch of this size in a few
 * milliseconds.
 */
const leasesPerBatch = 100;

/** The result of revoking leases. */
interface LeaseRevocationResult {
  /** Keys of the leases that remain because their certificates are damaged. */
  readonly damaged: readonly string[];
  /** IDs of the CRLs that have new, unpublished entries. */
  readonly crlIds: readonly string[];
}
/**
 * Revokes the certificates of up to a hundred leases, schedules builds of their CRLs, and removes
 * the leases. Certificates that are missing, already revoked, expired, or belong to an issuer are
 * not revoked (B 1.1 rule 10). With `force`, also removes the leases of damaged certificates.
 */
export async function endLeases(
  mount: Mount,
  leases: readonly StoredLease[],
  { force = false } = {},
): Promise<LeaseRevocationResult> {
  const now = Math.floor(mount.ports.now() / 1000);
  // a certificate that expires with its lease need not be revoked, even if expired certificates can
  // be revoked
  const active = leases.filter(({ not_after }) => not_after > now);
  const certs = active.map(({ serial }) => rowPrefixes.certs + serial);
  const done = active.length === 0 ? noOutcome : await revokeMany(mount, certs, undefined);
  const damaged = new Set(force ? [] : done.damaged);
  const left = active.filter(({ serial }) => damaged.has(rowPrefixes.certs + serial));
  const retained = new Set(left.map(({ key }) => key));
  // leases are removed after the revocation, so that an interrupted run can be repeated
  const ended = leases.map(({ key }) => key).filter((key) => !retained.has(key));
  for (const batch of batchesByPlace(mount.store.placement, { del: ended }))
    await mount.storeContext.commit(batch);
  return { damaged: [...retained], crlIds: done.crlIds };
}
const noOutcome = { damaged: [], crlIds: [] } as const;

/**
 * Builds the CRLs that list the certificates of revoked leases, unless `auto_rebuild` is on. If a
 * build fails, a stored job retries it.
 */
export async function buildAffectedCrls(mount: Mount, crlIds: readonly string[]): Promise<void> {
  if ((await mount.config()).get(crlConfig).auto_rebuild) return;
  for (const crlId of crlIds) await mount.storeContext.once("crl", crlId).catch(() => undefined);
}

/** The job that revokes expired leases. */
export const leaseEnd: Job = {
  kind: leaseEndKind,
  of: "mount",
  budget: 50,
  step: async (mount) => {
    const now = mount.ports.now();
    const by = { name: leaseEnds, to: Math.floor(now / 1000) };
    const due = await mount.store.list(belowLeases, { by, limit: leasesPerBatch });
    if (due.length > 0) await endLeases(mount, due.map(storedLease), { force: true });
    if (due.length === leasesPerBatch) return "more";
    const [next] = await mount.store.list(belowLeases, { by: { name: leaseEnds }, limit: 1 });
    // the commit needs no precondition, because a lease that is issued concurrently schedules its
    // own job
    if (next)
      await mount.storeContext.commit({ put: [nextLeaseEndJob(storedLease(next).expires, now)] });
    return undefined;
  },
};

/** The job that revokes the leases with a given prefix that were issued up to a given time. */
export const leaseRevoke: Job<string> = {
  kind: leaseRevokeKind,
  of: "mount",
  budget: 50,
  step: async (mount, id, progress) => {
    const { until, force, prefix } = readLeasePrefix(id);
    const rows = await mount.store.list(belowLeases + prefix, {
      limit: leasesPerBatch,
      ...(progress === undefined ? {} : { after: progress }),
    });
    const leases = rows.map(storedLease).filter(({ issued }) => issued <= until);
    if (leases.length > 0) await endLeases(mount, leases, { force });
    return rows.length === leasesPerBatch ? rows.at(-1)?.[0] : undefined;
  },
};
