import { NewerFormatError } from "../base/newer-format.ts";
import { jobDueTime, jobKey, jobPrefix } from "../base/row-keys.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Batch, Committed, Page, Ports, Store } from "./ports.ts";
import { rowReader } from "./row-reader.ts";

/**
 * The work of jobs of one kind, as a series of steps. `P` is the type of progress that one step
 * passes to the next.
 */
export interface Steps<On, P = unknown> {
  readonly kind: string;
  /** Maximum number of steps per run. The next run continues from the progress of the last step. */
  readonly budget: number;
  /**
   * Runs the next step. `progress` is the result of the previous step, undefined at first. Returns
   * JSON data from which the next step continues, or undefined when the job is done. A host may
   * stop at any point, and the job then resumes from the progress that the last run stored.
   * Therefore a step must read the current rows, and must be idempotent. A job that is run before
   * its due time reschedules itself.
   */
  step(on: On, id: string, progress: P | undefined): Promise<P | undefined>;
  /**
   * Returns keys that together cover all partitions in which the job's rows may be. If absent, or
   * if it returns undefined, the rows may be in any partition.
   */
  beside?(on: Pick<Running, "store">, id: string): Promise<readonly string[] | undefined>;
}
/** The steps of a job, bound to a store context. */
export interface JobSteps {
  readonly budget: number;
  step(id: string, progress: unknown): Promise<unknown>;
  beside?(id: string): Promise<readonly string[] | undefined>;
}
/** The parts of a store context that jobs use. */
interface Running {
  readonly ports: Ports;
  readonly store: Store;
  commit(batch: Batch): Promise<Committed | undefined>;
}

/** The due time of a job, and the time at which it was scheduled (Unix ms). */
export interface PlannedJob {
  readonly due: number;
  readonly now: number;
}
/** Returns the row of a job, to be put in the batch of the change that makes the job necessary. */
export const jobRow = (
  { due, now }: PlannedJob,
  kind: string,
  id: string,
): readonly [key: string, value: JobRow] => [jobKey(due, kind, id), { kind, id, planned: now }];
/**
 * Returns the keys of a job's rows. Deleting these rows, in the batch of the change that makes the
 * job unnecessary, cancels the job. A run in progress finishes its budget, and the job is not
 * rescheduled.
 */
export async function jobKeys(store: Store, kind: string, id: string): Promise<readonly string[]> {
  const rows = await (homeOf(store, kind) ?? store).list(jobPrefix, { values: false });
  const keys: string[] = [];
  for (const [key] of rows) if (key.endsWith(`/${kind}/${id}`)) keys.push(key);
  return keys;
}

/** Asks the host to wake up for the jobs in a committed batch. */
export function wakeFor(ports: Ports, batch: Batch): void {
  if (!ports.wake || !batch.put) return;
  let due: number | undefined;
  for (const row of batch.put)
    if (row[0].startsWith(jobPrefix)) due = Math.min(due ?? Infinity, jobDueTime(row[0]));
  if (due !== undefined) ports.wake(due);
}

/** The row of a job with its key and revision. */
interface JobRevision {
  readonly key: string;
  readonly rev: number;
  readonly row: JobRow;
}
const readJobs = async (store: Store, page: Page): Promise<readonly JobRevision[]> =>
  (await store.list(jobPrefix, page)).map(([key, { rev, value }]) => ({
    key,
    rev,
    row: storedJob(value),
  }));

/**
 * Returns the mount's own store if it contains all jobs of the given kind, to save calls to the
 * other partitions' stores.
 */
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

/**
 * Reads the jobs of all partitions, or only those in the mount's own store if another partition
 * cannot be read. The job rows there then stay, and run the job once more.
 */
const readReachable = (store: Store, page: Page): Promise<readonly JobRevision[]> =>
  readJobs(store, page).catch((error: unknown) => {
    const [home] = store.partitions ?? [];
    if (!home) throw error;
    return readJobs(home, {});
  });

