import type { StoreContext } from "../../engine/store-context.ts";
import { rowsOf } from "../rows/change.ts";
import { rowKeys } from "../rows/keys.ts";
import type { AccessRow, NamedWorkspace, OrganizationRow, TeamRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import type { PrincipalWithTeams } from "./principal-teams.ts";
import {
  allRights,
  rightsByAccess,
  unionOfRights,
  organizationRights,
  readRights,
  type WorkspaceRights,
} from "./rights.ts";

/** IDs of a workspace and its organization. */
interface Owned {
  readonly organization: string;
  readonly id: string;
}
/**
 * Returns a principal's rights in workspaces, in the given order. The number of reads is the same
 * for one or many workspaces, and whether or not they are visible.
 */
export async function workspaceRights(
  storeContext: StoreContext,
  { principal, teams }: PrincipalWithTeams,
  workspaces: readonly Owned[],
): Promise<readonly WorkspaceRights[]> {
  const ids = [...new Set(workspaces.map(({ organization }) => organization))];
  const wide = new Map(ids.map((id) => [id, organizationRights(principal, teams, id)]));
  // also looks up workspaces that do not exist
  const candidates = workspaces.filter(
    ({ organization }) => wide.get(organization)?.manageWorkspaces !== true,
  );
  const granted = new Map<string, WorkspaceRights[]>();
  for (const row of await accessRows(storeContext, teams, candidates)) {
    const rights = granted.get(row.workspace);
    if (rights) rights.push(rightsByAccess[row.access](row));
    else granted.set(row.workspace, [rightsByAccess[row.access](row)]);
  }
  return workspaces.map(({ organization, id }) => {
    const { manageWorkspaces = false, readWorkspaces = false } = wide.get(organization) ?? {};
    if (manageWorkspaces) return allRights;
    return unionOfRights([...(granted.get(id) ?? []), ...(readWorkspaces ? [readRights] : [])]);
  });
}
/**
 * Maximum number of access rows to read individually. Above it, listing all access rows of each
 * team is cheaper.
 */
const maxNamed = 1000;
/**
 * Returns the access rows of teams for the requested workspaces, and possibly for other workspaces.
 */
async function accessRows(
  storeContext: StoreContext,
  teams: readonly TeamRow[],
  owned: readonly Owned[],
): Promise<readonly AccessRow[]> {
  if (teams.length * owned.length <= maxNamed)
    return rowsOf(
      storeContext,
      storedRows.access,
      owned.flatMap(({ id }) => teams.map((team) => rowKeys.access(team.id, id))),
    );
  const owners = new Set(owned.map(({ organization }) => organization));
  const here = teams.filter(({ organization }) => owners.has(organization));
  const lists = await Promise.all(
    here.map(({ id }) => storeContext.store.list(rowKeys.accesses(id))),
  );
  return lists.flatMap((rows) => rows.map(([, row]) => storedRows.access(row.value)));
}

/** A listed workspace with its organization. */
export interface ListedWorkspace {
  readonly workspace: NamedWorkspace;
  readonly organization: OrganizationRow;
}
/** A listed workspace with its organization and the caller's rights. */
export interface RatedWorkspace extends ListedWorkspace {
  readonly rights: WorkspaceRights;
}
/**
 * Returns the workspaces in which a principal has the right `need`. Reads uncached rows, but with
 * few calls, because a Worker request can call a Durable Object only a few hundred times.
 */
export async function workspacesWith(
  storeContext: StoreContext,
  holder: PrincipalWithTeams,
  listed: readonly ListedWorkspace[],
  need: keyof WorkspaceRights,
): Promise<readonly RatedWorkspace[]> {
  const all = await workspaceRights(
    storeContext,
    holder,
    listed.map(({ workspace, organization }) => ({
      organization: organization.id,
      id: workspace.id,
    })),
  );
  return listed.flatMap((each, i) => {
    const rights = all[i];
    return rights?.[need] ? [{ ...each, rights }] : [];
  });
}
