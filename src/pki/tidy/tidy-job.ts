import { mountKey } from "../../engine/mount-records.ts";
import { parseMilliseconds } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { NewerFormatError } from "../../base/newer-format.ts";
import { pause } from "../../base/event-loop.ts";
import { importOnce } from "../../base/memo.ts";
import type { Job } from "../../engine/deployment.ts";
import type { Mount } from "../../engine/mount.ts";
import { commitByPlace } from "../../engine/batches-by-place.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import type { TidySettings } from "./settings.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { tidyKeys, type TidyCounts, type TidyRow } from "./records.ts";
import { endRun, isRunning, readRun, tidyKinds, tidyPlan } from "./run.ts";
import type { Sweep, SweepResult } from "./sweep.ts";

/**
 * Maximum number of rows per step. Processing this many rows blocks the store for about ten
 * milliseconds.
 */
const maxRows = 500;
/**
 * Pause between steps (ms). A request crosses between the Worker and the Durable Object several
 * times, and a step that only yielded once could delay each crossing.
 */
const room = 2;
/**
 * Placeholder for the progress of the job. A run stores its progress in its own row, together with
 * its changes.
 */
const unfinished = true;

/** Loads the sweeps, which are only needed during a run. */
const loadSweeps = importOnce(() => import("./sweeps.ts"));

/** The job that performs the steps of the current run. */
export const tidyJob: Job = {
  kind: tidyKinds.run,
  of: "mount",
  budget: 100,
  step: async (mount) => {
    await pause(room);
    const run = await readRun(mount);
    if (!run || !isRunning(run)) return undefined;
    const config = await mount.config();
    if (run.value.state === "Cancelling") return end(mount, run, { state: "Cancelled" });
    const step = await next(mount, config, run).catch((error: unknown) => failed(mount, error));
    if ("error" in step) return end(mount, run, { state: "Error", error: step.error });
    if (!step.sweep) return end(mount, step.run, { state: "Finished" });
    return commit(mount, config, step.run, step);
  },
};

/** A step of a run, with the updated row of the run. */
interface StepResult {
  readonly run: Row<TidyRow>;
  /** The sweep to which the step belongs; undefined when nothing is left to do. */
  readonly sweep: Sweep | undefined;
  readonly swept: SweepResult;
}
/**
 * Performs steps up to one that changes something or is not the last of its sweep, and returns that
 * step.
 */
async function next(
  mount: Mount,
  config: Snapshot,
  { value, rev }: Row<TidyRow>,
): Promise<StepResult> {
  const { settings } = value;
  const now = Math.min(mount.ports.now(), value.started);
  const limit = Math.min(settings.page_size, maxRows);
  const { sweeps } = await loadSweeps();
  const remaining = (stage: string) => remainingSweeps(sweeps, settings, stage);
  let run = value;
  for (const sweep of remaining(run.stage)) {
    const at = run.stage === sweep.name ? (run.at ?? undefined) : undefined;
    const { counts } = run;
    const swept = await sweep.step({ mount, config, settings, now, counts, rev, at, limit });
    const [, following] = remaining(sweep.name);
    run = {
      ...run,
      stage: swept.at === undefined ? (following?.name ?? ended) : sweep.name,
      at: swept.at ?? null,
      message: swept.message,
      counts: sum(counts, swept.counts),
    };
    if (swept.at !== undefined || changes(swept.batch))
      return { run: { value: run, rev }, sweep, swept };
  }
  return { run: { value: run, rev }, sweep: undefined, swept: { message: "" } };
}
/** The stage of a run after the last sweep. */
const ended = "ended";
/** Returns the requested sweeps of a run, starting at the given stage. */
const remainingSweeps = (
  sweeps: readonly Sweep[],
  settings: TidySettings,
  stage: string,
): readonly Sweep[] => {
  if (stage === ended) return [];
  const from = sweeps.findIndex(({ name }) => name === stage);
  return sweeps.slice(Math.max(0, from)).filter(({ name }) => settings[name]);
};
const changes = ({ put = [], del = [] }: Batch = {}): boolean => put.length + del.length > 0;

/** Commits a step. If a concurrent change prevents this, the step is performed again. */
async function commit(
  mount: Mount,
  config: Snapshot,
  { value, rev }: Row<TidyRow>,
  { swept: { batch = {} } }: StepResult,
): Promise<unknown> {
  const now = mount.ports.now();
  const wait = value.stage === ended ? 0 : (parseMilliseconds(value.settings.pause_duration) ?? 0);
  const whole: Batch = {
    ...batch,
    expect: [[tidyKeys.run, rev], [mountKey, config.mountRev], ...(batch.expect ?? [])],
    put: [
      ...(batch.put ?? []),
      [tidyKeys.run, value],
      ...(wait > 0 ? [tidyPlan("run", now + wait, now)] : []),
    ],
  };
  // in a partitioned mount, the row of the run is committed last: if the process stops before that,
  // the step is performed again
  const done = await commitByPlace(mount.storeContext, whole);
  if (!done || batch.epoch !== undefined) mount.forget();
  return done && wait > 0 ? undefined : unfinished;
}

const sum = (counts: TidyCounts, more: Partial<TidyCounts> = {}): TidyCounts => {
  const all: Record<keyof TidyCounts, number> = { ...counts };
  // `more` only has names of counts
  for (const name of Object.keys(more) as (keyof TidyCounts)[]) all[name] += more[name] ?? 0;
  return all;
};

/**
 * Returns the message of an error that ends the run. Rethrows errors such as storage failures, so
 * that the job is retried.
 */
function failed(mount: Mount, error: unknown): { readonly error: string } {
  if (error instanceof NewerFormatError) throw error;
  if (error instanceof CaError) {
    if (error.code === "storage" || error.code === "busy" || error.code === "no_route") throw error;
    return { error: error.message };
  }
  mount.ports.log?.({ endpoint: `job ${tidyKinds.run}`, status: 500, ms: 0, cause: error });
  return { error: "internal error" };
}

/**
 * Ends a run. Schedules the next run according to the current configuration, which may have changed
 * during the run.
 */
async function end(
  mount: Mount,
  run: Row<TidyRow>,
  how: Parameters<typeof endRun>[3],
): Promise<unknown> {
  const done = await mount.decide(async (config) => {
    const [stored] = await mount.store.get([tidyKeys.run]);
    if (stored?.rev !== run.rev) return { reply: undefined };
    const { ended: row, batch } = await endRun(mount, config, run, how);
    return { reply: { row, path: config.mount.path }, batch };
  });
  if (!done) return unfinished;
  const { counts, started, finished, automatic } = done.row;
  mount.ports.log?.({
    endpoint: `job ${tidyKinds.run}`,
    status: how.state === "Error" ? 500 : 200,
    time: started,
    ms: (finished ?? started) - started,
    mount: done.path,
    fields: { state: how.state, automatic, ...counts },
  });
  return undefined;
}
