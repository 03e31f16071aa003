import type { Mount } from "../../engine/mount.ts";
import { keys } from "../../engine/records.ts";
import { type NoticeRow, sysKeys } from "../../engine/sys-records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { crlState } from "./crl-state.ts";
import { isDue } from "./crl-schedule.ts";

const tooLargeText =
  "A CRL is no longer updated, because it would have more entries than max_crl_entries.";
const overdueText = "A CRL is due to be rebuilt, but that failed; the last one is still served.";
const expiredText =
  "A CRL has ended and could not be rebuilt; it is still served, and whoever demands a current one refuses it.";

/** Notes for `sys/health` that a list is not signed again though its time has come. */
export async function noteOverdue(ca: Mount, set: string): Promise<void> {
  const current = await crlState(ca, set);
  const now = ca.ports.now();
  if (!current || !isDue(await ca.config(), current.value, now)) return;
  const isOver = now >= current.value.next_update * 1000;
  const notice: NoticeRow = { text: isOver ? expiredText : overdueText };
  await ca.sys.commit({ put: [[sysKeys.notice(ca.name, "crl", set), notice]] });
}

/** Notes, once, that the list of a set stays behind its entries, for `sys/health` (D 4). */
export async function noteTooLarge(ca: Mount, set: string): Promise<void> {
  const current = await crlState(ca, set);
  if (current?.value.held) return;
  // the notice first: a mark without one would never be told
  const notice: NoticeRow = { text: tooLargeText };
  await ca.sys.commit({ put: [[sysKeys.notice(ca.name, "crl", set), notice]] });
  if (current)
    await ca.store.commit({
      expect: [[keys.crl(set), current.rev]],
      put: [[keys.crl(set), { ...current.value, held: true }]],
    });
}
const lateDeltaText = "A delta CRL could not be built; the last one is still served.";
/**
 * Notes for `sys/health` that the delta of an id could not be built: what was revoked since is on
 * no list.
 */
export async function noteLateDelta(ca: Mount, id: string): Promise<void> {
  const notice: NoticeRow = { text: lateDeltaText };
  await ca.sys.commit({ put: [[sysKeys.notice(ca.name, "crl", id), notice]] });
}
/** Takes that back where it was noted. */
export async function clearStoredNotice(ca: Mount, id: string): Promise<void> {
  const [held] = await ca.sys.store.get([sysKeys.notice(ca.name, "crl", id)]);
  if (held) await clearNotice(ca, id);
}
/** Takes back what `sys/health` was told of a list. */
export async function clearNotice(ca: Mount, set: string): Promise<void> {
  await ca.sys.commit({ del: [sysKeys.notice(ca.name, "crl", set)] });
}

/**
 * What to tell of a set's list that waits for the clock: whether the last build was held back (D
 * 4).
 */
export async function tooLargeWarnings(
  ca: Mount,
  { crl }: Snapshot,
  set: string,
): Promise<readonly string[]> {
  return crl.max_crl_entries >= 0 && (await crlState(ca, set))?.value.held ? [tooLargeText] : [];
}
