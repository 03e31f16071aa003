import {
  autoTidyConfig,
  tidyDefaults,
  type AutoTidyConfig,
  type TidySettings,
} from "./settings.ts";
import { goDuration, parseMilliseconds } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { jobDueTime } from "../../base/row-keys.ts";
import type { Job } from "../../engine/deployment.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, Ports } from "../../engine/ports.ts";
import { keys } from "../rows/records.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { flag, seconds, signedSeconds, type Parsed } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import {
  toSettingsReply,
  sweepList,
  sweepNames,
  tidyChanges,
  tidyReply,
  safetyBuffers,
} from "./fields.ts";
import { tidyKeys } from "./records.ts";
import {
  beginRun,
  isRunning,
  nextAutomatic,
  readRun,
  tidyJobs,
  tidyKinds,
  tidyPlan,
} from "./run.ts";
import { checkPageSize } from "./tidy.ts";

const docs = {
  enabled: "Whether tidy runs automatically.",
  interval_duration:
    "Time between the end of a run and the start of the next run, at least one minute.",
  min_startup_backoff_duration: "Minimum delay before the first run.",
  max_startup_backoff_duration: "Maximum delay before the first run.",
  maintain_stored_certificate_counts:
    "Whether to count stored and revoked certificates, for `tidy-status`.",
  publish_stored_certificate_count_metrics: "Whether to log each count.",
} as const;

const autoTidyReply = {
  enabled: flag.required(docs.enabled),
  interval_duration: seconds.required(docs.interval_duration),
  min_startup_backoff_duration: seconds.required(docs.min_startup_backoff_duration),
  max_startup_backoff_duration: seconds.required(docs.max_startup_backoff_duration),
  ...tidyReply,
  maintain_stored_certificate_counts: flag.required(docs.maintain_stored_certificate_counts),
  publish_stored_certificate_count_metrics: flag.required(
    docs.publish_stored_certificate_count_metrics,
  ),
} as const;
const autoTidyChanges = {
  enabled: flag.optional(docs.enabled),
  interval_duration: signedSeconds.optional(docs.interval_duration),
  min_startup_backoff_duration: signedSeconds.optional(docs.min_startup_backoff_duration),
  max_startup_backoff_duration: signedSeconds.optional(docs.max_startup_backoff_duration),
  ...tidyChanges,
  maintain_stored_certificate_counts: flag.optional(docs.maintain_stored_certificate_counts),
  publish_stored_certificate_count_metrics: flag.optional(
    docs.publish_stored_certificate_count_metrics,
  ),
} as const;

export const readAutoTidy = endpoint({
  id: "readAutoTidy",
  at: ["GET /config/auto-tidy"],
  access: "token",
  style: envelope,
  doc: "Reads the settings of automatic tidy.",
  body: {},
  reply: autoTidyReply,
  run: async (mount) => configOutput((await mount.config()).get(autoTidyConfig)),
});

export const writeAutoTidy = endpoint({
  id: "writeAutoTidy",
  at: ["POST /config/auto-tidy"],
  access: "token",
  style: envelope,
  doc: "Updates the settings of automatic tidy. Omitted fields keep their values.",
  body: autoTidyChanges,
  reply: autoTidyReply,
  refuses: ["invalid_field", "malformed"],
  run: (mount, input) =>
    mount.configure(async (config) => {
      const next = changed(config.get(autoTidyConfig), input);
      const key = keys.config("auto-tidy");
      const current = config.get(autoTidyConfig);
      const [runs, counts] = [
        await planned(mount, current, next),
        await counting(mount, current, next),
      ];
      return {
        reply: configOutput(next),
        batch: {
          expect: [[key, config.rev(key)]],
          del: [...runs.del, ...counts.del],
          put: [[key, next], ...runs.put, ...counts.put],
        },
      };
    }),
});

const configOutput = (config: AutoTidyConfig) => ({ ...config, ...toSettingsReply(config) });

/**
 * Returns the configuration with the changes in a request (B 3.2). Throws `malformed` if a value is
 * invalid or settings contradict each other.
 */
