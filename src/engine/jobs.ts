import { NewerFormatError } from "../base/newer-format.ts";
import { jobDueTime, jobPrefix } from "../base/job-key.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Batch, Ports, Store } from "./ports.ts";
import { keys } from "./records.ts";
import type { Run } from "./runs.ts";
import { rowReader } from "./row-reader.ts";

/** Work of one kind on something, as a row of steps. `P`: what a step gives to the next. */
export interface Steps<On, P = unknown> {
  readonly kind: string;
  /** Most steps of one run. What is left then waits, with its progress, for the next run. */
  readonly budget: number;
  /**
   * Takes the next step. `progress`: what the step before gave, undefined at first. Gives JSON data
   * from which to go on, or undefined when all is done. A host may end at any point, and the job
   * then begins again at the progress of the last run: a step starts from the rows as they are, and
   * taking it twice does no harm. A job whose time has not come yet plans itself again.
   */
  step(on: On, id: string, progress: P | undefined): Promise<P | undefined>;
}
/** The same, of one store context. */
export interface JobSteps {
  readonly budget: number;
  step(id: string, progress: unknown): Promise<unknown>;
}
/** What jobs need of the store context that runs them. */
interface Running {
  readonly ports: Ports;
  readonly store: Store;
  commit(batch: Batch): Promise<unknown>;
}

/** When a job is to run, and when that was planned: Unix milliseconds. */
export interface PlannedJob {
  readonly due: number;
  readonly now: number;
}
/** The row of a job, to be put in the batch of the change that needs it. */
export const jobRow = (
  { due, now }: PlannedJob,
  kind: string,
  id: string,
): readonly [key: string, value: JobRow] => [keys.job(due, kind, id), { kind, id, planned: now }];
/**
 * The keys of the rows of a job. Deleting them cancels it, in the batch of the change that makes it
 * needless: a run of it that is under way ends with its budget and is not put back.
 */
export async function jobKeys(store: Store, kind: string, id: string): Promise<readonly string[]> {
  const rows = await store.list(jobPrefix, { values: false });
  return rows.map(([key]) => key).filter((key) => key.endsWith(`/${kind}/${id}`));
}

/** Sets the clock for the jobs of a batch that was committed. */
export function wakeFor(ports: Ports, batch: Batch): void {
  const due = batch.put?.flatMap(([key]) => (key.startsWith(jobPrefix) ? [jobDueTime(key)] : []));
  if (due?.length) ports.wake?.(Math.min(...due));
}

/** A row of a job, as it was read. */
interface Waiting {
  readonly key: string;
  readonly rev: number;
  readonly row: JobRow;
}
const waitingIn = async (store: Store, limit?: number): Promise<readonly Waiting[]> =>
  (await store.list(jobPrefix, limit === undefined ? {} : { limit })).map(
    ([key, { rev, value }]) => ({
      key,
      rev,
      row: storedJob(value),
    }),
  );

/** How far apart the clocks of one deployment may be, milliseconds. */
const clockSkew = 60_000;
/** Whether a job is due. One waits in vain that was planned by a clock which was ahead. */
const isDue = ({ key, row: { planned } }: Waiting, now: number): boolean =>
  jobDueTime(key) <= now || (planned !== undefined && planned > now + clockSkew);
/** How long a job that failed waits, milliseconds: twice as long each time, up to the most. */
const [firstWait, maxWait] = [30_000, 600_000];

/**
 * One run of a job: as many steps as its budget allows. When all is done, the rows go that asked
 * for it when the run began; what is left is put back with its progress, and what failed for later,
 * and later each time.
 */
export async function runJob(
  storeContext: Running,
  { budget, step }: JobSteps,
  kind: string,
  id: string,
): Promise<void> {
  const asked = (await waitingIn(storeContext.store)).filter(
    ({ row }) => row.kind === kind && row.id === id,
  );
  const due = asked.filter((one) => isDue(one, storeContext.ports.now()));
  const putBack = async (wait: number, more: Pick<JobRow, "failed" | "progress">) => {
    const now = storeContext.ports.now();
    await storeContext.commit({
      // where one of them is gone the job was cancelled
      expect: due.map(({ key, rev }) => [key, rev]),
      del: due.map(({ key }) => key),
      put: [[keys.job(now + wait, kind, id), { kind, id, planned: now, ...more }]],
    });
  };
  let progress: unknown = asked.find(({ row }) => row.progress !== undefined)?.row.progress;
  try {
    for (let taken = 0; taken < budget; taken++) {
      progress = await step(id, progress);
      if (progress === undefined) break;
    }
  } catch (error) {
    // nothing is written where a later version has: its jobs are for that one
    if (error instanceof NewerFormatError) throw error;
    const before = Math.max(0, ...due.map(({ row }) => row.failed ?? 0));
    const wait = Math.min(firstWait * 2 ** before, maxWait);
    // whoever ran it without a row of it learns of the failure
    if (due.length > 0)
      await putBack(wait, { failed: before + 1, ...(progress === undefined ? {} : { progress }) });
    throw error;
  }
  if (progress !== undefined) await putBack(1, { progress });
  else
    await Promise.all(
      asked.map(({ key, rev }) => storeContext.commit({ expect: [[key, rev]], del: [key] })),
    );
}

/** Most rows that one look sees, and most jobs of one kind that run before the next look. */
const [perLook, perKind] = [1000, 100];
/** How long a kind may keep the others waiting, milliseconds of real time. */
const patience = 30_000;

/**
 * Runs the due jobs of a store, their kinds in parallel, and returns when the next one is due, Unix
 * milliseconds. A kind that takes long continues in the background.
 */
export async function runDue(storeContext: Running, run: Run): Promise<number | undefined> {
  const now = storeContext.ports.now();
  const kinds = new Map<string, Set<string>>();
  for (const one of await waitingIn(storeContext.store, perLook)) {
    const { kind, id } = one.row;
    if (isDue(one, now)) kinds.set(kind, (kinds.get(kind) ?? new Set<string>()).add(id));
  }
  const stuck = new Set<string>();
  await Promise.all(
    [...kinds].map(async ([kind, ids]) => {
      const all = runKind(storeContext, run, kind, [...ids].slice(0, perKind));
      if (!(await withTimeout(all, patience, () => false))) stuck.add(kind);
    }),
  );
  const left = await waitingIn(storeContext.store, perLook);
  const again = storeContext.ports.now() + firstWait;
  return left.length === 0
    ? undefined
    : Math.min(
        ...left.map(({ key, row }) =>
          stuck.has(row.kind) ? Math.max(jobDueTime(key), again) : jobDueTime(key),
        ),
      );
}
/** Whether all of them came to an end without a failure. */
async function runKind(
  { ports }: Running,
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

/** A job that waits; its key says when it is due. */
export interface JobRow {
  readonly kind: string;
  readonly id: string;
  /**
   * By which clock it waits: the time when it was put, Unix milliseconds. Absent in rows of before.
   */
  readonly planned?: number;
  /** How often it has failed. */
  readonly failed?: number;
  /** Where it goes on; absent where it begins. */
  readonly progress?: unknown;
}
/** Reads the row of a job. */
export const storedJob = rowReader<JobRow>({ kind: "", id: "" });
