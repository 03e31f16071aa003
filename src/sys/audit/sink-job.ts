import { asBytes, type Bytes, fromUtf8, toHex, utf8 } from "../../base/bytes.ts";
import { auditKindOf } from "../../engine/audit-records.ts";
import { sinkBinding } from "../../engine/audit-key.ts";
import type { Deployment, Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import {
  sysKeys,
  type AuditSentRow,
  type AuditSinkRow,
  storedSys,
} from "../../engine/sys-records.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { sendDocument } from "../../net/guarded-fetch.ts";
import { NetError } from "../../net/failure.ts";
import { allowsPrivateNetworks } from "../../net/outgoing-scope.ts";
import { sinkJobKind } from "./sink-kind.ts";
import { auditLogsOf, eventsFrom, idOf, logName, type AuditLog, type Numbered } from "./log.ts";

/** Row key of the notice about failed deliveries, which `sys/health` shows. */
export const sinkNotice = sysKeys.notice("sys", "audit", "sink");

/**
 * Maximum number of events per log and request. The events of all logs together take a few hundred
 * kilobytes.
 */
const together = 500;
/** Interval between deliveries and timeout of a request, in ms. */
const [every, limit] = [10_000, 20_000];

/** The next events of a log to send. */
interface Due {
  readonly log: AuditLog;
  readonly events: readonly Numbered[];
  /** Numbers of events that were deleted before they were sent. */
  readonly gap?: { readonly from: number; readonly to: number };
}

async function dueOf(log: AuditLog, { sent }: AuditSentRow): Promise<Due | undefined> {
  const { start, last } = log;
  const before = sent[logName(log)] ?? start;
  // a log with fewer events than were sent was restored from a backup, so all its events are sent
  // again
  const next = before > last ? start + 1 : before + 1;
  if (next > last) return undefined;
  const events = await eventsFrom(log, next, together);
  const first = events[0]?.number ?? last + 1;
  return { log, events, ...(first > next ? { gap: { from: next, to: first - 1 } } : {}) };
}

/**
 * Returns the request body: a line for each gap, followed by a line for each event in chronological
 * order.
 */
function bodyOf(due: readonly Due[]): Bytes {
  const gaps = due.flatMap(({ log: { name, log }, gap }) =>
    gap ? [{ missing: { store: name, kind: auditKindOf(log), log, ...gap } }] : [],
  );
  const events = due
    .flatMap((one) => one.events)
    .map((one) => [idOf(one), one] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { event, ...position }]) => ({ id, ...position, ...event }));
  return utf8([...gaps, ...events].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** Returns the headers that authenticate a request body and the time of sending. */
async function signed(secret: Uint8Array, seconds: number, body: Bytes) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", asBytes(secret), algorithm, false, ["sign"]);
  const text = utf8(`${seconds}.${fromUtf8(body)}`);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, text));
  return {
    "Sealwright-Timestamp": String(seconds),
    "Sealwright-Signature": `v1=${toHex(mac)}`,
  };
}

async function send(sys: StoreContext, sink: AuditSinkRow, body: Bytes): Promise<void> {
  const { ports } = sys;
  const secret = await ports.vault.unseal(sink.sealed, sinkBinding);
  const headers = await signed(secret, Math.floor(ports.now() / 1000), body);
  const privateNetworks = allowsPrivateNetworks(sys);
  await sendDocument(
    ports,
    { url: sink.url, roots: sink.roots, privateNetworks, limit },
    { headers: { ...headers, "Content-Type": "application/x-ndjson" }, body },
  );
}

/** Returns the events to send next, and the row to store after their delivery. */
async function nextOf(deployment: Deployment, before: AuditSentRow) {
  const due: Due[] = [];
  for (const log of await auditLogsOf(deployment)) {
    const one = await dueOf(log, before);
    if (one) due.push(one);
  }
  const sent = { ...before.sent };
  for (const { log, events, gap } of due)
    sent[logName(log)] = events.at(-1)?.number ?? gap?.to ?? 0;
  const count = before.count + due.reduce((sum, { events }) => sum + events.length, 0);
  return { due, row: { sent, count, at: deployment.ports.now() } };
}

/** The job that sends new events and schedules the next delivery. */
export const sinkJob: Job = {
  kind: sinkJobKind,
  of: "deployment",
  budget: 20,
  step: async (deployment) => {
    const { sys } = deployment;
    const [row, sinkRow, notice] = await sys.store.get([
      sysKeys.auditSink,
      sysKeys.auditSent,
      sinkNotice,
    ]);
    if (!row) return undefined;
    const { due, row: after } = await nextOf(deployment, storedSys.auditSent(sinkRow?.value));
    const now = sys.ports.now();
    if (due.length === 0) {
      const put = [jobRow({ due: now + every, now }, sinkJobKind, "sink")];
      return (await sys.commit({ expect: [[sysKeys.auditSink, row.rev]], put })) ? undefined : true;
    }
    await send(sys, storedSys.auditSink(row.value), bodyOf(due)).catch(async (error: unknown) => {
      await reportFailure(sys, row.rev, error);
      throw error;
    });
    // the commit fails if a concurrent run has sent the same events
    await sys.commit({
      expect: [
        [sysKeys.auditSink, row.rev],
        [sysKeys.auditSent, sinkRow?.rev ?? null],
      ],
      put: [[sysKeys.auditSent, after]],
      ...(notice ? { del: [sinkNotice] } : {}),
    });
    return true;
  },
};
/** Stores a notice, unless the sink with the revision `rev` was changed or deleted meanwhile. */
async function reportFailure(sys: StoreContext, rev: number, error: unknown): Promise<void> {
  const why = error instanceof NetError ? error.message : "an unexpected error; the log says why";
  const text = `The audit sink does not accept events: ${why}`;
  const expect = [[sysKeys.auditSink, rev]] as const;
  await sys.commit({ expect, put: [[sinkNotice, { text }]] }).catch(() => undefined);
}
