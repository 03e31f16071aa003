/** Begin of the keys of jobs: `job/<due, Unix milliseconds, 15 digits>/<kind>/<id>`. */
export const jobPrefix = "job/";
/** The key of a job that is due at a time, Unix milliseconds. */
export const jobKey = (due: number, kind: string, id: string): string =>
  `${jobPrefix}${String(due).padStart(15, "0")}/${kind}/${id}`;

/** Returns the due time of a job's key, Unix milliseconds; Infinity if it has none. */
export function jobDueTime(key: string): number {
  const due = Number.parseInt(key.slice(jobPrefix.length), 10);
  return Number.isNaN(due) ? Infinity : due;
}
