import { partitionLogPrefix } from "../../base/row-keys.ts";
import { auditLogNames, type AuditLogName, auditPrefixes } from "../../engine/audit-records.ts";
import { rowReader } from "../../engine/row-reader.ts";
import type { FormerLog } from "../../engine/rows-in-backup.ts";

/**
 * Returns a log's key prefix for a partition other than the first. It is used in backups, and in a
 * restored mount that does not have the partition.
 */
export const partitionAuditPrefix = (partition: number, log: AuditLogName): string =>
  partitionLogPrefix(auditPrefixes[log], partition);
/**
 * Key of the row in a restored mount that lists audit logs of partitions that the mount does not
 * have.
 */
export const formerLogsKey = "audit.logs";
/** An audit log of a partition that a restored mount does not have. It gets no more events. */
interface FormerAuditLog extends FormerLog {
  readonly log: AuditLogName;
}
/** Reports whether a log of a partition is an audit log. */
export const isAuditLog = (former: FormerLog): former is FormerAuditLog =>
  auditLogNames.some((one) => one === former.log);
/** Parses the row with key {@link formerLogsKey}. */
export const storedFormerLogs = rowReader<{ readonly logs: readonly FormerAuditLog[] }>({
  logs: [],
});
