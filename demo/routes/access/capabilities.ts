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
  /** A call with which the token can do the task under a condition. */
  readonly otherwise?: { readonly path: string; readonly condition: string };
}

/** Returns common tasks in a mount, including one for each role. */
export function tasks(mount: string, roles: readonly string[]): readonly Task[] {
  const name = roles[0] ?? "any-role";
  return [
    ...(roles.length > 0 ? roles.slice(0, 3) : ["any-role"]).map((role) =>
      task(`Issue certificates with the role ${role}`, requestOf(pki.issue, { role }, mount)),
    ),
    task("List certificates", requestOf(pki.listCerts, {}, mount), ["list"]),
    {
      ...task("Revoke certificates", requestOf(pki.revoke, {}, mount)),
      otherwise: {
        path: requestOf(pki.revokeWithKey, {}, mount).path,
        condition: "Only with the private key",
      },
    },
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
  /** The condition under which the token can do the task although it lacks capabilities. */
  readonly condition: string;
}

/** Returns the capabilities that a task requires but the token lacks. */
const lacking = (
  needs: readonly string[],
  granted: readonly string[] | undefined,
): readonly string[] =>
  granted?.includes("root") ? [] : needs.filter((need) => !granted?.includes(need));

/** Determines which capabilities the token lacks for each task. */
export async function checkTasks(all: readonly Task[]): Promise<readonly TaskCapabilities[]> {
  const paths = all.flatMap(({ path, otherwise }) => [
    path,
    ...(otherwise ? [otherwise.path] : []),
  ]);
  const granted = await capabilities([...new Set(paths)]);
  return all.map((one) => {
    const { needs, path, otherwise } = one;
    const isPossible = otherwise && lacking(needs, granted[otherwise.path]).length === 0;
    return {
      ...one,
      lacks: lacking(needs, granted[path]),
      condition: isPossible ? otherwise.condition : "",
    };
  });
}