/** Maximum clock skew within a deployment, in ms. */
const clockSkew = 60_000;
/**
 * Reports whether a job is due. A job is also due if the clock was far ahead when it was scheduled.
 */
const isDue = ({ key, row: { planned } }: JobRevision, now: number): boolean =>
  jobDueTime(key) <= now || (planned !== undefined && planned > now + clockSkew);
/**
 * Delay after the first failed run, in ms. It doubles with each further failure, up to the maximum.
 */
export const firstWait = 30_000;
const maxWait = 600_000;

/**
 * Runs a job once, up to its budget of steps. If the job is done, deletes the rows that it had
 * before the run. An unfinished job is rescheduled with its progress, and a failed job with a
 * growing delay.
 */
export async function runJob(
  context: Running,
  { budget, step, beside }: JobSteps,
  kind: string,
  id: string,
): Promise<void> {
  const storeContext = atHome(context, kind);
  const page = storeContext === context ? { beside: await beside?.(id) } : {};
  const rows = (await readReachable(storeContext.store, page)).filter(
    ({ row }) => row.kind === kind && row.id === id,
  );
  const due = rows.filter((one) => isDue(one, storeContext.ports.now()));
  const putBack = async (wait: number, more: Pick<JobRow, "failed" | "progress">) => {
    const now = storeContext.ports.now();
    const put = [[jobKey(now + wait, kind, id), { kind, id, planned: now, ...more }]] as const;
    if (due.length === 0) await storeContext.commit({ put });
    // if these rows are gone, the job was cancelled; another process may have completed one of them
    for (const { key, rev } of due)
      await storeContext.commit({ expect: [[key, rev]], del: [key], put });
  };
  let progress: unknown = rows.find(({ row }) => row.progress !== undefined)?.row.progress;
  try {
    for (let steps = 0; steps < budget; steps++) {
      progress = await step(id, progress);
      if (progress === undefined) break;
    }
  } catch (error) {
    // a later version has migrated the store, and runs the jobs
    if (error instanceof NewerFormatError) throw error;
    const before = Math.max(0, ...due.map(({ row }) => row.failed ?? 0));
    const wait = Math.min(firstWait * 2 ** before, maxWait);
    // a job without due rows is not retried: its caller reports the failure
    if (due.length > 0)
      await putBack(wait, { failed: before + 1, ...(progress === undefined ? {} : { progress }) });
    throw error;
  }
  if (progress !== undefined) await putBack(1, { progress });
  else await deleteRows(storeContext, rows);
}

/** A due job, and its due rows. */
interface DueJob extends Pick<JobRow, "kind" | "id"> {
  readonly rows: readonly JobRevision[];
}
/** Returns a store's due jobs. */
export async function dueJobs(store: Store, now: number): Promise<readonly DueJob[]> {
  const due = (await readJobs(store, waiting)).filter((one) => isDue(one, now));
  const jobs = new Map<string, DueJob>();
  for (const one of due) {
    const { kind, id } = one.row;
    const { rows = [] } = jobs.get(`${kind}/${id}`) ?? {};
    jobs.set(`${kind}/${id}`, { kind, id, rows: [...rows, one] });
  }
  return [...jobs.values()];
}
/**
 * Deletes the rows of a job that has run, if they are unchanged. Job rows do not move when the
 * mount gets more partitions, so a run may not find rows from before that. Its caller, which found
 * them, deletes them with this function.
 */
export async function deleteRows(
  store: Pick<Running, "commit">,
  rows: readonly Pick<JobRevision, "key" | "rev">[],
): Promise<void> {
  await Promise.all(rows.map(({ key, rev }) => store.commit({ expect: [[key, rev]], del: [key] })));
}

/** Runs the job with the given kind and ID. */
export type Run = (kind: string, id: string) => Promise<void>;

