import { jobRow, type PlannedJob } from "./jobs.ts";
import { endedTokenEntry } from "./lease-records.ts";
import type { Index } from "./ports.ts";

const [minute, hour] = [60_000, 3_600_000];
/** Kind of the job that ends expired leases. */
export const leaseEndKind = "lease-end";
/**
 * Returns the job for leases that expire at this time (Unix seconds). It is due at the next full
 * minute, or, if that is after the current hour, at the end of the hour, where it schedules the
 * next one. Thus many leases need few jobs.
 */
export function leaseEndJob(expires: number, now: number): ReturnType<typeof jobRow> {
  const due = Math.ceil((expires * 1000) / minute) * minute;
  const hourly = (Math.floor(now / hour) + 1) * hour;
  return jobRow({ due: Math.min(due, hourly), now }, leaseEndKind, "leases");
}
/** Returns the job for the lease that expires next; all others expire later. */
export const nextLeaseEndJob = (expires: number, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil((expires * 1000) / minute) * minute, now }, leaseEndKind, "leases");

/** Kind of the job that revokes the leases below a prefix. */
export const leaseRevokeKind = "lease-revoke";
/** The leases that such a job revokes. */
interface LeasePrefix {
  /** Time until which leases were issued (Unix ms); later ones stay. */
  readonly until: number;
  /** Whether to also end leases whose certificate was altered in the storage. */
  readonly force: boolean;
  /** Prefix of their ids below the mount's path: empty, or with a trailing slash. */
  readonly prefix: string;
}
/** Returns the row of such a job. */
export const leaseRevokeJob = (
  planned: PlannedJob,
  { until, force, prefix }: LeasePrefix,
): ReturnType<typeof jobRow> =>
  jobRow(planned, leaseRevokeKind, `${until}${force ? "!" : ":"}${prefix}`);
/** Parses the id of such a job. */
export function readLeasePrefix(id: string): LeasePrefix {
  const [, until = "0", mark, prefix = ""] = /^(\d+)([:!])(.*)$/.exec(id) ?? [];
  return { until: Number(until), force: mark === "!", prefix };
}

/** Kind of the job that ends the leases of revoked and expired tokens. */
export const tokenLeasesKind = "token-leases";
/** Returns the row of that job at a time (Unix ms); jobs due in the same second share a row. */
export const tokenLeasesJob = ({ due, now }: PlannedJob): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil(due / 1000) * 1000, now }, tokenLeasesKind, "all");

/**
 * Returns the rows, for the store `sys`, that a batch which revokes tokens must put: a job ends the
 * tokens' leases and revokes the certificates. `now`: Unix milliseconds.
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
