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
import { LaunchError } from "../cli/settings.ts";

/** A secret of the data directory: its value, its file, and whether this start made it. */
export interface StoredSecret {
  value: string;
  path: string;
  fresh: boolean;
}

/**
 * Makes the directory if need be, for its owner only. Throws {@link LaunchError} when that, or
 * using it, is not allowed.
 */
export function openDataDir(path: string, setting = "DATA_DIR"): void {
  try {
    makeDirectory(path);
    // a directory with contents is somebody's: closing `/tmp` to all others would do more harm than
    // these files, each closed by itself
    if (readdirSync(path).length === 0) chmodSync(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new LaunchError(
      `${setting}: ${path} cannot be used (${(error as NodeJS.ErrnoException).code ?? "unknown"}); set it to a directory of your own.`,
    );
  }
}

// not by mkdir's own recursion: measured in Node 26, it never returns where the system lets nobody
// make a directory (below /proc)
function makeDirectory(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory())
      throw error;
  }
}

/**
 * Writes a file of mode 0600 so that it is there whole or not at all, also after a power cut.
 * Throws {@link LaunchError} when the system does not let it.
 * @param onlyNew leaves a file that exists as it is and answers false
 */
export function writePrivate(path: string, text: string, onlyNew = false): boolean {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    if (onlyNew) linkSync(draft, path);
    else renameSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code === undefined) throw error;
    throw new LaunchError(`${path} cannot be written (${code}).`);
  } finally {
    rmSync(draft, { force: true });
  }
  const directory = openSync(dirname(path), "r");
  fsyncSync(directory);
  closeSync(directory);
  return true;
}

/**
 * The text of a file, or undefined where there is none. Throws {@link LaunchError} for one that may
 * not be read.
 */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "EISDIR" || code === "EACCES")
      throw new LaunchError(`${path} cannot be read (${code}).`);
    throw error;
  }
}

/** What a file of the data directory must hold. */
export interface SecretShape {
  readonly fits: RegExp;
  /** In words, after "must hold". */
  readonly told: string;
}

/**
 * Reads a secret, or makes it on the first start. A file that is there but empty or odd is never
 * replaced: throws {@link LaunchError}.
 */
export function storedSecret(
  dataDir: string,
  name: string,
  shape: SecretShape,
  make: () => string,
): StoredSecret {
  const path = join(dataDir, name);
  const fresh = writePrivateOnce(path, make);
  const value = (readIfThere(path) ?? "").trim();
  if (!shape.fits.test(value))
    throw new LaunchError(
      `${path} must hold ${shape.told}; put the right value back, or move the file away if nothing needs it.`,
    );
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return { value, path, fresh };
}

function writePrivateOnce(path: string, make: () => string): boolean {
  return readIfThere(path) === undefined && writePrivate(path, `${make()}\n`, true);
}
