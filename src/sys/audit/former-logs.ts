import { auditLogNames, type AuditLogName, auditPrefixes } from "../../engine/audit-records.ts";
import { rowReader } from "../../engine/row-reader.ts";

/**
 * Returns a log's key prefix for a partition other than the first. It is used in backups, and in a
 * restored mount that does not have the partition.
 */
export const partitionAuditPrefix = (partition: number, log: AuditLogName): string =>
  `audit.${partition}/${log}/`;
/** An event of another partition in a backup. */
interface PartitionEvent {
  readonly partition: number;
  readonly log: AuditLogName;
  readonly number: number;
  /** Key of the event in its partition. */
  readonly key: string;
}
/** Parses the key of an event from another partition. Returns undefined for other keys. */
export function parsePartitionEvent(backupKey: string): PartitionEvent | undefined {
  const [, partition, name, number] = /^audit\.(\d+)\/([a-z_]+)\/(\d+)$/.exec(backupKey) ?? [];
  const log = auditLogNames.find((one) => one === name);
  if (log === undefined) return undefined;
  return {
    partition: Number(partition),
    log,
    number: Number(number),
    key: `${auditPrefixes[log]}${number}`,
  };
}
/**
 * Key of the row in a restored mount that lists logs of partitions that the mount does not have.
 */
export const formerLogsKey = "audit.logs";
/** A log of a partition that a restored mount does not have. It gets no more events. */
export interface FormerLog {
  readonly partition: number;
  readonly log: AuditLogName;
  /** Sequence number of the last event. */
  readonly last: number;
}
/** Parses the row with key {@link formerLogsKey}. */
export const storedFormerLogs = rowReader<{ readonly logs: readonly FormerLog[] }>({ logs: [] });
