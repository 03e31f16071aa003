import { NewerFormatError } from "../base/newer-format.ts";
import { jobDueTime, jobKey, jobPrefix } from "../base/row-keys.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Batch, Committed, Ports, Store } from "./ports.ts";
import { rowReader } from "./row-reader.ts";

/** Work of one kind, as a series of steps. `P`: progress passed from one step to the next. */
export interface Steps<On, P = unknown> {
  readonly kind: string;
  /** Maximum number of steps per run. The rest, with its progress, is left to the next run. */
  readonly budget: number;
  /**
   * Runs the next step. `progress`: result of the previous step, undefined at first. Returns JSON
   * data to continue from, or undefined when the job is done. A host may stop at any point, and the
   * job then resumes from the progress of the last run, so a step must read the current rows and be
   * harmless if run twice. A job that runs before its time reschedules itself.
   */
  step(on: On, id: string, progress: P | undefined): Promise<P | undefined>;
}
/** The steps of a job on one store context. */
export interface JobSteps {
  readonly budget: number;
  step(id: string, progress: unknown): Promise<unknown>;
}
/** The parts of a store context that jobs use. */
interface Running {
  readonly ports: Ports;
  readonly store: Store;
  commit(batch: Batch): Promise<Committed | undefined>;
}

/** The due time of a job, and the time of its scheduling (Unix ms). */
export interface PlannedJob {
  readonly due: number;
  readonly now: number;
}
/** Returns the row of a job, for the batch of the change that makes it necessary. */
export const jobRow = (
  { due, now }: PlannedJob,
  kind: string,
  id: string,
): readonly [key: string, value: JobRow] => [jobKey(due, kind, id), { kind, id, planned: now }];
/**
 * Returns the keys of a job's rows. Deleting them in the batch of the change that makes the job
 * unnecessary cancels it: a current run finishes its budget and is not rescheduled.
 */
export async function jobKeys(store: Store, kind: string, id: string): Promise<readonly string[]> {
  const rows = await (homeOf(store, kind) ?? store).list(jobPrefix, { values: false });
  return rows.map(([key]) => key).filter((key) => key.endsWith(`/${kind}/${id}`));
}

/** Asks the host to wake up for the jobs in a committed batch. */
export function wakeFor(ports: Ports, batch: Batch): void {
  if (!ports.wake || !batch.put) return;
  let due: number | undefined;
  for (const row of batch.put)
    if (row[0].startsWith(jobPrefix)) due = Math.min(due ?? Infinity, jobDueTime(row[0]));
  if (due !== undefined) ports.wake(due);
}

/** A job's row with its key and revision. */
interface JobRevision {
  readonly key: string;
  readonly rev: number;
  readonly row: JobRow;
}
const readJobs = async (store: Store, limit?: number): Promise<readonly JobRevision[]> =>
  (await store.list(jobPrefix, limit === undefined ? {} : { limit })).map(
    ([key, { rev, value }]) => ({
      key,
      rev,
      row: storedJob(value),
    }),
  );

/** Returns the mount's own store if only it has jobs of a kind, which saves calls to the others. */
const homeOf = ({ placement, partitions }: Store, kind: string): Store | undefined =>
  placement?.placeOf(jobKey(0, kind, "")) === 0 ? partitions?.[0] : undefined;
function atHome(context: Running, kind: string): Running {
  const { ports } = context;
  const home = homeOf(context.store, kind);
  if (!home) return context;
  const commit = async (batch: Batch): Promise<Committed | undefined> => {
    const done = await home.commit(batch);
    if (done) wakeFor(ports, batch);
    return done;
  };
  return { ports, store: home, commit };
}

/** Maximum clock skew within a deployment, milliseconds. */
const clockSkew = 60_000;
/** Reports whether a job is due. A job scheduled by a clock that was ahead is due too. */
const isDue = ({ key, row: { planned } }: JobRevision, now: number): boolean =>
  jobDueTime(key) <= now || (planned !== undefined && planned > now + clockSkew);
/** Delay after a failed run in ms: doubled with each failure, up to the maximum. */
export const firstWait = 30_000;
const maxWait = 600_000;

/**
 * Runs a job once, up to its budget of steps. The rows of a finished job from before the run are
 * deleted; an unfinished job is rescheduled with its progress, and a failed one with a growing
 * delay.
 */
export async function runJob(
  context: Running,
  { budget, step }: JobSteps,
  kind: string,
  id: string,
): Promise<void> {
  const storeContext = atHome(context, kind);
  const rows = (await readJobs(storeContext.store)).filter(
    ({ row }) => row.kind === kind && row.id === id,
  );
  const due = rows.filter((one) => isDue(one, storeContext.ports.now()));
  const putBack = async (wait: number, more: Pick<JobRow, "failed" | "progress">) => {
    const now = storeContext.ports.now();
    await storeContext.commit({
      // if one of them is gone, the job was cancelled
      expect: due.map(({ key, rev }) => [key, rev]),
      del: due.map(({ key }) => key),
      put: [[jobKey(now + wait, kind, id), { kind, id, planned: now, ...more }]],
    });
  };
  let progress: unknown = rows.find(({ row }) => row.progress !== undefined)?.row.progress;
  try {
    for (let steps = 0; steps < budget; steps++) {
      progress = await step(id, progress);
      if (progress === undefined) break;
    }
  } catch (error) {
    // a later version wrote to the store: its jobs are left to it
    if (error instanceof NewerFormatError) throw error;
    const before = Math.max(0, ...due.map(({ row }) => row.failed ?? 0));
    const wait = Math.min(firstWait * 2 ** before, maxWait);
    // without a row, the caller of the run reports the failure
    if (due.length > 0)
      await putBack(wait, { failed: before + 1, ...(progress === undefined ? {} : { progress }) });
    throw error;
  }
  if (progress !== undefined) await putBack(1, { progress });
  else
    await Promise.all(
      rows.map(({ key, rev }) => storeContext.commit({ expect: [[key, rev]], del: [key] })),
    );
}

