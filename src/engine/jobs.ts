import { dueOf, jobPrefix } from "../base/job-key.ts";
import type { Batch, Ports, Store } from "./ports.ts";
import { keys, type JobRow } from "./records.ts";
import { stored } from "./stored.ts";

/** When a job is to run, and when that was planned: Unix milliseconds. */
export interface Planned {
  readonly due: number;
  readonly now: number;
}
/** The row of a job, to be put in the batch of the change that needs it. */
export const jobRow = (
  { due, now }: Planned,
  kind: string,
  id: string,
): readonly [key: string, value: JobRow] => [keys.job(due, kind, id), { kind, id, planned: now }];

/** How far apart the clocks of one deployment may be, milliseconds. */
const clockSkew = 60_000;
/**
 * Whether a job waits for a time that a clock made up which was ahead: it was planned later than
 * now.
 */
const isAhead = ({ planned }: JobRow, now: number): boolean =>
  planned !== undefined && planned > now + clockSkew;

/** Sets the clock for the jobs of a batch that was committed. */
export function wakeFor(ports: Ports, batch: Batch): void {
  const due = batch.put?.flatMap(([key]) => (key.startsWith(jobPrefix) ? [dueOf(key)] : []));
  if (due?.length) ports.wake?.(Math.min(...due));
}

/** How long a job that failed waits, milliseconds: twice as long each time, up to the most. */
const [firstWait, mostWait] = [30_000, 600_000];
const perTick = 100;

/** What jobs need of the engine that runs them. */
interface Running {
  readonly ports: Ports;
  readonly store: Store;
}
/**
 * Runs due jobs and removes their rows; a job that fails is put back for later, and later each
 * time. A job that was planned by a clock ahead of this one counts as due. Tells when the next one
 * is due.
 */
export async function runDue(
  ca: Running,
  run: (kind: string, id: string) => Promise<void>,
): Promise<number | undefined> {
  const rows = await ca.store.list(jobPrefix, { limit: perTick });
  const now = ca.ports.now();
  const due = rows.filter(
    ([key, { value }]) => dueOf(key) <= now || isAhead(stored.job(value), now),
  );
  for (const [key, row] of due) {
    const { kind, id, failed: before = 0 } = stored.job(row.value);
    const failed = await run(kind, id).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failed)
      ca.ports.log?.({ endpoint: `job ${kind}`, status: 500, ms: 0, cause: failed.error });
    const later = keys.job(now + Math.min(firstWait * 2 ** before, mostWait), kind, id);
    await ca.store.commit({
      expect: [[key, row.rev]],
      del: [key],
      ...(failed ? { put: [[later, { kind, id, planned: now, failed: before + 1 }]] } : {}),
    });
  }
  if (due.length === perTick) return now;
  const [next] = due.length ? await ca.store.list(jobPrefix, { limit: 1, values: false }) : rows;
  return next && dueOf(next[0]);
}
