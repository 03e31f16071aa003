import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flock } from "../data/file-lock.ts";
import { tryLock, type KernelLock } from "../data/kernel-lock.ts";
import { LaunchError } from "../cli/settings.ts";

/** A directory for one launcher's life, for its owner only. */
export interface RunDir {
  readonly path: string;
  remove(): void;
}

const PREFIX = "sealwright-";
const LOCK = "lock.db";
/** A directory as young as this may still be on its way to its lock. */
const YOUNG_MS = 60_000;
/** How often is looked whether it is still there. */
const LOOK_MS = 1_000;

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
    const lock = hold(path);
    return { path, remove: () => remove(path, lock) };
  } catch (error) {
    throw new LaunchError(
      `TMPDIR: ${parent} cannot be used (${(error as NodeJS.ErrnoException).code ?? "unknown"}); set it to a directory of your own.`,
    );
  }
}

/**
 * Holds a directory; undefined while another launcher does. Both kinds of lock are taken: a Node
 * without SQLite has only that of flock(2), and neither kind keeps the other out.
 */
function hold(path: string): KernelLock | undefined {
  const whole = flock(path);
  if (whole === "held") return undefined;
  const lock = tryLock(join(path, LOCK));
  const release = (): void => {
    lock?.release();
    whole?.release();
  };
  if (lock !== undefined) return { release };
  release();
  return undefined;
}

/**
 * Rejects once somebody else has removed a directory: its runtime goes on, but nobody can reach it
 * any more.
 */
export const removed = ({ path }: RunDir): Promise<never> =>
  new Promise((_, reject) => {
    const look = setInterval(() => {
      if (existsSync(path)) return;
      clearInterval(look);
      reject(
        new LaunchError(
          `${path} was removed while it was used; set TMPDIR to a directory that nothing else cleans.`,
        ),
      );
    }, LOOK_MS).unref();
  });

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
        uid === process.getuid?.() && Date.now() - mtimeMs > YOUNG_MS ? hold(path) : undefined;
      if (lock !== undefined) remove(path, lock);
    } catch {
      // somebody else's, or already gone
    }
  }
}
