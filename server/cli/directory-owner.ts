import { statSync } from "node:fs";
import { LaunchError } from "./launch-error.ts";

/**
 * Throws {@link LaunchError} if a directory belongs to another user, or if every user can write to
 * it: they could replace its files by links, and choose what is written where. Root counts as the
 * caller. On Windows nothing is checked.
 */
export function checkOwner(dir: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const { uid, mode } = statSync(dir);
  if (uid !== user && uid !== 0)
    throw new LaunchError(`${dir} belongs to another user (${uid}); use a directory of your own.`);
  if ((mode & 0o002) !== 0)
    throw new LaunchError(
      `${dir} can be written by every user; use a directory of your own, or run chmod o-w on it.`,
    );
}
