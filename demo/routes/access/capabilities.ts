import * as auth from "../../api/endpoints/auth.ts";
import * as pki from "../../api/endpoints/pki.ts";
import * as sys from "../../api/endpoints/sys.ts";
import { requestOf, type EndpointRequest } from "../../api/endpoint.ts";
import { capabilities } from "../../api/token-self.ts";

/** A common task and the capabilities that it requires. */
interface Task {
  readonly title: string;
  readonly path: string;
  readonly needs: readonly string[];
}

/** Returns common tasks in a mount, including one for each role. */
export function tasks(mount: string, roles: readonly string[]): readonly Task[] {
  const name = roles[0] ?? "any-role";
  return [
    ...(roles.length > 0 ? roles.slice(0, 3) : ["any-role"]).map((role) =>
      task(`Issue certificates with the role ${role}`, requestOf(pki.issue, { role }, mount)),
    ),
    task("List certificates", requestOf(pki.listCerts, {}, mount), ["list"]),
    task("Revoke certificates", requestOf(pki.revoke, {}, mount)),
    task("Read roles", requestOf(pki.readRole, { name }, mount), ["read"]),
    task("Change roles", requestOf(pki.writeRole, { name }, mount)),
    task("Create CAs", requestOf(pki.generateRoot, {}, mount)),
    task("Create ACME EAB keys", requestOf(pki.newEab, {}, mount)),
    task("Change policies", requestOf(sys.writePolicy, { name: "any-policy" })),
    task("Create tokens", requestOf(auth.createToken)),
    task("List tokens", requestOf(auth.listAccessors), ["list", "sudo"]),
    task("Change login methods", requestOf(sys.enableMethod, { path: "any-method" }), [
      "update",
      "sudo",
    ]),
    task("Read the activity log", requestOf(sys.listAuditEvents), ["list", "sudo"]),
    task("Back up the mount", requestOf(sys.backUp, { path: mount }), ["read", "sudo"]),
  ];
}

const task = (
  title: string,
  { path }: EndpointRequest,
  needs: readonly string[] = ["update"],
): Task => ({ title, path: decodeURIComponent(path), needs });

/** A task and the required capabilities that the token lacks. */
export interface TaskCapabilities extends Task {
  readonly lacks: readonly string[];
}

/** Returns the capabilities that a task requires but the token lacks. */
const lacking = (
  needs: readonly string[],
  granted: readonly string[] | undefined,
): readonly string[] =>
  granted?.includes("root") ? [] : needs.filter((need) => !granted?.includes(need));

/** Determines which capabilities the token lacks for each task. */
export async function checkTasks(all: readonly Task[]): Promise<readonly TaskCapabilities[]> {
  const granted = await capabilities([...new Set(all.map(({ path }) => path))]);
  return all.map((one) => ({ ...one, lacks: lacking(one.needs, granted[one.path]) }));
}
