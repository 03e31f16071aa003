/** Prefix of the keys of jobs: `job/<due, Unix milliseconds, 15 digits>/<kind>/<id>`. */
export const jobPrefix = "job/";
/** Returns the key of a job that is due at a time in Unix milliseconds. */
export const jobKey = (due: number, kind: string, id: string): string =>
  `${jobPrefix}${String(due).padStart(15, "0")}/${kind}/${id}`;

/** Returns the due time of a job's key, Unix milliseconds; Infinity if it has none. */
export function jobDueTime(key: string): number {
  const due = Number.parseInt(key.slice(jobPrefix.length), 10);
  return Number.isNaN(due) ? Infinity : due;
}

/** Key prefix of the rows that store the last number of each log of a store. */
export const lastNumberPrefix = "logged/";
/** Returns the key of entry `n` of the log below `prefix`. */
export const logKey = (prefix: string, n: number): string => prefix + String(n).padStart(12, "0");
/** Returns the key of the row with the last number of the log below `prefix`. */
export const lastNumberKey = (prefix: string): string => `${lastNumberPrefix}${prefix}`;
/** Parses the value of such a row; 0 if there is none. */
export const parseLastNumber = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Kind of the job that raises an event about a server's backups; its ID is the server's name. */
export const backupEventKind = "event-backup";