function changed(
  current: AutoTidyConfig,
  { tidy_revocation_list: alias, pause_duration: pause, ...input }: Parsed<typeof autoTidyChanges>,
): AutoTidyConfig {
  const changes = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  );
  const revoked = input.tidy_revoked_certs ?? alias ?? current.tidy_revoked_certs;
  const next: AutoTidyConfig = { ...current, ...changes, tidy_revoked_certs: revoked };
  checkSpans(next);
  checkPageSize(next.page_size);
  if (next.enabled && !sweepNames.some((name) => next[name]))
    throw new CaError(
      "malformed",
      `Auto-tidy enabled but no tidy operations were requested. Enable at least one tidy operation to be run (${sweepList}).`,
    );
  if (next.publish_stored_certificate_count_metrics && !next.maintain_stored_certificate_counts)
    throw new CaError(
      "malformed",
      "Can not publish a running storage metrics count to metrics without first maintaining that count. Enable `maintain_stored_certificate_counts` to enable `publish_stored_certificate_count_metrics`.",
    );
  return pause === undefined ? next : { ...next, pause_duration: readPause(pause) };
}
function checkSpans(next: AutoTidyConfig): void {
  const refuse = (text: string): never => {
    throw new CaError("malformed", text);
  };
  for (const name of [
    "interval_duration",
    "min_startup_backoff_duration",
    "max_startup_backoff_duration",
    "revocation_queue_safety_buffer",
  ] as const)
    if (next[name] < 0)
      refuse(`given ${name} must be greater than or equal to zero seconds; got: ${next[name]}`);
  for (const name of safetyBuffers)
    if ((next[name] ?? 1) < 1)
      refuse(`given ${name} must be at least one second; got: ${next[name]}`);
  const [min, max] = [next.min_startup_backoff_duration, next.max_startup_backoff_duration];
  if (min > max)
    refuse(
      `given min_startup_backoff_duration must not be greater than max_startup_backoff_duration; got: ${min} and ${max}`,
    );
}
function readPause(text: string): string {
  const pause = parseMilliseconds(text);
  if (pause === undefined || pause < 0)
    throw new CaError(
      "malformed",
      `unable to parse given pause_duration: ${pause === undefined ? "invalid" : "negative"} duration "${text.slice(0, 128)}"`,
    );
  return goDuration(pause / 1000);
}

/**
 * Returns the jobs for automatic runs that a configuration change schedules and cancels. If tidy
 * was disabled before, schedules a run even if a job is already waiting: that job may have seen
 * tidy disabled, and be about to end.
 */
async function planned(
  mount: Mount,
  current: AutoTidyConfig,
  next: AutoTidyConfig,
): Promise<Changed> {
  const now = mount.ports.now();
  const waiting = await tidyJobs(mount, "automatic");
  if (!next.enabled) return { del: waiting, put: [] };
  const from = nextAutomatic(next, (await readRun(mount))?.value, now);
  const latest = from > now ? from : now + next.max_startup_backoff_duration * 1000;
  // writing the same configuration repeatedly must not postpone the run
  if (current.enabled && waiting.some((key) => jobDueTime(key) <= latest))
    return { del: [], put: [] };
  const due = from > now ? from : now + backoff(mount.ports, next);
  return { del: waiting, put: [tidyPlan("automatic", due, now)] };
}
/** Returns the jobs for counting certificates that a configuration change schedules and cancels. */
async function counting(
  mount: Mount,
  current: AutoTidyConfig,
  next: AutoTidyConfig,
): Promise<Changed> {
  const now = mount.ports.now();
  const waiting = await tidyJobs(mount, "count");
  if (!next.maintain_stored_certificate_counts)
    return { del: [...waiting, tidyKeys.totals], put: [] };
  const isPlanned = current.maintain_stored_certificate_counts && waiting.length > 0;
  return { del: [], put: isPlanned ? [] : [tidyPlan("count", now, now)] };
}
type Changed = Required<Pick<Batch, "put" | "del">>;

/** Returns a random delay before the first run (ms). */
function backoff({ random }: Pick<Ports, "random">, config: AutoTidyConfig): number {
  const [min, max] = [config.min_startup_backoff_duration, config.max_startup_backoff_duration];
  const fraction = new DataView(random(4).slice().buffer).getUint32(0) / 2 ** 32;
  return Math.floor((min + fraction * (max - min)) * 1000);
}

/** The job that starts an automatic run when one is due, and otherwise reschedules itself. */
export const autoTidyJob: Job = {
  kind: tidyKinds.automatic,
  of: "mount",
  budget: 1,
  step: (mount) =>
    mount.decide(async (config) => {
      const autoTidy = config.get(autoTidyConfig);
      if (!autoTidy.enabled) return { reply: undefined };
      const [last, now] = [await readRun(mount), mount.ports.now()];
      // the active run schedules this job when it ends; this check covers a run that never ends
      const due = isRunning(last) ? now + busyWait : nextAutomatic(autoTidy, last?.value, now);
      if (due > now) return { reply: undefined, batch: { put: [tidyPlan("automatic", due, now)] } };
      const batch = beginRun(config, last, runSettings(autoTidy), { now, automatic: true });
      return { reply: undefined, batch };
    }),
};
/** Delay before the next check while a run is active (ms). */
const busyWait = 60_000;

/** Returns the part of the configuration that a run stores. */
const runSettings = (config: AutoTidyConfig): TidySettings => {
  // tidyDefaults has exactly the settings of a run
  const names = Object.keys(tidyDefaults) as readonly (keyof TidySettings)[];
  return Object.fromEntries(names.map((name) => [name, config[name]])) as unknown as TidySettings;
};
