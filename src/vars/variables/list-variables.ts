import { byCodePoint } from "../../base/code-point.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint, type Caller } from "../../wire/endpoint.ts";
import { parameter } from "../jsonapi/document.ts";
import { badFilter } from "../jsonapi/fault.ts";
import { oldList } from "../jsonapi/deprecated.ts";
import { organizationsOf, teamsOf } from "../rights/principal-teams.ts";
import { workspaceNamed } from "../rights/organization-access.ts";
import { workspaceAccess } from "../rights/workspace-access.ts";
import { workspacesWith, type ListedWorkspace } from "../rights/workspace-rights.ts";
import { workspacesIn } from "../rows/directory.ts";
import { variablesIn, type Portions } from "./read-variables.ts";
import {
  allVariables,
  documentsOf,
  manyVariables,
  portionsOf,
  type VariableDocument,
} from "./variable-document.ts";

const [workspaceFilter, organizationFilter] = [
  "filter[workspace][name]",
  "filter[organization][name]",
] as const;
export const listVars = storeEndpoint({
  id: "listVars",
  at: ["GET /vars"],
  access: "known",
  style: oldList,
  doc: "Lists the variables of one workspace, or of all workspaces (at most 800) whose variables the caller may read. Deprecated: use `GET /workspaces/:workspace_id/vars`.",
  body: {
    [workspaceFilter]: parameter("Name of the workspace; requires the organization's name."),
    [organizationFilter]: parameter("Name of the organization; requires the workspace's name."),
  },
  reply: manyVariables,
  refuses: ["not_found", "malformed"],
  run: async (storeContext, input, caller) => {
    const [workspace, organization] = [input[workspaceFilter], input[organizationFilter]];
    if (workspace === undefined && organization === undefined)
      return { data: partsOf(storeContext, await readableWorkspaces(storeContext, caller)) };
    if (workspace === undefined)
      throw badFilter(
        `${workspaceFilter} must be given together with ${organizationFilter}`,
        workspaceFilter,
      );
    if (organization === undefined)
      throw badFilter(
        `${organizationFilter} must be given together with ${workspaceFilter}`,
        organizationFilter,
      );
    const id = await workspaceNamed(storeContext, caller.identity.id, organization, workspace);
    return allVariables(
      storeContext,
      await workspaceAccess(storeContext, caller.identity.id, id, "readVariables"),
      "vars",
    );
  },
});
/**
 * Maximum number of workspaces in a list of variables. Each is read separately, and a Worker
 * request may call a Durable Object at most a thousand times.
 */
const maxWorkspaces = 800;
const tooManyWorkspaces = () =>
  badFilter(
    `cannot list the variables of more than ${maxWorkspaces} workspaces at once; specify the name of a workspace`,
    workspaceFilter,
  );
/** Number of organizations whose workspaces are listed in parallel. */
const abreast = 8;
/**
 * Returns the workspaces whose variables the caller may read, sorted by organization and name.
 * Rejects with 400 if there are too many.
 */
async function readableWorkspaces(
  storeContext: StoreContext,
  caller: Caller,
): Promise<readonly ListedWorkspace[]> {
  const holder = {
    principal: caller.identity.id,
    teams: await teamsOf(storeContext, caller.identity.id),
  };
  const organizations = (await organizationsOf(storeContext, holder)).toSorted((one, other) =>
    byCodePoint(one.name, other.name),
  );
  const workspaces: ListedWorkspace[] = [];
  for (let at = 0; at < organizations.length; at += abreast) {
    const group = organizations.slice(at, at + abreast);
    const listed = await Promise.all(
      group.map(async (organization) =>
        (await workspacesIn(storeContext, organization.id)).map((workspace) => ({
          workspace,
          organization,
        })),
      ),
    );
    workspaces.push(
      ...(await workspacesWith(storeContext, holder, listed.flat(), "readVariables")),
    );
    if (workspaces.length > maxWorkspaces) throw tooManyWorkspaces();
  }
  return workspaces;
}
/** Number of workspaces whose variables are read in advance. */
const ahead = 3;
/** Yields the variables of workspaces, in the order of the workspaces. */
async function* partsOf(
  storeContext: StoreContext,
  workspaces: readonly ListedWorkspace[],
): AsyncIterable<Iterable<VariableDocument>> {
  const begun: { readonly first: ReturnType<Portions["next"]>; readonly portions: Portions }[] = [];
  for (const [i, listed] of workspaces.entries()) {
    for (const { workspace } of workspaces.slice(i + begun.length, i + ahead)) {
      const portions = variablesIn(storeContext, workspace.id);
      const first = portions.next();
      // nothing awaits this promise if the consumer stops early
      first.catch(() => undefined);
      begun.push({ first, portions });
    }
    const { first, portions } = begun.shift() ?? {};
    const rows = await first;
    if (rows?.value) yield documentsOf(storeContext, rows.value, listed, "vars");
    if (portions) yield* portionsOf(storeContext, portions, listed, "vars");
  }
}