/** Returns kinds and ids of the due jobs of a store. */
export async function dueJobs(
  store: Store,
  now: number,
): Promise<readonly Pick<JobRow, "kind" | "id">[]> {
  const due = (await readJobs(store, maxWaiting)).filter((one) => isDue(one, now));
  return [...new Map(due.map(({ row }) => [`${row.kind}/${row.id}`, row])).values()];
}

/** Runs a job of a kind for an id. */
export type Run = (kind: string, id: string) => Promise<void>;

/**
 * Maximum duration of a run in milliseconds; a longer one counts as lost, and the next run of its
 * kind begins.
 */
const maxRunDuration = 600_000;

interface Queue {
  /** The end of the last requested run; never rejects. */
  end: Promise<void>;
  /** Runs that have not begun yet, by id. */
  readonly waiting: Map<string, Promise<void>>;
}

/**
 * Runs jobs of several kinds in parallel, and those of one kind one after the other. Calls that
 * arrive before an equal run has begun share it, so each caller's run begins after its call. A job
 * must not wait for another one of the same kind.
 */
export function runsOf(run: Run): Run {
  const queues = new Map<string, Queue>();
  return (kind, id) => {
    const queue = queues.get(kind) ?? { end: Promise.resolve(), waiting: new Map() };
    queues.set(kind, queue);
    const shared = queue.waiting.get(id);
    if (shared) return shared;
    const ran = queue.end.then(() => {
      queue.waiting.delete(id);
      return run(kind, id);
    });
    queue.waiting.set(id, ran);
    const end = queue.end
      .then(() => endOf(ran))
      .finally(() => {
        if (queue.end === end) queues.delete(kind);
      });
    queue.end = end;
    return ran;
  };
}
/** Returns the end of a run. Its caller gets the error; the next run begins either way. */
const endOf = (ran: Promise<void>): Promise<void> =>
  withTimeout(
    ran.catch(() => undefined),
    maxRunDuration,
    () => undefined,
  );

/** Maximum number of rows per query, and of jobs of one kind that run before the next query. */
const [maxWaiting, maxPerKind] = [1000, 100];
/** Maximum time for which one kind delays the others, in ms of real time. */
const kindTimeout = 30_000;

/**
 * Runs the due jobs of a store, with their kinds in parallel, and returns when the next one is due
 * (Unix ms). A kind that takes long continues in the background.
 */
export async function runDue(
  storeContext: Pick<Running, "ports" | "store">,
  run: Run,
): Promise<number | undefined> {
  const now = storeContext.ports.now();
  const kinds = new Map<string, Set<string>>();
  for (const one of await readJobs(storeContext.store, maxWaiting)) {
    const { kind, id } = one.row;
    if (isDue(one, now)) kinds.set(kind, (kinds.get(kind) ?? new Set<string>()).add(id));
  }
  const stuck = new Set<string>();
  await Promise.all(
    [...kinds].map(async ([kind, ids]) => {
      const all = runKind(storeContext, run, kind, [...ids].slice(0, maxPerKind));
      if (!(await withTimeout(all, kindTimeout, () => false))) stuck.add(kind);
    }),
  );
  const remaining = await readJobs(storeContext.store, maxWaiting);
  const again = storeContext.ports.now() + firstWait;
  return remaining.length === 0
    ? undefined
    : Math.min(
        ...remaining.map(({ key, row }) =>
          stuck.has(row.kind) ? Math.max(jobDueTime(key), again) : jobDueTime(key),
        ),
      );
}
/** Runs jobs of one kind and reports whether all succeeded. */
async function runKind(
  { ports }: Pick<Running, "ports">,
  run: Run,
  kind: string,
  ids: readonly string[],
): Promise<boolean> {
  let all = true;
  for (const id of ids)
    try {
      await run(kind, id);
      ports.meter?.count("jobs", [kind, "done"]);
    } catch (cause) {
      all = false;
      ports.meter?.count("jobs", [kind, "failed"]);
      ports.log?.({ endpoint: `job ${kind}`, status: 500, ms: 0, cause });
    }
  return all;
}

/** A scheduled job; its key has the due time. */
interface JobRow {
  readonly kind: string;
  readonly id: string;
  /** Time when it was scheduled (Unix ms); absent in older rows. */
  readonly planned?: number;
  /** Number of failures so far. */
  readonly failed?: number;
  /** Progress to continue from; absent at the start. */
  readonly progress?: unknown;
}
/** Reads the row of a job. */
export const storedJob = rowReader<JobRow>({ kind: "", id: "" });
