import type { Deployment } from "../../engine/deployment.ts";

/** What answers without being one of the mounts that can be made. */
const ofSystem = new Set(["sys", "identity", "cubbyhole"]);

/**
 * The mount that a path is on or below, the logins among them; "" where it is on none that is
 * known. Made at most a second ago, it may be unknown still.
 */
export async function mountOf(ca: Deployment, path: string): Promise<string> {
  const [first = "", second] = path.split("/", 2);
  if (ofSystem.has(first)) return first;
  if (first === "auth") return second ? `auth/${second}` : "";
  const mounts = await ca.mounts();
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const candidate = path.slice(0, end);
    if (mounts.has(candidate)) return candidate;
  }
  return "";
}
