import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readIfThere, writePrivate } from "./data-dir.ts";
import { inUse } from "./databases.ts";
import { flock, type FileLock } from "./file-lock.ts";
import { tryLock, type KernelLock } from "./kernel-lock.ts";
import { identityOf, isAlive } from "./process-identity.ts";
import { LaunchError } from "../cli/settings.ts";
import { sqlite } from "./sqlite.ts";

/** Held while a launcher serves a data directory. */
export interface Lock {
  /** Notes the process that serves, for people and for messages; nothing is decided by it. */
  note(pid: number): void;
  /** Held by whatever inherits it, so that it outlives this process where its runtime does. */
  readonly descriptor: number | undefined;
  release(): void;
}

/** How long to wait for what a kill has left, in milliseconds. */
export interface Waits {
  /**
   * For a launcher that is dying: the kernel drops its lock when the last of its threads is gone.
   */
  readonly dyingMs: number;
  /** For its runtime. */
  readonly orphanMs: number;
}
const usualWaits: Waits = { dyingMs: 1_000, orphanMs: 5_000 };

/**
 * Takes the data directory for this process. Throws {@link LaunchError} while another launcher, or
 * what one has left running, has it.
 */
export async function lockDataDir(dataDir: string, waits: Waits = usualWaits): Promise<Lock> {
  const lock = await takeLock(dataDir, waits.dyingMs);
  const note = join(dataDir, "lock");
  let objects: FileLock | undefined;
  try {
    objects = await whileInUse(dataDir, waits.orphanMs);
    const mine = identityOf(process.pid);
    writePrivate(note, `${mine}\n`);
    return {
      note: (pid) => void writePrivate(note, `${mine}\n${identityOf(pid)}\n`),
      descriptor: objects?.descriptor,
      release: () => {
        rmSync(note, { force: true });
        objects?.release();
        lock?.release();
      },
    };
  } catch (error) {
    removeEmpty(objectsIn(dataDir));
    objects?.release();
    lock?.release();
    throw error;
  }
}

/** Where there is no SQLite, what the runtime inherits is the whole lock. */
async function takeLock(dataDir: string, milliseconds: number): Promise<KernelLock | undefined> {
  if (sqlite === undefined) return undefined;
  for (const end = performance.now() + milliseconds; ; await soon()) {
    const lock = attempt(dataDir);
    if (lock !== undefined) return lock;
    const [launcher] = noted(dataDir);
    if (isAlive(launcher) || performance.now() > end) throw servedBy(dataDir, launcher);
  }
}

const servedBy = (dataDir: string, launcher: string): LaunchError =>
  new LaunchError(
    `${dataDir} is served already, by ${server(launcher)}; end that one, or set DATA_DIR.`,
  );

const objectsIn = (dataDir: string): string => join(dataDir, "objects");

/**
 * What a launcher that was killed had started ends within milliseconds, and must have ended before
 * its files are opened again. Answers the lock that the next runtime inherits.
 */
async function whileInUse(dataDir: string, milliseconds: number): Promise<FileLock | undefined> {
  const objects = objectsIn(dataDir);
  makeIfPossible(objects);
  for (const end = performance.now() + milliseconds; ; await soon()) {
    const lock = flock(objects);
    if (lock === undefined && sqlite === undefined) throw cannotLock(dataDir);
    if (lock === "held") {
      const [launcher] = noted(dataDir);
      if (isAlive(launcher)) throw servedBy(dataDir, launcher);
    } else {
      if (!inUse(objects)) return lock;
      lock?.release();
    }
    if (performance.now() > end)
      throw new LaunchError(
        `${dataDir} is still in use by ${told(noted(dataDir)[1])}; end that one, or set DATA_DIR.`,
      );
  }
}

/** Where it is not, whoever opens it says why. */
function makeIfPossible(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    // as a rule it is there
  }
}

/** A start that failed leaves nothing behind. */
function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // as a rule it holds something
  }
}

const cannotLock = (dataDir: string): LaunchError =>
  new LaunchError(
    `DATA_DIR: ${dataDir} cannot be locked: Node ${process.version} needs the program flock for that; install it (util-linux), or Node 22.13 or later.`,
  );

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Launcher and group of the runtime, as the last one that served noted them. */
function noted(dataDir: string): readonly [launcher: string, runtime: string] {
  const [launcher = "", runtime = ""] = (readIfThere(join(dataDir, "lock")) ?? "").split("\n");
  return [launcher, runtime];
}

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
 * A launcher of the note in words. Containers start at the same ids, so that one which is seen here
 * may be another's.
 */
function server(identity: string): string {
  return isAlive(identity)
    ? `another server (process ${identity.split(" ")[0]}, perhaps in another container)`
    : told(identity);
}

/** A process of the note in words; ids of another namespace mean nothing here. */
function told(identity: string): string {
  return isAlive(identity)
    ? `process ${identity.split(" ")[0]}`
    : "a process that cannot be seen from here, as of another container";
}
