import { crlConfig } from "../rows/settings.ts";
import { parseDuration } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type CrlRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/store-context.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { readActiveCrls, type ActiveCrls } from "./active-crls.ts";
import { namesDigest } from "./crl-distribution-points.ts";
import { crlSets, crlSigner, hasIssuers } from "./crl-set.ts";
import { crlState } from "./crl-state.ts";

/** A CRL younger than this (seconds) is not renewed merely because it is about to expire. */
const minAge = 60;

type Dates = Pick<CrlRow, "this_update" | "next_update">;
/**
 * Returns the time from which a CRL must be renewed (Unix ms): the grace period before it expires,
 * or halfway through its lifetime if the lifetime is not longer than the grace period.
 */
function renewalDue(config: Snapshot, { this_update, next_update }: Dates): number {
  const life = next_update - this_update;
  const grace = parseDuration(config.get(crlConfig).auto_rebuild_grace_period) ?? 0;
  const early = next_update - (grace < life ? grace : life / 2);
  return Math.floor(Math.max(early, Math.min(next_update, this_update + minAge)) * 1000);
}
/**
 * Reports whether a CRL must be renewed: it expires soon, or its thisUpdate is in the future (D 4).
 */
export const isDue = (config: Snapshot, row: CrlRow, now: number): boolean =>
  now >= renewalDue(config, row) || now < row.this_update * 1000;
/**
 * Reports whether a CRL must be rebuilt or removed: it is due, its distribution point names have
 * changed, or it is no longer active.
 */
export const isOutdated = (
  { config, active, now }: DueContext,
  crlId: string,
  row: CrlRow,
): boolean =>
  isDue(config, row, now) || !active.has(crlId) || row.names !== namesDigest(active, crlId);
/** The inputs that determine whether a CRL is outdated. `now` is in Unix milliseconds. */
interface DueContext {
  readonly config: Snapshot;
  readonly active: ActiveCrls;
  readonly now: number;
}
/** Reports whether the CRLs of a set are renewed: CRLs are enabled, and an issuer can sign them. */
export const isRenewed = (config: Snapshot, set: string): boolean =>
  !config.get(crlConfig).disable && crlSigner(config, set) !== undefined;

/**
 * Returns the time for which the renewal of a CRL is scheduled (Unix ms), at least a minute after
 * its thisUpdate.
 */
export const plannedRenewal = (config: Snapshot, row: Dates): number =>
  Math.max(renewalDue(config, row), (row.this_update + minAge) * 1000);
/** Returns the job that renews a CRL before it expires, regardless of `auto_rebuild` (D 4). */
export function renewalJob(
  config: Snapshot,
  set: string,
  row: CrlRow,
  now: number,
): ReturnType<typeof jobRow> {
  return jobRow({ due: plannedRenewal(config, row), now }, crlRenewal.kind, set);
}
/**
 * Returns the jobs that renew the active CRLs of a mount before they expire. Jobs that are already
 * due run immediately.
 */
export async function renewalJobs(
  mount: Mount,
  config: Snapshot,
): Promise<readonly ReturnType<typeof jobRow>[]> {
  const active = await readActiveCrls(mount, config);
  const sets = active.of(crlSets(config)).filter((crlId) => isRenewed(config, crlId));
  const rows = await mount.store.get(sets.map(keys.crl));
  const now = mount.ports.now();
  return sets.map((set, i) =>
    rows[i]
      ? renewalJob(config, set, storedCrl.crl(rows[i].value), now)
      : jobRow({ due: now, now }, crlRenewal.kind, set),
  );
}

/**
 * The job that rebuilds a CRL only if it is due, so that concurrent requests cause one build. It
 * removes a CRL whose last issuer was deleted.
 */