/**
 * Maximum duration of a run in ms. A longer run counts as lost, and the next run of the same kind
 * begins.
 */
const maxRunDuration = 600_000;

interface Queue {
  /** Resolves at the end of the last requested run; never rejects. */
  end: Promise<void>;
  /** Runs that have not begun yet, by job ID. */
  readonly waiting: Map<string, Promise<void>>;
}

/**
 * Returns a function that runs jobs of different kinds in parallel, and jobs of one kind one after
 * the other. Calls for the same job share a run that has not begun yet, so each caller's run begins
 * after its call. A job must not wait for another job of the same kind.
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
/**
 * Resolves at the end of a run or after its maximum duration. Never rejects, because only the
 * caller of the run gets the error, and the next run begins in either case.
 */
const endOf = (ran: Promise<void>): Promise<void> =>
  withTimeout(
    ran.catch(() => undefined),
    maxRunDuration,
    () => undefined,
  );

/** Maximum number of rows per query, and of jobs of one kind to run before the next query. */
const [waiting, maxPerKind] = [{ limit: 1000 }, 100] as const;
/** Maximum time for which the jobs of one kind delay the result of `runDue`, in ms of real time. */
const kindTimeout = 30_000;

/**
 * Runs the due jobs of a store, with the kinds in parallel, and returns the time at which the next
 * job is due (Unix ms). Kinds that take more than 30 seconds continue in the background.
 */
export async function runDue(
  storeContext: Pick<Running, "ports" | "store">,
  run: Run,
): Promise<number | undefined> {
  const { ports, store } = storeContext;
  const jobs = await dueJobs(store, ports.now());
  const stuck = new Set<string>();
  const done = new Set<string>();
  await Promise.all(
    [...new Set(jobs.map(({ kind }) => kind))].map(async (kind) => {
      const some = jobs.filter((one) => one.kind === kind).slice(0, maxPerKind);
      const all = runKind(storeContext, run, some, done);
      if (!(await withTimeout(all, kindTimeout, () => false))) stuck.add(kind);
    }),
  );
  const left = await readJobs(store, waiting);
  const isDone = (one: JobRevision): boolean => done.has(revisionOf(one));
  await deleteRows(store, left.filter(isDone));
  const remaining = left.filter((one) => !isDone(one));
  const again = ports.now() + firstWait;
  return remaining.length === 0
    ? undefined
    : Math.min(
        ...remaining.map(({ key, row }) =>
          stuck.has(row.kind) ? Math.max(jobDueTime(key), again) : jobDueTime(key),
        ),
      );
}
const revisionOf = ({ key, rev }: JobRevision): string => `${rev} ${key}`;
/**
 * Runs jobs of one kind and reports whether all of them succeeded. Adds the due rows of those that
 * did to `done`.
 */
async function runKind(
  { ports }: Pick<Running, "ports">,
  run: Run,
  jobs: readonly DueJob[],
  done: Set<string>,
): Promise<boolean> {
  let all = true;
  for (const { kind, id, rows } of jobs)
    try {
      await run(kind, id);
      for (const row of rows) done.add(revisionOf(row));
      ports.meter?.count("jobs", [kind, "done"]);
    } catch (cause) {
      all = false;
      ports.meter?.count("jobs", [kind, "failed"]);
      ports.log?.({ endpoint: `job ${kind}`, status: 500, ms: 0, cause });
    }
  return all;
}

/** A scheduled job. The due time is in the row's key. */
interface JobRow {
  readonly kind: string;
  readonly id: string;
  /** Time at which the job was scheduled (Unix ms); absent in older rows. */
  readonly planned?: number;
  /** Number of consecutive failed runs. */
  readonly failed?: number;
  /** Progress from which the next run continues; absent at first. */
  readonly progress?: unknown;
}
/** Parses the row of a job. */
export const storedJob = rowReader<JobRow>({ kind: "", id: "" });
