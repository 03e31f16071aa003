import { kindOf, type StoreContext } from "../../engine/store-context.ts";
import { notFound } from "../jsonapi/fault.ts";
import { rowOf } from "../rows/change.ts";
import { isId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import type { Principal, WorkspaceRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { teamsOf } from "./principal-teams.ts";
import { noOrganization } from "./organization-access.ts";
import { noRights, type WorkspaceRights } from "./rights.ts";
import { workspaceRights, type RatedWorkspace } from "./workspace-rights.ts";

/** A workspace with its organization, and the caller's rights. */
export interface WorkspaceAccess extends RatedWorkspace {
  readonly workspace: WorkspaceRow;
}

/** ID of a workspace that does not exist, which is looked up like any other ID (V 12). */
const noWorkspace = `ws-${"1".repeat(16)}`;
async function loadAccess(
  storeContext: StoreContext,
  principal: Principal,
  id: string,
): Promise<WorkspaceAccess | undefined> {
  const workspace = await rowOf(storeContext, storedRows.workspace, rowKeys.workspace(id));
  const owner = workspace?.organization ?? noOrganization;
  const [organization, [rights = noRights]] = await Promise.all([
    rowOf(storeContext, storedRows.organization, rowKeys.organization(owner)),
    teamsOf(storeContext, principal).then((teams) =>
      workspaceRights(storeContext, { principal, teams }, [{ organization: owner, id }]),
    ),
  ]);
  return workspace && organization && { workspace, organization, rights };
}
/** Returns the given access. Throws 404 unless it includes the right `need`. */
function requireRight(
  access: WorkspaceAccess | undefined,
  need: keyof WorkspaceRights,
): WorkspaceAccess {
  if (access?.rights[need] !== true) throw notFound();
  return access;
}
/** Returns the workspace ID to look up. Throws 404 if it is malformed. */
function idOf(id: string | undefined): string {
  if (id !== undefined && !isId("ws", id)) throw notFound();
  return id ?? noWorkspace;
}

/**
 * Returns the uncached access to a workspace, for responses that contain the workspace, because
 * clients compare them with what they just wrote. Rejects with 404 if the workspace does not exist
 * or the principal lacks the right `need`.
 */
export const workspaceAccessNow = async (
  storeContext: StoreContext,
  principal: Principal,
  id: string | undefined,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess> =>
  requireRight(await loadAccess(storeContext, principal, idOf(id)), need);

const accesses = kindOf<WorkspaceAccess | undefined>();
/**
 * Returns the access to a workspace from a cache that is at most a second old. Rejects with 404 if
 * the workspace does not exist or the principal does not have the right `need`. An undefined ID
 * stands for a workspace that does not exist.
 */
export async function workspaceAccess(
  storeContext: StoreContext,
  principal: Principal,
  id: string | undefined,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess> {
  const workspace = idOf(id);
  let loaded = false;
  const load = () => ((loaded = true), loadAccess(storeContext, principal, workspace));
  const cached = await storeContext.cache.recent(accesses, `${principal} ${workspace}`, load);
  // reloads the access if the right is missing, so that a grant takes effect at once
  const isOld = cached?.rights[need] === false && !loaded;
  return requireRight(isOld ? await load() : cached, need);
}
