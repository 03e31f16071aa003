import { partitionLogPrefix } from "../../base/row-keys.ts";
import { auditPrefixes } from "../../engine/audit-records.ts";
import type { Batch, ExportedRow, Store } from "../../engine/ports.ts";
import type { FormerLog } from "../../engine/rows-in-backup.ts";
import { formerLogsKey, isAuditLog } from "../audit/former-logs.ts";

// A backup contains the log entries of partition 0 under their own keys, and those of other
// partitions under keys with the partition number. A restored mount that has the partition stores
// its entries there. A restored mount without the partition stores them under the keys in the
// backup, so that every entry has the same number in a log with the same name. These logs are the
// audit logs, whose entries are events, and those that the type of the mount names.

/**
 * Yields the log entries of all partitions except the first, as rows of a backup, in the order of
 * each log: the audit events, and the entries of the logs whose key prefixes are in `logs`.
 */
export async function* partitionEntries(
  { partitions = [] }: Pick<Store, "partitions">,
  logs: readonly string[],
  maxRows: number,
): AsyncIterable<readonly ExportedRow[]> {
  for (const [partition, store] of partitions.entries()) {
    if (partition === 0) continue;
    for (const prefix of [...Object.values(auditPrefixes), ...logs]) {
      const own = partitionLogPrefix(prefix, partition);
      for (let [after, more] = ["", true]; more;) {
        const page = { limit: maxRows, ...(after === "" ? {} : { after }) };
        const entries = await store.list(prefix, page);
        yield entries.map(([key, row]) => ({ ...row, key: own + key.slice(prefix.length) }));
        after = entries.at(-1)?.[0] ?? "";
        more = entries.length === maxRows;
      }
    }
  }
}

type NewRows = NonNullable<Batch["put"]>;
/** An entry of another partition in a backup. */
interface PartitionEntry extends Omit<FormerLog, "last"> {
  readonly number: number;
  /** Key of the entry in its partition. */
  readonly key: string;
}
/** Parses the key of an entry from another partition. Returns undefined for other keys. */
function parsePartitionEntry(backupKey: string): PartitionEntry | undefined {
  const [, room = "", partition, log = "", number = ""] =
    /^([a-z]+)\.(\d+)\/([a-z_]+)\/(\d+)$/.exec(backupKey) ?? [];
  if (partition === undefined) return undefined;
  const key = `${room}/${log}/${number}`;
  return { partition: Number(partition), log, number: Number(number), key };
}
/** Rows of a backup, grouped by where a restored mount stores them. */
interface PlacedEntries {
  /** All rows that are not log entries of a partition other than the first. */
  readonly rows: NewRows;
  /** Log entries by the number of their partition. */
  readonly entries: ReadonlyMap<number, NewRows>;
  /** The logs of partitions that the mount does not have, with all entries so far. */
  readonly former: readonly FormerLog[];
}
/**
 * Separates the log entries of partitions from other rows of a backup, for a mount with `count`
 * partitions. `former` lists the logs found in earlier parts.
 */
export function placeEntries(
  rows: NewRows,
  count: number,
  former: readonly FormerLog[] = [],
): PlacedEntries {
  const others: NewRows[number][] = [];
  const entries = new Map<number, NewRows[number][]>();
  const logs = new Map(former.map((one) => [`${one.partition}/${one.log}`, one]));
  for (const row of rows) {
    const [key, value] = row;
    const entry = parsePartitionEntry(key);
    if (entry && entry.partition < count) {
      const own = entries.get(entry.partition) ?? [];
      entries.set(entry.partition, own);
      own.push([entry.key, value]);
      continue;
    }
    // the list of former logs is computed again, because the restored mount may have different
    // partitions
    if (key !== formerLogsKey) others.push(row);
    if (!entry) continue;
    const { partition, log, number } = entry;
    const name = `${partition}/${log}`;
    logs.set(name, { partition, log, last: Math.max(number, logs.get(name)?.last ?? 0) });
  }
  return { rows: others, entries, former: [...logs.values()] };
}

/** Returns the row that lists the audit logs of partitions that a mount does not have, if any. */
export function formerLogsRow(former: readonly FormerLog[] = []): NewRows {
  const logs = former.filter(isAuditLog);
  return logs.length === 0 ? [] : [[formerLogsKey, { logs }]];
}

/** Maximum number of entries per commit. */
const entriesAtOnce = 200;
/**
 * Stores the log entries of each partition in its store. Returns false if the epoch of a partition
 * is not `onlyAtEpoch`, because the restore was restarted.
 */
export async function commitEntries(
  { partitions = [] }: Pick<Store, "partitions">,
  entries: PlacedEntries["entries"],
  onlyAtEpoch: number,
): Promise<boolean> {
  for (const [partition, rows] of entries)
    for (let at = 0; at < rows.length; at += entriesAtOnce) {
      const put = rows.slice(at, at + entriesAtOnce);
      if (!(await partitions[partition]?.commit({ onlyAtEpoch, put }))) return false;
    }
  return true;
}
