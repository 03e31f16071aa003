import { parseDuration } from "../../base/duration.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import { keys, type CrlRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { crlState } from "./crl-state.ts";
import { readActiveCrls, type ActiveCrls } from "./active-crls.ts";
import { namesDigest } from "./crl-distribution-points.ts";
import { crlSets, crlSigner } from "./crl-set.ts";
import { CaError } from "../../base/errors.ts";
import type { Decision } from "../../engine/unit.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { storedCrl } from "../../engine/crl-records.ts";

/** A list is not signed again sooner than this because its end comes near, seconds. */
const minAge = 60;
const seconds = (text: string): number => parseDuration(text) ?? 0;

type Dates = Pick<CrlRow, "this_update" | "next_update">;
/**
 * When a list is to be signed again, Unix milliseconds: the grace period before its end, or in the
 * middle of its life where that is shorter.
 */
function renewalDue(config: Snapshot, { this_update, next_update }: Dates): number {
  const life = next_update - this_update;
  const grace = seconds(config.crl.auto_rebuild_grace_period);
  const early = next_update - (grace < life ? grace : life / 2);
  return Math.floor(Math.max(early, Math.min(next_update, this_update + minAge)) * 1000);
}
/**
 * Whether a list is to be signed again: its end is near, or it is dated ahead of the clock (D 4).
 */
export const isDue = (config: Snapshot, row: CrlRow, now: number): boolean =>
  now >= renewalDue(config, row) || now < row.this_update * 1000;
/**
 * Whether a list is to be built again, or to be removed: it is due, certificates know it by other
 * names than it has, or nobody needs it.
 */
export const isOutdated = (
  { config, living, now }: DueContext,
  list: string,
  row: CrlRow,
): boolean =>
  isDue(config, row, now) || !living.has(list) || row.names !== namesDigest(living, list);
/** By what a list is judged; `now` in Unix milliseconds. */
interface DueContext {
  readonly config: Snapshot;
  readonly living: ActiveCrls;
  readonly now: number;
}
/** Whether the lists of a set are signed again when they are due. */
export const isRenewed = (config: Snapshot, set: string): boolean =>
  !config.crl.disable && crlSigner(config, set) !== undefined;

/** When its renewal is planned for, Unix milliseconds: that waits for a minute at least. */
export const plannedRenewal = (config: Snapshot, row: Dates): number =>
  Math.max(renewalDue(config, row), (row.this_update + minAge) * 1000);
/**
 * The job that signs a set's list again before its end, whether or not the mount rebuilds by itself
 * (D 4).
 */
export function renewalJob(
  config: Snapshot,
  set: string,
  row: CrlRow,
  now: number,
): ReturnType<typeof jobRow> {
  return jobRow({ due: plannedRenewal(config, row), now }, crlRenewal.kind, set);
}
/**
 * The jobs that sign the lists of a mount again before they end, as its configuration has it; for
 * one whose time has come, at once.
 */
export async function renewalJobs(
  ca: Mount,
  config: Snapshot,
): Promise<readonly ReturnType<typeof jobRow>[]> {
  const living = await readActiveCrls(ca, config);
  const sets = living.of(crlSets(config)).filter((list) => isRenewed(config, list));
  const rows = await ca.store.get(sets.map(keys.crl));
  const now = ca.ports.now();
  // rows below crlstate/ have this type
  return sets.map((set, i) =>
    rows[i]
      ? renewalJob(config, set, storedCrl.crl(rows[i].value), now)
      : jobRow({ due: now, now }, crlRenewal.kind, set),
  );
}

/**
 * Builds a set's CRL again when the current one is due; one that is not is left as it is, so that
 * many who ask for it cost one build.
 */
export const crlRenewal: Job = {
  kind: "crl-renewal",
  of: "mount",
  budget: 1,
  step: async (ca, set) => {
    const config = await ca.config();
    if (!isRenewed(config, set)) return;
    const current = await crlState(ca, set);
    const now = ca.ports.now();
    const living = await readActiveCrls(ca, config);
    if (!current || isOutdated({ config, living, now }, set, current.value))
      await ca.unit.run("crl", set);
    // the grace period got shorter since this was planned
    else await ca.unit.commit({ put: [renewalJob(config, set, current.value, now)] });
  },
};

/**
 * Builds lists now, after a change that is already stored: a failure is a warning, and the stored
 * job builds again.
 */
export async function rebuildNow(
  ca: Mount,
  caller: Caller,
  lists: readonly string[],
  kind: "crl" | "crl-delta-rotation" = "crl",
): Promise<void> {
  for (const [i, list] of lists.entries()) {
    try {
      await ca.unit.once(kind, list);
    } catch (error) {
      // what is no refusal may speak of the inside
      caller.warn(
        `Warning ${i + 1} during CRL rebuild: ${error instanceof CaError ? error.message : "the CRL could not be built"}`,
      );
    }
  }
}

/**
 * The job that builds a list in case the build right after the change never ends; changes of ten
 * seconds share one. `now` in Unix milliseconds.
 */
export const buildJob = (list: string, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil((now + 5000) / 10_000) * 10_000, now }, "crl", list);

/** A change of configuration, and the sets whose lists it concerns. */
interface CrlDecision<T> extends Decision<T> {
  readonly lists: readonly string[];
}
/**
 * Changes the configuration as it was read, all of it unchanged, and then builds the lists that the
 * change concerns. Of the warnings only those of the attempt that counts are given.
 */
export async function configureCrls<T>(
  ca: Mount,
  caller: Caller,
  decide: (config: Snapshot, caller: Caller) => Promise<CrlDecision<T>> | CrlDecision<T>,
): Promise<T> {
  const { reply, lists } = await ca.configureFor(
    caller,
    async (config, caller) => {
      const { reply, lists, batch, done } = await decide(config, caller);
      const now = ca.ports.now();
      const jobs = lists.map((list) => buildJob(list, now));
      // a set that is new has no lists of shards yet
      if (config.crl.shards > 0) jobs.push(jobRow({ due: now, now }, "crl-lists", "all"));
      return {
        reply: { reply, lists },
        ...(batch ? { batch: { ...batch, put: [...(batch.put ?? []), ...jobs] } } : {}),
        ...(done ? { done } : {}),
      };
    },
    { exact: true },
  );
  await rebuildNow(ca, caller, lists);
  return reply;
}

/** Whether the lists of a mount have deltas. */
export const hasDeltas = ({ crl }: Snapshot): boolean => crl.enable_delta && !crl.disable;
/** How often a delta is built at most, milliseconds; a second is what times in lists can tell. */
export const deltaInterval = ({ crl }: Snapshot): number =>
  Math.max(1, parseDuration(crl.delta_rebuild_interval) ?? 0) * 1000;

/**
 * The jobs that bring to the deltas of lists what was revoked now, where there are deltas: one for
 * each interval, however much is revoked in it. `now` in Unix milliseconds.
 */
export function deltaJobs(
  config: Snapshot,
  lists: readonly string[],
  now: number,
): readonly ReturnType<typeof jobRow>[] {
  if (!hasDeltas(config)) return [];
  const interval = deltaInterval(config);
  const due = Math.ceil((now + 1) / interval) * interval;
  return lists.map((list) => jobRow({ due, now }, "crl-delta", list));
}
/**
 * When the delta that follows a complete list at once is built at the latest, Unix milliseconds:
 * its host may end between the two.
 */
export const deltaDeadline = ({ this_update }: CrlRow): number => (this_update + 10) * 1000;
