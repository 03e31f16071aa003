import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { LaunchError } from "../settings/launch-error.ts";

/** Throws {@link LaunchError} if a directory can neither be written to nor created. */
export function checkOutputDirectory(dir: string): void {
  let path = resolve(dir);
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  if (!statSync(path).isDirectory()) throw new LaunchError(`${path} is not a directory.`);
  checkAccess(path, constants.W_OK | constants.X_OK);
}

/** Throws {@link LaunchError} if a file can neither be created nor written. */
export function checkOutputFile(file: string): void {
  const path = checkedFile(file);
  if (existsSync(path)) checkAccess(path, constants.W_OK);
  else checkOutputDirectory(dirname(path));
}
/** Throws {@link LaunchError} if a file can neither be created nor replaced by another file. */
export function checkReplacedFile(file: string): void {
  checkOutputDirectory(dirname(checkedFile(file)));
}
function checkedFile(file: string): string {
  const path = resolve(file);
  const dir = dirname(path);
  if (!existsSync(dir)) throw new LaunchError(`Directory not found: ${dir}.`);
  if (existsSync(path) && statSync(path).isDirectory())
    throw new LaunchError(`${path} is a directory, not a file.`);
  return path;
}

function checkAccess(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new LaunchError(`${path} cannot be written (${code}).`);
  }
}
