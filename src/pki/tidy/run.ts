import type { Mount } from "../../engine/mount.ts";
import { jobKeys, jobRow } from "../../engine/jobs.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import { keys } from "../../engine/records.ts";
import type { AutoTidyConfig, TidySettings } from "../../engine/settings.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { noTidyCounts, storedTidy, tidyKeys, type TidyRow } from "./records.ts";

/** Kinds of the jobs of tidy. */
export const tidyKinds = { run: "tidy", automatic: "tidy-auto", count: "tidy-count" } as const;
/** The id of each of them: a mount has one of a kind. */
const tidyId = "mount";
/** The row of a job of tidy. */
export const tidyPlan = (
  kind: keyof typeof tidyKinds,
  due: number,
  now: number,
): ReturnType<typeof jobRow> => jobRow({ due, now }, tidyKinds[kind], tidyId);
/** The keys of the jobs of tidy of a kind that wait. */
export const tidyJobs = (ca: Mount, kind: keyof typeof tidyKinds): Promise<readonly string[]> =>
  jobKeys(ca.store, tidyKinds[kind], tidyId);

/** The run that is under way, else the last one. */
export async function readRun(ca: Mount): Promise<Row<TidyRow> | undefined> {
  const [row] = await ca.store.get([tidyKeys.run]);
  return row && { value: storedTidy.run(row.value), rev: row.rev };
}
/** Whether a run is under way. */
export const isUnderWay = (run: Row<TidyRow> | undefined): boolean =>
  run?.value.state === "Running" || run?.value.state === "Cancelling";

/** The change that begins a run; `last`: the run before it. */
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
      [keys.mount, config.mountRev],
    ],
    put: [[tidyKeys.run, run], tidyPlan("run", now, now)],
  };
}

/** A run shorter than this is not followed by the next automatic one at once, seconds. */
const minInterval = 60;
/**
 * When the next automatic run may begin, Unix milliseconds: the interval after the end of the last
 * run, whoever began that. A last run that ended ahead of the clock says nothing.
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

/** The change that ends a run, and plans what follows it. */
export async function endRun(
  ca: Mount,
  { autoTidy }: Snapshot,
  { value: run, rev }: Row<TidyRow>,
  how: { readonly state: "Finished" | "Cancelled" | "Error"; readonly error?: string },
): Promise<{ readonly ended: TidyRow; readonly batch: Batch }> {
  const now = ca.ports.now();
  const ended: TidyRow = {
    ...run,
    state: how.state,
    error: how.error ?? null,
    finished: now,
    message: null,
    ...(run.automatic ? { last_auto: now } : {}),
  };
  const planned = await tidyJobs(ca, "automatic");
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
