import { readdirSync, rmSync, statSync } from "node:fs";
import type { BackupState } from "../../src/index.ts";
import { join } from "node:path";
import {
  backupPath,
  backupFile,
  listMounts,
  save,
  type Source,
  errorText,
} from "../client/mount-backup.ts";

const dayMs = 86_400_000;
/** Number of backups to keep for each mount. */
const maxBackups = 7;
/** Delay before a failed backup is retried (ms). */
const retryMs = 3_600_000;

/** The source and the destination of daily backups. */
export interface Backups extends Source {
  readonly directory: string;
  /** Reports each failed backup in one sentence. */
  report(sentence: string): void;
  /** Called after each backup attempt. */
  afterAttempt?(): Promise<void>;
}

/** Backs up all mounts once a day. Starts immediately if today's backup is missing. */
export function scheduleBackups(backups: Backups): { stop(): void; state(): BackupState } {
  let state: BackupState = { failed: false };
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const run = async (): Promise<void> => {
    const succeeded = await backUpAll(backups, new Date()).catch((error: unknown) => {
      backups.report(`The backup to ${backups.directory} failed: ${errorText(error)}.`);
      return undefined;
    });
    const failed = succeeded === undefined;
    state = failed ? { ...state, failed } : { succeeded, failed };
    await backups
      .afterAttempt?.()
      .catch((error: unknown) =>
        backups.report(`The event about the backups could not be raised: ${errorText(error)}.`),
      );
    if (!over)
      timer = setTimeout(() => void run(), failed ? retryMs : dayMs - (Date.now() % dayMs));
    timer?.unref();
  };
  void run();
  return {
    state: () => state,
    stop: () => {
      over = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Backs up every mount that has no backup of the current day. Resolves with the time of today's
 * oldest backup in Unix ms, or with undefined if a backup failed. Rejects if the mounts cannot be
 * listed.
 */
export async function backUpAll(backups: Backups, now: Date): Promise<number | undefined> {
  const { directory, report } = backups;
  const day = now.toISOString().slice(0, 10);
  const mounts = await listMounts(backups).catch((error: unknown) => {
    throw new Error(`the mounts could not be listed: ${errorText(error)}`);
  });
  let failed = false;
  let oldest = now.getTime();
  for (const mount of mounts) {
    const file = join(directory, backupFile(mount, day));
    const modifiedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (modifiedAt !== undefined) {
      oldest = Math.min(oldest, modifiedAt);
      continue;
    }
    try {
      await save(backups, backupPath(mount), file);
      forgetOld(directory, mount, day);
    } catch (error) {
      failed = true;
      report(`The backup of the mount ${mount}/ to ${directory} failed: ${errorText(error)}.`);
    }
  }
  return failed ? undefined : oldest;
}

/**
 * Removes all but the newest backups of a mount. Ignores backups dated after `today`, which were
 * made while the clock was ahead.
 */
function forgetOld(directory: string, mount: string, today: string): void {
  const [head = "", tail = ""] = backupFile(mount, "|").split("|");
  const own = readdirSync(directory).filter((name) => {
    if (!name.startsWith(head) || !name.endsWith(tail)) return false;
    const day = name.slice(head.length, -tail.length);
    return /^\d{4}-\d\d-\d\d$/.test(day) && day <= today;
  });
  for (const name of own.toSorted().slice(0, -maxBackups)) rmSync(join(directory, name));
}
