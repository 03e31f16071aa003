import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { identityOf, isAlive } from "./process-identity.ts";
import { LaunchError } from "./settings.ts";

/** A secret of the data directory: its value, its file, and whether this start made it. */
export interface StoredSecret {
  value: string;
  path: string;
  fresh: boolean;
}

/** Makes the directory if need be, for its owner only. Throws {@link LaunchError} when that, or using it, is not allowed. */
export function openDataDir(path: string): void {
  try {
    makeDirectory(path);
    // a directory with contents is somebody's: closing `/tmp` to all others would do more harm than these files, each closed by itself
    if (readdirSync(path).length === 0) chmodSync(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new LaunchError(`DATA_DIR: ${path} cannot be used (${(error as NodeJS.ErrnoException).code ?? "unknown"}); set it to a directory of your own.`);
  }
}

// not by mkdir's own recursion: measured in Node 26, it never returns where the system lets nobody make a directory (below /proc)
function makeDirectory(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

/**
 * Writes a file of mode 0600 so that it is there whole or not at all, also after a power cut.
 * @param onlyNew leaves a file that exists as it is and answers false
 */
export function writePrivate(path: string, text: string, onlyNew = false): boolean {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  try {
    if (onlyNew) linkSync(draft, path);
    else renameSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const directory = openSync(dirname(path), "r");
  fsyncSync(directory);
  closeSync(directory);
  return true;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "EISDIR" || code === "EACCES") throw new LaunchError(`${path} cannot be read (${code}).`);
    throw error;
  }
}

/** Reads a secret, or makes it on the first start. A file that is there but empty or odd is never replaced: throws {@link LaunchError}. */
export function storedSecret(dataDir: string, name: string, shape: RegExp, make: () => string): StoredSecret {
  const path = join(dataDir, name);
  const fresh = writePrivateOnce(path, make);
  const value = (readIfThere(path) ?? "").trim();
  if (!shape.test(value)) throw new LaunchError(`${path} does not hold what it should; put the right value back, or move the file away if nothing needs it.`);
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return { value, path, fresh };
}

function writePrivateOnce(path: string, make: () => string): boolean {
  return readIfThere(path) === undefined && writePrivate(path, `${make()}\n`, true);
}

/** Held while a launcher serves a data directory. */
export interface Lock {
  /** Notes the process that serves, so that a successor can wait for its end. */
  note(pid: number): void;
  release(): void;
}

const WAIT_MS = 5_000;

/** Takes the data directory for this process. Throws {@link LaunchError} while another launcher has it. */
export async function lockDataDir(dataDir: string): Promise<Lock> {
  const path = join(dataDir, "lock");
  const mine = identityOf(process.pid);
  while (!writePrivate(path, `${mine}\n`, true)) {
    const holder = readIfThere(path);
    if (holder === undefined) continue;
    const [launcher = "", runtime = ""] = holder.split("\n");
    if (isAlive(launcher)) throw new LaunchError(`${dataDir} is served by process ${launcher.split(" ")[0]} already; end that one, or set DATA_DIR.`);
    // The launcher was killed: what it started ends within milliseconds, and must have ended before its files are opened again.
    for (const end = Date.now() + WAIT_MS; isAlive(runtime);) {
      if (Date.now() > end) throw new LaunchError(`${dataDir} is still in use by process ${runtime.split(" ")[0]}.`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    takeAway(path, holder);
  }
  return {
    note: (pid) => void writePrivate(path, `${mine}\n${identityOf(pid)}\n`),
    release: () => rmSync(path, { force: true }),
  };
}

/** Removes exactly the lock that was judged: another launcher may have replaced it meanwhile. */
function takeAway(path: string, judged: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (readFileSync(aside, "utf8") !== judged) linkSync(aside, path);
  rmSync(aside, { force: true });
}
