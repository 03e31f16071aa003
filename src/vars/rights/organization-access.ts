import { wellFormed } from "../../base/code-point.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { notFound } from "../jsonapi/fault.ts";
import { rowOf, textIn } from "../rows/change.ts";
import { keyPart } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import type { OrganizationRow, Principal, TeamRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { teamsOf } from "./principal-teams.ts";
import { organizationRights, type OrganizationRights } from "./rights.ts";

/**
 * ID of an organization that does not exist. It is looked up like any other ID, so that timing does
 * not reveal which organizations exist (V 12).
 */
export const noOrganization = `org-${"1".repeat(16)}`;
/** An organization, with the caller's rights and teams. */
export interface OrganizationAccess {
  readonly organization: OrganizationRow;
  readonly rights: OrganizationRights;
  /** The caller's teams, in any organization. */
  readonly teams: readonly TeamRow[];
}
/**
 * Returns the organization with the given name. Rejects with 404 if there is none, or the caller
 * lacks the right `need` in it.
 */
export async function organizationAccess(
  storeContext: StoreContext,
  principal: Principal,
  name: string,
  need: keyof OrganizationRights,
): Promise<OrganizationAccess> {
  return organizationAccessById(
    storeContext,
    principal,
    (await organizationNamed(storeContext, name)) ?? noOrganization,
    need,
  );
}
/**
 * Finds the ID of an organization by name. Returns undefined if there is none. Rejects with 404 if
 * the name is not valid Unicode.
 */
export async function organizationNamed(
  storeContext: StoreContext,
  name: string,
): Promise<string | undefined> {
  return rowOf(storeContext, textIn, rowKeys.organizationName(await partOf(name)));
}
/**
 * Returns the organization with the given ID (`org-…`). Rejects with 404 if there is none, or the
 * caller lacks the right `need` in it.
 */
export async function organizationAccessById(
  storeContext: StoreContext,
  principal: Principal,
  id: string,
  need: keyof OrganizationRights,
): Promise<OrganizationAccess> {
  const [organization, teams] = await Promise.all([
    rowOf(storeContext, storedRows.organization, rowKeys.organization(id)),
    teamsOf(storeContext, principal),
  ]);
  const rights = organizationRights(principal, teams, id);
  if (!organization || !rights[need]) throw notFound();
  return { organization, rights, teams };
}
/**
 * Finds the ID of a workspace by name. Returns undefined if there is none. Rejects with 404 if the
 * caller cannot see the organization.
 */
export async function workspaceNamed(
  storeContext: StoreContext,
  principal: Principal,
  organization: string,
  workspace: string,
): Promise<string | undefined> {
  const owner = await organizationAccess(storeContext, principal, organization, "see");
  const key = rowKeys.workspaceName(owner.organization.id, await partOf(workspace));
  return rowOf(storeContext, textIn, key);
}
/** Encodes a name as part of a row key. Rejects with 404 if it is not valid Unicode. */
async function partOf(name: string): Promise<string> {
  if (!wellFormed(name)) throw notFound();
  return keyPart(name);
}
