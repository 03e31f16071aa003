import { jobRow, type PlannedJob } from "./jobs.ts";
import { endedTokenEntry } from "./lease-records.ts";
import type { Index } from "./ports.ts";

const [minute, hour] = [60_000, 3_600_000];
/** Kind of the job that ends what has come to its end. */
export const leaseEndKind = "lease-end";
/**
 * The job for leases that end then, Unix seconds: at the next full minute. What ends later than
 * this hour waits for one job at the hour's end, which finds the next: many leases are then few
 * jobs.
 */
export function leaseEndJob(expires: number, now: number): ReturnType<typeof jobRow> {
  const due = Math.ceil((expires * 1000) / minute) * minute;
  const hourly = (Math.floor(now / hour) + 1) * hour;
  return jobRow({ due: Math.min(due, hourly), now }, leaseEndKind, "leases");
}
/** The same for the lease that ends next: nothing that comes later is sooner. */
export const nextLeaseEndJob = (expires: number, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil((expires * 1000) / minute) * minute, now }, leaseEndKind, "leases");

/** Kind of the job that revokes the leases below a prefix. */
export const leaseRevokeKind = "lease-revoke";
/** What such a job is to revoke. */
interface LeasePrefix {
  /** What was handed out later stays, Unix milliseconds. */
  readonly until: number;
  /** Whether leases go too whose certificate was altered in the storage. */
  readonly force: boolean;
  /** Their ids below the path of the mount begin with it: empty, or with a slash at the end. */
  readonly prefix: string;
}
/** The row of such a job. */
export const leaseRevokeJob = (
  planned: PlannedJob,
  { until, force, prefix }: LeasePrefix,
): ReturnType<typeof jobRow> =>
  jobRow(planned, leaseRevokeKind, `${until}${force ? "!" : ":"}${prefix}`);
/** What the id of such a job says. */
export function readLeasePrefix(id: string): LeasePrefix {
  const [, until = "0", mark, prefix = ""] = /^(\d+)([:!])(.*)$/.exec(id) ?? [];
  return { until: Number(until), force: mark === "!", prefix };
}

/** Kind of the job that ends the leases of tokens that have ended. */
export const tokenLeasesKind = "token-leases";
/** The row of that job at a time, Unix milliseconds; those of one second share it. */
export const tokenLeasesJob = ({ due, now }: PlannedJob): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil(due / 1000) * 1000, now }, tokenLeasesKind, "all");

/**
 * What goes into the batch that ends tokens, in the store `sys`: their leases end by job, and with
 * them the certificates. `now`: Unix milliseconds.
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
