import { statSync } from "node:fs";
import { LaunchError } from "../settings/launch-error.ts";

/**
 * Throws {@link LaunchError} if a directory belongs to another user, or if others can write to it:
 * they could replace its files with links and so redirect writes. Accepts directories of root, and
 * write access for the group whose ID equals the owner's. Checks nothing on Windows.
 */
export function checkOwner(dir: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const { uid, gid, mode } = statSync(dir);
  if (uid !== user && uid !== 0)
    throw new LaunchError(`${dir} belongs to another user (${uid}); use a directory of your own.`);
  const [others, letters] =
    (mode & 0o002) !== 0
      ? ["every user", "go-w"]
      : (mode & 0o020) !== 0 && gid !== uid
        ? [`the group ${gid}`, "g-w"]
        : [];
  if (others !== undefined)
    throw new LaunchError(
      `${dir} is writable by ${others}; use a directory of your own, or run chmod ${letters} on it.`,
    );
}
