import { longestPrefix } from "../base/longest-prefix.ts";
import type { Deployment } from "../engine/deployment.ts";
import { methods } from "../engine/methods.ts";

/** What answers without being one of the mounts that can be made. */
const ofSystem = new Set(["sys", "identity", "cubbyhole"]);

/**
 * The mount that a path is on or below, the logins among them; "" where it is on none that is
 * known. Made at most a second ago, it may be unknown still.
 */
export async function mountOf(ca: Deployment, path: string): Promise<string> {
  const [first = ""] = path.split("/", 1);
  if (ofSystem.has(first)) return first;
  if (first !== "auth") return longestPrefix(await ca.mounts(), path)?.path ?? "";
  const method = longestPrefix(await methods(ca.sys), path.slice(first.length + 1));
  return method ? `auth/${method.path}` : "";
}