export const crlRenewal: Job = {
  kind: "crl-renewal",
  of: "mount",
  budget: 1,
  step: async (mount, set) => {
    const config = await mount.config();
    if (!hasIssuers(config, set)) return mount.storeContext.run("crl", set);
    if (!isRenewed(config, set)) return;
    const current = await crlState(mount, set);
    const now = mount.ports.now();
    const active = await readActiveCrls(mount, config);
    if (!current || isOutdated({ config, active, now }, set, current.value))
      await mount.storeContext.run("crl", set);
    // the renewal was scheduled before the grace period was shortened
    else await mount.storeContext.commit({ put: [renewalJob(config, set, current.value, now)] });
  },
};

/**
 * Builds CRLs now, after a committed change. Warns the caller if a build fails, which a stored job
 * then retries.
 */
export async function rebuildNow(
  mount: Mount,
  caller: Caller,
  crlIds: readonly string[],
  kind: "crl" | "crl-delta-rotation" = "crl",
): Promise<void> {
  for (const [i, crlId] of crlIds.entries()) {
    try {
      await mount.storeContext.once(kind, crlId);
    } catch (error) {
      // other errors may reveal internal details
      caller.reply.warn(
        `Warning ${i + 1} during CRL rebuild: ${error instanceof CaError ? error.message : "the CRL could not be built"}`,
      );
    }
  }
}

/**
 * Returns the job that builds a CRL in case the build right after a change does not finish. Changes
 * in the same ten-second interval share a job. `now` is in Unix milliseconds.
 */
export const buildJob = (crlId: string, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil((now + 5000) / 10_000) * 10_000, now }, "crl", crlId);

/** A configuration change, and the IDs of the CRLs that it affects. */
interface CrlDecision<T> extends Decision<T> {
  readonly crlIds: readonly string[];
}
/**
 * Changes the configuration, retrying if it changes concurrently, and then builds the affected
 * CRLs. The caller gets only the warnings of the final attempt.
 */
export async function configureCrls<T>(
  mount: Mount,
  caller: Caller,
  decide: (config: Snapshot, caller: Caller) => Promise<CrlDecision<T>> | CrlDecision<T>,
): Promise<T> {
  const { reply, crlIds } = await mount.configureFor(
    caller,
    async (config, caller) => {
      const { reply, crlIds, batch, done } = await decide(config, caller);
      const now = mount.ports.now();
      const jobs = crlIds.map((crlId) => buildJob(crlId, now));
      // the CRLs of a new set's shards do not exist yet
      if (config.get(crlConfig).shards > 0)
        jobs.push(jobRow({ due: now, now }, "crl-lists", "all"));
      return {
        reply: { reply, crlIds },
        ...(batch ? { batch: { ...batch, put: [...(batch.put ?? []), ...jobs] } } : {}),
        ...(done ? { done } : {}),
      };
    },
    { exact: true },
  );
  await rebuildNow(mount, caller, crlIds);
  return reply;
}

/** Reports whether the mount builds delta CRLs. */
export const hasDeltas = (config: Snapshot): boolean =>
  config.get(crlConfig).enable_delta && !config.get(crlConfig).disable;
/**
 * Returns the minimum interval between delta CRLs (ms), at least a second because that is the
 * resolution of CRL dates.
 */
export const deltaInterval = (config: Snapshot): number =>
  Math.max(1, parseDuration(config.get(crlConfig).delta_rebuild_interval) ?? 0) * 1000;

/**
 * Returns the jobs that add new revocations to delta CRLs, if the mount builds any. There is one
 * job per CRL and interval, regardless of the number of revocations. `now` is in Unix milliseconds.
 */
export function deltaJobs(
  config: Snapshot,
  crlIds: readonly string[],
  now: number,
): readonly ReturnType<typeof jobRow>[] {
  if (!hasDeltas(config)) return [];
  const interval = deltaInterval(config);
  const due = Math.ceil((now + 1) / interval) * interval;
  return crlIds.map((crlId) => jobRow({ due, now }, "crl-delta", crlId));
}
/**
 * Returns the time (Unix ms) at which a job builds the delta of a new complete CRL, in case the
 * process stopped before building it.
 */
export const deltaDeadline = ({ this_update }: CrlRow): number => (this_update + 10) * 1000;
