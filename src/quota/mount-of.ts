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
  if (first !== "auth") return longest(await ca.mounts(), path);
  const method = longest(await methods(ca.sys), path.slice(first.length + 1));
  return method === "" ? "" : `auth/${method}`;
}
function longest(known: ReadonlyMap<string, unknown>, path: string): string {
  let most = 0;
  for (const mount of known.keys()) most = Math.max(most, mount.length);
  // no part longer than the longest mount is one: a path of many slashes is not tried at each
  for (
    let end = path.length <= most ? path.length : path.lastIndexOf("/", most);
    end > 0;
    end = path.lastIndexOf("/", end - 1)
  ) {
    const candidate = path.slice(0, end);
    if (known.has(candidate)) return candidate;
  }
  return "";
}
