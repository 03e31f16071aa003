import { parseDuration } from "../../base/duration.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { CrlRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/** Whether the lists of a mount have deltas. */
export const hasDeltas = ({ crl }: Snapshot): boolean => crl.enable_delta && !crl.disable;
/** How often a delta is built at most, milliseconds; a second is what times in lists can tell. */
export const deltaInterval = ({ crl }: Snapshot): number =>
  Math.max(1, parseDuration(crl.delta_rebuild_interval) ?? 0) * 1000;

/**
 * The jobs that bring to the deltas of lists what was revoked now, where there are deltas: one for
 * each interval, however much is revoked in it. `now` in Unix milliseconds.
 */
export function deltasLater(
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
export const coverOf = ({ this_update }: CrlRow): number => (this_update + 10) * 1000;
