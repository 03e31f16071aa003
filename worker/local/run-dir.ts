import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryLock, type KernelLock } from "./kernel-lock.ts";
import { LaunchError } from "./settings.ts";

/** A directory for one launcher's life, for its owner only. */
export interface RunDir {
  readonly path: string;
  remove(): void;
}

const PREFIX = "sealwright-";
const LOCK = "lock.db";
/** A directory as young as this may still be on its way to its lock. */
const YOUNG_MS = 60_000;

/**
 * Socket and configuration lie here, not in the data directory: the path of a Unix socket must stay
 * below 104 bytes.
 */
export function makeRunDir(): RunDir {
  const parent = tmpdir().length > 60 ? "/tmp" : tmpdir();
  try {
    removeStale(parent);
    const path = mkdtempSync(join(parent, PREFIX));
    chmodSync(path, 0o700);
    const lock = tryLock(join(path, LOCK));
    return { path, remove: () => remove(path, lock) };
  } catch (error) {
    throw new LaunchError(
      `TMPDIR: ${parent} cannot be used (${(error as NodeJS.ErrnoException).code ?? "unknown"}); set it to a directory of your own.`,
    );
  }
}

function remove(path: string, lock: KernelLock | undefined): void {
  try {
    lock?.release();
    rmSync(path, { recursive: true, force: true });
  } catch {
    // a later start removes what is left
  }
}

/**
 * A launcher and all its processes killed at one stroke leave theirs behind; nobody holds its lock
 * any more.
 */
function removeStale(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!/^sealwright-[A-Za-z0-9]{6}$/.test(name)) continue;
    const path = join(parent, name);
    try {
      const { uid, mtimeMs } = statSync(join(path, LOCK));
      const lock =
        uid === process.getuid?.() && Date.now() - mtimeMs > YOUNG_MS
          ? tryLock(join(path, LOCK))
          : undefined;
      if (lock !== undefined) remove(path, lock);
    } catch {
      // somebody else's, or already gone
    }
  }
}
