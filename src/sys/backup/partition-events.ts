import { auditLogNames, auditPrefixes } from "../../engine/audit-records.ts";
import type { Batch, ExportedRow, Store } from "../../engine/ports.ts";
import {
  formerLogsKey,
  parsePartitionEvent,
  partitionAuditPrefix,
  type FormerLog,
} from "../audit/former-logs.ts";

// A backup contains the audit events of partition 0 under their own keys, and the events of other
// partitions under keys with the partition number. A restored mount that has the partition stores
// its events there. A restored mount without the partition stores them under the keys in the
// backup, so that every event has the same number in a log with the same name.

/**
 * Yields the audit events of partitions other than the first as rows of a backup, in the order of
 * each log.
 */
export async function* partitionEvents(
  { partitions = [] }: Pick<Store, "partitions">,
  maxRows: number,
): AsyncIterable<readonly ExportedRow[]> {
  for (const [partition, store] of partitions.entries()) {
    if (partition === 0) continue;
    for (const log of auditLogNames) {
      const prefix = auditPrefixes[log];
      const own = partitionAuditPrefix(partition, log);
      for (let [after, more] = ["", true]; more;) {
        const page = { limit: maxRows, ...(after === "" ? {} : { after }) };
        const events = await store.list(prefix, page);
        yield events.map(([key, row]) => ({ ...row, key: own + key.slice(prefix.length) }));
        after = events.at(-1)?.[0] ?? "";
        more = events.length === maxRows;
      }
    }
  }
}

type NewRows = NonNullable<Batch["put"]>;
/** Rows of a backup, grouped by where a restored mount stores them. */
interface PlacedEvents {
  /** All rows that are not events of a partition other than the first. */
  readonly rows: NewRows;
  /** Events by the number of their partition. */
  readonly events: ReadonlyMap<number, NewRows>;
  /** The logs of partitions that the mount does not have, with all events so far. */
  readonly former: readonly FormerLog[];
}
/**
 * Separates the events of partitions from other rows of a backup, for a mount with `count`
 * partitions. `former` lists the logs found in earlier parts.
 */
export function placeEvents(
  rows: NewRows,
  count: number,
  former: readonly FormerLog[] = [],
): PlacedEvents {
  const others: NewRows[number][] = [];
  const events = new Map<number, NewRows[number][]>();
  const logs = new Map(former.map((one) => [`${one.partition}/${one.log}`, one]));
  for (const row of rows) {
    const [key, value] = row;
    const event = parsePartitionEvent(key);
    if (event && event.partition < count) {
      const own = events.get(event.partition) ?? [];
      events.set(event.partition, own);
      own.push([event.key, value]);
      continue;
    }
    // the list of former logs is computed again, because the restored mount may have different
    // partitions
    if (key !== formerLogsKey) others.push(row);
    if (!event) continue;
    const { partition, log, number } = event;
    const name = `${partition}/${log}`;
    logs.set(name, { partition, log, last: Math.max(number, logs.get(name)?.last ?? 0) });
  }
  return { rows: others, events, former: [...logs.values()] };
}

/** Returns the row that lists the logs of partitions that a mount does not have, if any. */
export const formerLogsRow = (logs: readonly FormerLog[] = []): NewRows =>
  logs.length === 0 ? [] : [[formerLogsKey, { logs }]];

/** Maximum number of events per commit. */
const eventsAtOnce = 200;
/**
 * Stores the events of each partition in its store. Returns false if the epoch of a partition is
 * not `onlyAtEpoch`, because the restore was restarted.
 */
export async function commitEvents(
  { partitions = [] }: Pick<Store, "partitions">,
  events: PlacedEvents["events"],
  onlyAtEpoch: number,
): Promise<boolean> {
  for (const [partition, rows] of events)
    for (let at = 0; at < rows.length; at += eventsAtOnce) {
      const put = rows.slice(at, at + eventsAtOnce);
      if (!(await partitions[partition]?.commit({ onlyAtEpoch, put }))) return false;
    }
  return true;
}
