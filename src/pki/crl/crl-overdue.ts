import { crlConfig } from "../rows/settings.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys } from "../rows/records.ts";
import { type NoticeRow, storedSys, sysKeys } from "../../engine/sys-records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { raiseEvents } from "../../events/raise.ts";
import { crlState } from "./crl-state.ts";
import { isDue } from "./crl-schedule.ts";

const tooLargeText =
  "A CRL is no longer updated, because it would have more entries than max_crl_entries allows.";
const overdueText =
  "A CRL is due to be rebuilt, but the build failed; the previous CRL is still served.";
const expiredText =
  "A CRL has expired, because it could not be rebuilt; it is still served, but clients that require a current CRL reject it.";

/** Stores a notice about a CRL, and raises an event unless the same notice is already stored. */
async function putNotice(mount: Mount, crl: string, text: string): Promise<void> {
  const key = sysKeys.notice(mount.name, "crl", crl);
  const [row] = await mount.sys.store.get([key]);
  const config = await mount.config();
  const data = { mount: config.mount.path, crl, reason: text };
  const about = { type: "sealwright.crl.failed", subject: crl, data } as const;
  const isReported = storedSys.notice(row?.value).text === text;
  const events = isReported ? undefined : await raiseEvents(mount, config, async () => [about]);
  const notice: NoticeRow = { text };
  await mount.sys.commit({ put: [[key, notice]], ...(events ? { log: events.log } : {}) });
  events?.announce();
}

/**
 * Adds a notice to `sys/health` after a failed build if the CRL is overdue. If the build was stored
 * although it failed, deletes the notice about earlier failures.
 */
export async function noteOverdue(mount: Mount, set: string): Promise<void> {
  const current = await crlState(mount, set);
  if (!current) return;
  const now = mount.ports.now();
  if (!isDue(await mount.config(), current.value, now)) {
    if (!current.value.held) await clearStoredNotice(mount, set);
    return;
  }
  const isOver = now >= current.value.next_update * 1000;
  await putNotice(mount, set, isOver ? expiredText : overdueText);
}

/** Adds a notice to `sys/health`, once, that a CRL would exceed max_crl_entries (D 4). */
export async function noteTooLarge(mount: Mount, set: string): Promise<void> {
  const current = await crlState(mount, set);
  if (current?.value.held) return;
  // the notice is stored before the mark, because a mark without a notice would never be reported
  await putNotice(mount, set, tooLargeText);
  if (current)
    await mount.store.commit({
      expect: [[keys.crl(set), current.rev]],
      put: [[keys.crl(set), { ...current.value, held: true }]],
    });
}
const lateDeltaText = "A delta CRL could not be built; the previous delta CRL is still served.";
/**
 * Adds a notice to `sys/health` that a delta CRL could not be built. Until it is built, no CRL
 * lists the recent revocations.
 */
export async function noteLateDelta(mount: Mount, id: string): Promise<void> {
  await putNotice(mount, id, lateDeltaText);
}
/** Deletes the notice about a CRL or delta, if there is one. */
export async function clearStoredNotice(mount: Mount, id: string): Promise<void> {
  const [notice] = await mount.sys.store.get([sysKeys.notice(mount.name, "crl", id)]);
  if (notice) await clearNotice(mount, id);
}
/** Deletes the notice about a CRL or delta from `sys/health`, without reading it first. */
export async function clearNotice(mount: Mount, set: string): Promise<void> {
  await mount.sys.commit({ del: [sysKeys.notice(mount.name, "crl", set)] });
}

/**
 * Returns a warning if the last scheduled build of a CRL would have exceeded max_crl_entries (D 4).
 */
export async function tooLargeWarnings(
  mount: Mount,
  config: Snapshot,
  set: string,
): Promise<readonly string[]> {
  return config.get(crlConfig).max_crl_entries >= 0 && (await crlState(mount, set))?.value.held
    ? [tooLargeText]
    : [];
}
