import { lastKey, lastNumber, logKey } from "../../base/log-key.ts";
import { turn } from "../../base/turn.ts";
import {
  auditKinds,
  auditLogs,
  type AuditEvent,
  type AuditKind,
} from "../../engine/audit-records.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { Store } from "../../engine/ports.ts";
import { stored } from "../../engine/stored.ts";
import { sysKeys } from "../../engine/sys-records.ts";

/** Events of one kind in one store. */
export interface AuditLog {
  /** Name of the store. */
  readonly name: string;
  readonly store: Store;
  readonly kind: AuditKind;
}
/** An event, and where it lies. */
export interface Numbered {
  readonly kind: AuditKind;
  readonly store: string;
  readonly number: number;
  readonly event: AuditEvent;
}

/** The logs of every store that there is. */
export async function auditLogsOf(ca: Deployment): Promise<readonly AuditLog[]> {
  const mounts = [...(await ca.readMounts()).values()].map(({ uuid }) => uuid);
  const used = await ca.sys.store.get(ca.keepers.map(({ store }) => sysKeys.used(store)));
  const others = ca.keepers.filter((_, at) => used[at]).map(({ store }) => store);
  return [...new Set(["sys", ...mounts, ...others])].flatMap((name) =>
    auditKinds.map((kind) => ({ name, store: ca.unit(name).store, kind })),
  );
}

/** The numbers that logs of one store gave last. */
export async function lastOf({ store, kind }: AuditLog): Promise<number> {
  const [row] = await store.get([lastKey(auditLogs[kind])]);
  return lastNumber(row?.value);
}

/** Events of a log from a number on, at most as many as are wanted, in their order. */
export async function eventsFrom(
  { name, store, kind }: AuditLog,
  number: number,
  limit: number,
): Promise<readonly Numbered[]> {
  const prefix = auditLogs[kind];
  const rows = await store.list(prefix, { after: logKey(prefix, number - 1), limit });
  return rows.map(([key, { value }]) => ({
    kind,
    store: name,
    number: Number(key.slice(prefix.length)),
    event: stored.auditEvent(value),
  }));
}

/** How many events are read at once. */
const part = 200;
/** The events of a log, the newest first. */
export async function* newestFirst(log: AuditLog): AsyncGenerator<Numbered> {
  for (let last = await lastOf(log); last > 0; last -= part) {
    const begin = Math.max(1, last - part + 1);
    const events = (await eventsFrom(log, begin, part)).filter(({ number }) => number <= last);
    yield* [...events].reverse();
    // those before have been removed
    if (events[0]?.number !== begin) return;
    await turn();
  }
}

/** What an event is called in lists; sorted, they are in the order of time. */
export const idOf = ({ kind, store, number, event }: Numbered): string =>
  `${String(event.time).padStart(13, "0")}-${String(number).padStart(12, "0")}-${kind}-${store}`;
