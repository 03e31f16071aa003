import { mountKey } from "../../engine/mount-records.ts";
import { autoTidyConfig, type AutoTidyConfig, type TidySettings } from "./settings.ts";
import type { Mount } from "../../engine/mount.ts";
import { jobKeys, jobRow } from "../../engine/jobs.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { noTidyCounts, storedTidy, tidyKeys, type TidyRow } from "./records.ts";

/** Kinds of tidy jobs. */
export const tidyKinds = { run: "tidy", automatic: "tidy-auto", count: "tidy-count" } as const;
/** The ID of tidy jobs, of which a mount has one per kind. */
const tidyId = "mount";
/** Returns the row that schedules a tidy job. */
export const tidyPlan = (
  kind: keyof typeof tidyKinds,
  due: number,
  now: number,
): ReturnType<typeof jobRow> => jobRow({ due, now }, tidyKinds[kind], tidyId);
/** Returns the keys of scheduled tidy jobs of the given kind. */
export const tidyJobs = (mount: Mount, kind: keyof typeof tidyKinds): Promise<readonly string[]> =>
  jobKeys(mount.store, tidyKinds[kind], tidyId);

/** Reads the current run, or else the last one. */
export async function readRun(mount: Mount): Promise<Row<TidyRow> | undefined> {
  const [row] = await mount.store.get([tidyKeys.run]);
  return row && { value: storedTidy.run(row.value), rev: row.rev };
}
/** Reports whether a run is active. A run that is being cancelled is active too. */
export const isRunning = (run: Row<TidyRow> | undefined): boolean =>
  run?.value.state === "Running" || run?.value.state === "Cancelling";

/** Returns the change that starts a run. `last` is the previous run. */
export function beginRun(
  config: Snapshot,
  last: Row<TidyRow> | undefined,
  settings: TidySettings,
  { now, automatic }: { readonly now: number; readonly automatic: boolean },
): Batch {
  const run: TidyRow = {
    state: "Running",
    settings,
    automatic,
    started: now,
    finished: null,
    last_auto: last?.value.last_auto ?? null,
    error: null,
    message: "Tidying: about to begin",
    stage: "",
    counts: noTidyCounts,
  };
  return {
    expect: [
      [tidyKeys.run, last?.rev ?? null],
      [mountKey, config.mountRev],
    ],
    put: [[tidyKeys.run, run], tidyPlan("run", now, now)],
  };
}

/** Minimum interval between automatic runs (seconds). */
const minInterval = 60;
/**
 * Returns the time at which the next automatic run may start (Unix ms): an interval after the end
 * of the last run of any kind. Ignores an end in the future, which comes from a clock that was
 * ahead.
 */
export function nextAutomatic(
  { interval_duration: interval }: Pick<AutoTidyConfig, "interval_duration">,
  last: TidyRow | undefined,
  now: number,
): number {
  const ended = last?.finished ?? undefined;
  if (ended === undefined || ended > now) return now;
  return Math.max(now, ended + Math.max(interval, minInterval) * 1000);
}

/** Returns the change that ends a run, and schedules the next automatic run and the next count. */
export async function endRun(
  mount: Mount,
  config: Snapshot,
  { value: run, rev }: Row<TidyRow>,
  how: { readonly state: "Finished" | "Cancelled" | "Error"; readonly error?: string },
): Promise<{ readonly ended: TidyRow; readonly batch: Batch }> {
  const now = mount.ports.now();
  const ended: TidyRow = {
    ...run,
    state: how.state,
    error: how.error ?? null,
    finished: now,
    message: null,
    ...(run.automatic ? { last_auto: now } : {}),
  };
  const planned = await tidyJobs(mount, "automatic");
  const autoTidy = config.get(autoTidyConfig);
  const next = autoTidy.enabled
    ? [tidyPlan("automatic", nextAutomatic(autoTidy, ended, now), now)]
    : [];
  const count = autoTidy.maintain_stored_certificate_counts ? [tidyPlan("count", now, now)] : [];
  return {
    ended,
    batch: {
      expect: [[tidyKeys.run, rev]],
      del: planned,
      put: [[tidyKeys.run, ended], ...next, ...count],
    },
  };
}
