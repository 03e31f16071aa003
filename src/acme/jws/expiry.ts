import { acmeExpiry } from "../../engine/acme-records.ts";
import { jobRow } from "../../engine/jobs.ts";

/** Rows that end within so many seconds are removed together: one row of a job for all of them. */
const together = 300;

/**
 * The row of the job that removes what has ended, for the batch that puts something with an
 * `acme_end`. `end`: Unix seconds; `now`: Unix milliseconds.
 */
export const planExpiry = (end: number, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: (Math.floor(end / together) + 1) * together * 1000, now }, acmeExpiry, "rows");
