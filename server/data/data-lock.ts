import { rmSync } from "node:fs";
import { join } from "node:path";
import { LaunchError } from "../settings/launch-error.ts";
import { readIfThere, writePrivate } from "./data-dir.ts";
import { tryLock, type KernelLock } from "./kernel-lock.ts";
import { identityOf, isAlive } from "./process-identity.ts";

/** A server's lock on its data directory. */
interface Lock {
  release(): void;
}

/** Time to wait for an exiting server to release its lock (ms). */
const exitTimeoutMs = 1_000;

/**
 * Locks a data directory for this process. Rejects with {@link LaunchError} if another process
 * holds the lock, or if the directory cannot be locked.
 */
export async function lockDataDir(dataDir: string, dyingMs = exitTimeoutMs): Promise<Lock> {
  const lock = await acquireLock(dataDir, dyingMs);
  const note = join(dataDir, "lock");
  // the note is only for users and messages; no decision depends on it
  noteIfPossible(note, identityOf(process.pid));
  return {
    release: () => {
      rmSync(note, { force: true });
      lock.release();
    },
  };
}

async function acquireLock(dataDir: string, milliseconds: number): Promise<KernelLock> {
  for (const end = performance.now() + milliseconds; ; await soon()) {
    const lock = attempt(dataDir);
    if (lock !== undefined) return lock;
    const holder = notedProcess(dataDir);
    if (isAlive(holder) || performance.now() > end)
      throw new LaunchError(
        `${dataDir} is already served by ${server(holder)}; stop that server, or set DATA_DIR.`,
      );
  }
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Writes a note if possible. A full disk must not prevent the start. */
function noteIfPossible(path: string, text: string): void {
  try {
    writePrivate(path, `${text}\n`);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
  }
}

/**
 * Returns the identity that the process using a data directory has noted there, or "" if there is
 * no note.
 */
const notedProcess = (dataDir: string): string =>
  (readIfThere(join(dataDir, "lock")) ?? "").split("\n")[0] ?? "";

function attempt(dataDir: string): KernelLock | undefined {
  try {
    return tryLock(join(dataDir, "lock.db"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new LaunchError(
      `DATA_DIR: ${dataDir} cannot be locked (${code === "ERR_SQLITE_ERROR" ? message : code}); set it to a directory of your own.`,
    );
  }
}

/**
 * Describes the process with a noted identity. In this container, the process ID may denote another
 * process, because each container has its own IDs.
 */
const server = (identity: string): string =>
  isAlive(identity)
    ? `another server (process ${identity.split(" ")[0]}, perhaps in another container)`
    : "a process that is not visible here, perhaps in another container";
