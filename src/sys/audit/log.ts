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
import { storesWithLogs } from "../../engine/partition-stores.ts";
import type { Store } from "../../engine/ports.ts";
import { sysKeys } from "../../engine/sys-records.ts";

/** An audit log of a store. */
export interface AuditLog {
  /** Name of the store. For a partition, the UUID of the mount and the number of the partition. */
  readonly name: string;
  /** Name of the store context: `sys`, the name of another API's store, or the UUID of a mount. */
  readonly context: string;
  readonly store: Store;
  readonly log: AuditLogName;
  /** Number of the last event; 0 if there is none. */
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
export async function auditLogsOf(ca: Deployment): Promise<readonly AuditLog[]> {
  const mounts = [...(await ca.readMounts()).values()].map(({ uuid }) => uuid);
  const used = await ca.sys.store.get(ca.secretOwners.map(({ store }) => sysKeys.used(store)));
  const others = ca.secretOwners.filter((_, at) => used[at]).map(({ store }) => store);
  const logs: AuditLog[] = [];
  for (const context of new Set(["sys", ...mounts, ...others]))
    for (const { name, store } of storesWithLogs(ca.storeContext(context))) {
      const rows = await store.get(auditLogNames.map((log) => lastNumberKey(auditPrefixes[log])));
      for (const [at, log] of auditLogNames.entries())
        if (rows[at])
          logs.push({ name, context, store, log, last: parseLastNumber(rows[at].value) });
    }
  return logs;
}

/** Returns up to `limit` events of a log, with numbers from `number` on. */
export async function eventsFrom(
  { name, store, log }: AuditLog,
  number: number,
  limit: number,
): Promise<readonly Numbered[]> {
  const prefix = auditPrefixes[log];
  const rows = await store.list(prefix, { after: logKey(prefix, number - 1), limit });
  return rows.map(([key, { value }]) => ({
    kind: auditKindOf(log),
    log,
    store: name,
    number: Number(key.slice(prefix.length)),
    event: storedAuditEvent(value),
  }));
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
 * Returns the last number of a log that is stored and below the given number; 0 if there is none. A
 * log has gaps only where its mount was restored, and before its oldest event.
 */
async function lastBefore({ store, log }: AuditLog, number: number): Promise<number> {
  const prefix = auditPrefixes[log];
  const isBefore = ([key]: readonly [key: string, ...unknown[]]): boolean =>
    Number(key.slice(prefix.length)) < number;
  const oldest = await store.list(prefix, { values: false, limit: 1 });
  if (!oldest.some(isBefore)) return 0;
  const last = (await store.list(prefix, { values: false })).findLast(isBefore);
  return last ? Number(last[0].slice(prefix.length)) : 0;
}

/** Returns the ID of an event in listings. IDs sort by time. */
export const idOf = ({ log, store, number, event }: Numbered): string =>
  `${String(event.time).padStart(13, "0")}-${String(number).padStart(12, "0")}-${log}-${store}`;
