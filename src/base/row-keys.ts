/**
 * Key prefix of jobs. Their keys have the form `job/<due>/<kind>/<id>`, where `<due>` is the due
 * time in Unix ms with 15 digits.
 */
export const jobPrefix = "job/";
/** Returns the row key of a job. `due` is in Unix milliseconds. */
export const jobKey = (due: number, kind: string, id: string): string =>
  `${jobPrefix}${String(due).padStart(15, "0")}/${kind}/${id}`;

/**
 * Returns the due time in the row key of a job in Unix ms, or Infinity if the key contains none.
 */
export function jobDueTime(key: string): number {
  const due = Number.parseInt(key.slice(jobPrefix.length), 10);
  return Number.isNaN(due) ? Infinity : due;
}

/** Key prefix of the rows that store the last sequence number, per log of a store. */
export const lastNumberPrefix = "logged/";
/** Returns the key of entry `n` of the log under `prefix`. */
export const logKey = (prefix: string, n: number): string => prefix + String(n).padStart(12, "0");
/**
 * Returns the key prefix of a partition's log in a backup, and in a restored mount that does not
 * have the partition: `audit.7/change/` for `audit/change/`. Partition 0 uses the prefix itself.
 */
export const partitionLogPrefix = (prefix: string, partition: number): string =>
  partition === 0 ? prefix : prefix.replace("/", `.${partition}/`);
/** Returns the key of the row with the last number of the log under `prefix`. */
export const lastNumberKey = (prefix: string): string => `${lastNumberPrefix}${prefix}`;
/** Returns the last number in the row of a log, or 0 if there is no row. */
export const parseLastNumber = (value: unknown): number => (typeof value === "number" ? value : 0);

/**
 * Kind of the job that raises an event about a server's backups. The ID of the job is the server's
 * name.
 */
export const backupEventKind = "event-backup";
