import { longestPrefix } from "../engine/mount-table.ts";
import type { Deployment } from "../engine/deployment.ts";
import { methods } from "../auth/rows/methods.ts";

/** First segments of paths that are not mounts. */
const ofSystem = new Set(["sys", "identity", "cubbyhole"]);

/**
 * Returns the mount or login method of a path; "" if unknown. One created within the last second
 * may be unknown.
 */
export async function mountOf(ca: Deployment, path: string): Promise<string> {
  const [first = ""] = path.split("/", 1);
  if (ofSystem.has(first)) return first;
  if (first !== "auth") return longestPrefix(await ca.mounts(), path)?.path ?? "";
  const method = longestPrefix(await methods(ca.sys), path.slice(first.length + 1));
  return method ? `auth/${method.path}` : "";
}
