import { lastNumberKey, parseLastNumber, logKey } from "../../base/row-keys.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import {
  auditKindOf,
  auditLogNames,
  auditPrefixes,
  type AuditEvent,
  type AuditKind,
  type AuditLogName,
  storedAuditEvent,
} from "../../engine/audit-records.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { partitionKeys, storedPartitionLogs } from "../../engine/partition-layout.ts";
import { type NamedStore, partitionName, storesWithLogs } from "../../engine/partition-stores.ts";
import type { Store } from "../../engine/ports.ts";
import { sysKeys } from "../../engine/sys-records.ts";
import { formerLogsKey, partitionAuditPrefix, storedFormerLogs } from "./former-logs.ts";

/** Rows with consecutive events of a log. */
interface LogRows {
  readonly store: Store;
  /** Key prefix of the events. */
  readonly prefix: string;
}
/** An audit log of a store. */
export interface AuditLog {
  /** Name of the store. For a partition, the UUID of the mount and the number of the partition. */
  readonly name: string;
  /** Name of the store context: `sys`, the name of another API's store, or the UUID of a mount. */
  readonly context: string;
  readonly log: AuditLogName;
  /**
   * The rows with the events, in the order of their numbers. The log of a partition has rows in the
   * mount's own store too, if the mount was restored without the partition.
   */
  readonly rows: readonly LogRows[];
  /** The store of the latest events. */
  readonly store: Store;
  /**
   * Number before the first event that the log ever had: 0, or the last number of the mount's log
   * when a growth added the partition.
   */
  readonly start: number;
  /** Sequence number of the last event; `start` if there is none. */
  readonly last: number;
}
/** An audit event and its position. */
export interface Numbered {
  readonly kind: AuditKind;
  readonly log: AuditLogName;
  readonly store: string;
  readonly number: number;
  readonly event: AuditEvent;
}

/** Returns the name of a log, which is unique in the deployment. */
export const logName = ({ name, log }: Pick<AuditLog, "name" | "log">): string => `${name}/${log}`;

/** Returns the logs of all stores that have events. */
export async function auditLogsOf(deployment: Deployment): Promise<readonly AuditLog[]> {
  const mounts = [...(await deployment.readMounts()).values()].map(({ uuid }) => uuid);
  const used = await deployment.sys.store.get(
    deployment.secretOwners.map(({ store }) => sysKeys.used(store)),
  );
  const others = deployment.secretOwners.filter((_, at) => used[at]).map(({ store }) => store);
  const logs: AuditLog[] = [];
  for (const context of new Set(["sys", ...mounts, ...others]))
    logs.push(...(await logsOfContext(deployment.storeContext(context))));
  return logs;
}
/**
 * Returns the logs of a store context that have events. Merges a partition's former and current
 * log.
 */
async function logsOfContext(storeContext: NamedStore): Promise<readonly AuditLog[]> {
  const context = storeContext.name;
  const logs = new Map<string, AuditLog>();
  const add = (log: Omit<AuditLog, "context">): void => {
    const earlier = logs.get(logName(log));
    const rows = [...(earlier?.rows ?? []), ...log.rows];
    logs.set(logName(log), { ...log, context, rows, start: earlier?.start ?? log.start });
  };
  for (const [partition, { name, store }] of storesWithLogs(storeContext).entries()) {
    const [former, starts, ...rows] = await store.get([
      formerLogsKey,
      partitionKeys.logs,
      ...auditLogNames.map((log) => lastNumberKey(auditPrefixes[log])),
    ]);
    if (partition === 0)
      for (const { partition: at, log, last } of storedFormerLogs(former?.value).logs)
        add({
          name: partitionName(context, at),
          log,
          store,
          rows: [{ store, prefix: partitionAuditPrefix(at, log) }],
          start: 0,
          last,
        });
    const { numbers } = storedPartitionLogs(starts?.value);
    for (const [at, log] of auditLogNames.entries())
      if (rows[at])
        add({
          name,
          log,
          store,
          rows: [{ store, prefix: auditPrefixes[log] }],
          start: parseLastNumber(numbers[lastNumberKey(auditPrefixes[log])]),
          last: parseLastNumber(rows[at].value),
        });
  }
  return [...logs.values()];
}

/** Returns up to `limit` events of a log, starting with the number `number`. */
export async function eventsFrom(
  { name, rows, log }: AuditLog,
  number: number,
  limit: number,
): Promise<readonly Numbered[]> {
  const events: Numbered[] = [];
  for (const { store, prefix } of rows) {
    if (events.length >= limit) break;
    const page = { after: logKey(prefix, number - 1), limit: limit - events.length };
    for (const [key, { value }] of await store.list(prefix, page))
      events.push({
        kind: auditKindOf(log),
        log,
        store: name,
        number: Number(key.slice(prefix.length)),
        event: storedAuditEvent(value),
      });
  }
  return events;
}

/** Number of events read at a time. */
const part = 200;
/** Yields the events of a log, newest first. */
export async function* newestFirst(log: AuditLog): AsyncGenerator<Numbered> {
  for (let { last } = log; last > 0;) {
    const end = last;
    const begin = Math.max(1, end - part + 1);
    const events = (await eventsFrom(log, begin, part)).filter(({ number }) => number <= end);
    yield* [...events].reverse();
    last = events[0]?.number === begin ? begin - 1 : await lastBefore(log, begin);
    await yieldToEventLoop();
  }
}

/**
 * Returns the sequence number of a log's last stored event before the given number, or 0 if there
 * is none. A log has gaps only where its mount was restored, and before its oldest event.
 */
async function lastBefore({ rows }: AuditLog, number: number): Promise<number> {
  for (const { store, prefix } of rows.toReversed()) {
    const numberOf = ([key]: readonly [key: string, ...unknown[]]): number =>
      Number(key.slice(prefix.length));
    const isBefore = (row: readonly [key: string, ...unknown[]]): boolean => numberOf(row) < number;
    const oldest = await store.list(prefix, { values: false, limit: 1 });
    if (!oldest.some(isBefore)) continue;
    const last = (await store.list(prefix, { values: false })).findLast(isBefore);
    if (last) return numberOf(last);
  }
  return 0;
}

/** Returns the ID of an event in listings. IDs sort by time. */
export const idOf = ({ log, store, number, event }: Numbered): string =>
  `${String(event.time).padStart(13, "0")}-${String(number).padStart(12, "0")}-${log}-${store}`;
