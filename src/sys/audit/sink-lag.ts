import type { Deployment } from "../../engine/deployment.ts";
import { sysKeys, storedSys } from "../../engine/sys-records.ts";
import { auditLogsOf, eventsFrom, logName } from "./log.ts";

/** Audit events that the sink has not received yet. */
interface SinkLag {
  readonly events: number;
  /** Time of the oldest unsent event that is still stored (Unix ms). */
  readonly oldest: number | undefined;
}

/** Returns the lag of the audit sink, or undefined if there is no sink. */
export async function sinkLag(deployment: Deployment): Promise<SinkLag | undefined> {
  const [sink, row] = await deployment.sys.store.get([sysKeys.auditSink, sysKeys.auditSent]);
  if (!sink) return undefined;
  const { sent } = storedSys.auditSent(row?.value);
  const behind = (await auditLogsOf(deployment)).flatMap((log) => {
    const received = sent[logName(log)] ?? log.start;
    // a log with fewer events than were sent was restored from a backup, so all its events are sent
    // again
    const last = received > log.last ? log.start : received;
    return last < log.last ? [{ log, last }] : [];
  });
  const oldest = await Promise.all(
    behind.map(async ({ log, last }) => (await eventsFrom(log, last + 1, 1))[0]),
  );
  const times = oldest.flatMap((first) => (first ? [first.event.time] : []));
  return {
    // events before the oldest stored event were deleted, or a restore skipped their numbers
    events: behind.reduce((sum, { log }, at) => {
      const first = oldest[at]?.number;
      return first === undefined ? sum : sum + log.last - first + 1;
    }, 0),
    oldest: times.length > 0 ? Math.min(...times) : undefined,
  };
}
