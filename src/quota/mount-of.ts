import { longestPrefix } from "../engine/mount-table.ts";
import type { Deployment } from "../engine/deployment.ts";
import { methods } from "../auth/rows/methods.ts";

/** First path segments that are not mounts. */
const ofSystem = new Set(["sys", "identity", "cubbyhole"]);

/**
 * Returns the mount or login method to which a path belongs, or "" if there is none. It may miss a
 * mount or method that was created within the last second.
 */
export async function mountOf(deployment: Deployment, path: string): Promise<string> {
  const [first = ""] = path.split("/", 1);
  if (ofSystem.has(first)) return first;
  if (first !== "auth") return longestPrefix(await deployment.mounts(), path)?.path ?? "";
  const method = longestPrefix(await methods(deployment.sys), path.slice(first.length + 1));
  return method ? `auth/${method.path}` : "";
}
