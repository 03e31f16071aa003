import { jobRow, type PlannedJob } from "./jobs.ts";
import { endedTokenEntry } from "./lease-records.ts";
import type { Index } from "./ports.ts";

const [minute, hour] = [60_000, 3_600_000];
/** Kind of the job that revokes expired leases. */
export const leaseEndKind = "lease-end";
/**
 * Returns the row of the job that revokes leases with this expiry (Unix seconds). The job is due at
 * the first full minute after the expiry, or at the end of the current hour if that is earlier. It
 * then schedules the next job, so that many leases need few jobs.
 */
export function leaseEndJob(expires: number, now: number): ReturnType<typeof jobRow> {
  const due = Math.ceil((expires * 1000) / minute) * minute;
  const hourly = (Math.floor(now / hour) + 1) * hour;
  return jobRow({ due: Math.min(due, hourly), now }, leaseEndKind, "leases");
}
/**
 * Returns the row of the job for the lease that expires next. All other leases must expire later.
 */
export const nextLeaseEndJob = (expires: number, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil((expires * 1000) / minute) * minute, now }, leaseEndKind, "leases");

/** Kind of the job that revokes the leases under a prefix. */
export const leaseRevokeKind = "lease-revoke";
/** The leases that a `lease-revoke` job revokes. */
interface LeasePrefix {
  /** Leases issued after this time (Unix ms) are not revoked. */
  readonly until: number;
  /** Whether to also remove leases whose certificate was altered in storage. */
  readonly force: boolean;
  /** Prefix of the lease IDs without the mount's path: empty, or with a trailing slash. */
  readonly prefix: string;
}
/** Returns the row of a `lease-revoke` job. */
export const leaseRevokeJob = (
  planned: PlannedJob,
  { until, force, prefix }: LeasePrefix,
): ReturnType<typeof jobRow> =>
  jobRow(planned, leaseRevokeKind, `${until}${force ? "!" : ":"}${prefix}`);
/** Parses the ID of a `lease-revoke` job. */
export function readLeasePrefix(id: string): LeasePrefix {
  const [, until = "0", mark, prefix = ""] = /^(\d+)([:!])(.*)$/.exec(id) ?? [];
  return { until: Number(until), force: mark === "!", prefix };
}

/** Kind of the job that revokes the leases of revoked and expired tokens. */
export const tokenLeasesKind = "token-leases";
/** Returns the row of a `token-leases` job. Jobs due in the same second share a row. */
export const tokenLeasesJob = ({ due, now }: PlannedJob): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil(due / 1000) * 1000, now }, tokenLeasesKind, "all");

/**
 * Returns the rows of the `sys` store that must be in the batch that revokes tokens. They cause a
 * job to revoke the tokens' leases and certificates. `now` is in Unix milliseconds.
 */
export const tokensEnded = (
  accessors: readonly string[],
  now: number,
): readonly (readonly [key: string, value: unknown, index?: Index])[] =>
  accessors.length === 0
    ? []
    : [
        ...accessors.map((accessor) => endedTokenEntry(accessor, { at: now, look: now })),
        tokenLeasesJob({ due: now, now }),
      ];
