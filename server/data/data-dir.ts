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
import { LaunchError } from "../settings/launch-error.ts";

/** A secret in the data directory: its value, its file, and whether this start generated it. */
export interface StoredSecret {
  value: string;
  path: string;
  fresh: boolean;
}

/**
 * Creates a directory that only its owner can access, if it is missing. Throws {@link LaunchError}
 * if the directory cannot be created or used.
 */
export function openDataDir(path: string, setting = "DATA_DIR"): void {
  try {
    makeDirectory(path);
    // keep the mode of a directory that is not empty: restricting `/tmp` would do harm, and each
    // file has a private mode
    if (readdirSync(path).length === 0) restrict(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new LaunchError(
      `${setting}: ${path} cannot be used (${(error as NodeJS.ErrnoException).code ?? "unknown"}); set it to a directory of your own.`,
    );
  }
}

/**
 * Lets only its owner access a directory. If root owns the directory and this user cannot change
 * its mode, the mode stays, as for a Kubernetes volume that the group of the pod can write to.
 */
function restrict(path: string): void {
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM" || statSync(path).uid !== 0) throw error;
  }
}

/**
 * Creates a directory and its parents if they are missing. Does not use the option `recursive`,
 * which never returns if the file system refuses new directories with ENOENT, as /proc does.
 */
export function makeDirectory(path: string, mode = 0o700): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory())
      throw error;
  }
}

/**
 * Writes a file of mode 0600 atomically and durably. If `onlyNew`, leaves an existing file
 * unchanged and returns false. Throws {@link LaunchError} if the file cannot be written.
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
 * Reads a text file. Returns undefined if it does not exist. Throws {@link LaunchError} if it
 * cannot be read.
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

/** The expected content of a secret file. */
interface SecretShape {
  readonly pattern: RegExp;
  /** Description of the expected content, which follows "must contain". */
  readonly description: string;
}

/**
 * Reads a secret, or generates it on first start. Throws {@link LaunchError} if the file is empty
 * or malformed; an existing file is never replaced.
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
  if (!shape.pattern.test(value))
    throw new LaunchError(
      `${path} must contain ${shape.description}; restore the original value, or move the file away if nothing depends on it.`,
    );
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return { value, path, fresh };
}

function writePrivateOnce(path: string, make: () => string): boolean {
  return readIfThere(path) === undefined && writePrivate(path, `${make()}\n`, true);
}
