import type { StoreContext } from "../../engine/store-context.ts";
import { namesBelow, rowsOf } from "../rows/change.ts";
import { rowKeys } from "../rows/keys.ts";
import {
  isOrganization,
  isUser,
  type OrganizationRow,
  type Principal,
  type TeamRow,
} from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";

/** A principal with the teams that give it rights, which are loaded once per request. */
export interface PrincipalWithTeams {
  readonly principal: Principal;
  readonly teams: readonly TeamRow[];
}
/**
 * Returns the teams that give a principal rights: the teams of a user, or the team itself. An
 * organization has none.
 */
export async function teamsOf(
  storeContext: StoreContext,
  principal: Principal,
): Promise<readonly TeamRow[]> {
  if (isOrganization(principal)) return [];
  const ids = isUser(principal)
    ? await namesBelow(storeContext, rowKeys.memberships(principal))
    : [principal];
  return rowsOf(storeContext, storedRows.team, ids.map(rowKeys.team));
}
/** Returns the organizations that a principal can see. */
export async function organizationsOf(
  storeContext: StoreContext,
  { principal, teams }: PrincipalWithTeams,
): Promise<readonly OrganizationRow[]> {
  const ids = isOrganization(principal)
    ? [principal]
    : [...new Set(teams.map(({ organization }) => organization))];
  return rowsOf(storeContext, storedRows.organization, ids.map(rowKeys.organization));
}
