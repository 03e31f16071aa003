import { fromBase64, toBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { KeyVault } from "../../engine/ports.ts";
import { passphraseRounds, passphraseVault } from "../../keys/passphrase.ts";
import { backupParts } from "./backup.ts";
import { checkPart } from "./check.ts";
import { partsIn } from "./part.ts";
import { ownKey, type Unlock } from "./protection.ts";
import { restorePart } from "./restore.ts";
import { storeBackupParts } from "./store-backup.ts";
import { restoreStorePart } from "./store-restore.ts";

export { backupParts, checkPart, ownKey, restorePart, restoreStorePart, storeBackupParts };

/** Options of a backup. */
export interface BackupOptions {
  /**
   * Passphrase that protects the backup, at least twelve characters. If absent, the deployment's
   * sealing key protects it.
   */
  readonly passphrase?: string;
  /**
   * Size in bytes at which a part is completed, unless a single row is larger; 128 KiB by default.
   * A restore keeps one part in memory.
   */
  readonly partBytes?: number;
}
/** Options of a restore. */
export interface RestoreOptions extends BackupOptions {
  /** Whether to verify the backup without storing anything. */
  readonly dryRun?: boolean;
  /** Number of partitions: 1, 4, 16 or 64. The default is the number in the backup. */
  readonly partitions?: number;
}
/** Backups without HTTP, as described in `Ca`. */
export interface LibraryBackups {
  backup(path: string, options?: BackupOptions): AsyncIterable<Uint8Array>;
  restore(
    path: string,
    backup: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options?: RestoreOptions,
  ): Promise<void>;
}

/**
 * Returns a function that unlocks backups that are protected by the passphrase, or by the
 * deployment's own key.
 */
const unlockedBy =
  (passphrase: string | undefined, own: Unlock): Unlock =>
  (head) => {
    const { salt, rounds } = head.passphrase ?? {};
    if (passphrase === undefined || salt === undefined) return own(head);
    // backups are written with this iteration count only; the platform might not support a larger
    // one
    if (rounds !== passphraseRounds)
      throw new CaError(
        "malformed",
        `the backup has an unsupported PBKDF2 iteration count: expected ${passphraseRounds}, got ${String(rounds)}`,
      );
    return passphraseVault(passphrase, fromBase64(salt) ?? new Uint8Array(0));
  };

/** Returns the backup functions of a deployment. */
export function backupsOf(mounts: Deployment): LibraryBackups {
  const { random, vault } = mounts.ports;
  return {
    async *backup(path, { passphrase, partBytes } = {}) {
      await mounts.requireKey();
      const salt = random(16);
      const protection =
        passphrase === undefined
          ? { vault }
          : {
              vault: await passphraseVault(passphrase, salt),
              passphrase: { salt: toBase64(salt), rounds: passphraseRounds },
            };
      yield* backupParts(mounts, path, protection, partBytes);
    },
    async restore(path, backup, { passphrase, dryRun = false, partitions } = {}) {
      await mounts.requireKey();
      const unlock = unlockOnce(unlockedBy(passphrase, ownKey(vault)));
      let [receipt, complete] = ["", false];
      for await (const part of partsIn(backup)) {
        if (complete) throw new CaError("malformed", "there is data after the end of the backup");
        if (dryRun) ({ receipt, complete } = await checkPart(mounts, part, unlock, receipt));
        else complete = (await restorePart(mounts, path, part, { unlock, partitions })).last;
      }
      if (!complete) throw new CaError("malformed", "the end of the backup is missing");
    },
  };
}
/**
 * Caches the last vault, because deriving a key is slow and all parts of a backup use the same key.
 */
function unlockOnce(unlock: Unlock): Unlock {
  let unlocked: { readonly salt: string | undefined; readonly vault: KeyVault } | undefined;
  return async (head) => {
    const salt = head.passphrase?.salt;
    if (unlocked?.salt !== salt || !unlocked) unlocked = { salt, vault: await unlock(head) };
    return unlocked.vault;
  };
}
