import type { StoreContext } from "../../engine/store-context.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { invalidError, notFound, requestFault } from "../jsonapi/fault.ts";
import { organizationAccessById } from "../rights/organization-access.ts";
import type { OrganizationRights } from "../rights/rights.ts";
import { rowOf } from "../rows/change.ts";
import { changeRow, type RowChange } from "../rows/change-row.ts";
import { isId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import type { TeamRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";

/** A team, and the caller's rights in its organization. */
interface TeamWithRights {
  readonly team: TeamRow;
  readonly rights: OrganizationRights;
}
/**
 * Returns the team with the given ID. Rejects with 404 if the caller may not see the team or, with
 * `manage`, may not change it. Secret teams are visible only to their members and to team managers.
 */
export async function teamOf(
  storeContext: StoreContext,
  caller: Caller,
  id: string,
  need: "see" | "manage",
): Promise<TeamWithRights> {
  const team = isId("team", id)
    ? await rowOf(storeContext, storedRows.team, rowKeys.team(id))
    : undefined;
  if (!team) throw notFound();
  const { rights } = await organizationAccessById(
    storeContext,
    caller.identity.id,
    team.organization,
    need === "manage" ? "manageTeams" : "see",
  );
  if (
    !canSeeTeam(caller, team, rights.manageTeams) ||
    (need === "manage" && team.owners && !rights.own)
  )
    throw notFound();
  return { team, rights };
}
/** Reports whether a caller may see a team. With `all`, the caller may also see secret teams. */
export const canSeeTeam = (caller: Caller, team: TeamRow, all: boolean): boolean =>
  all ||
  team.visibility === "organization" ||
  team.id === caller.identity.id ||
  team.users.includes(caller.identity.id);

/** Changes the current row of a team. */
export const changeTeam = <T>(
  storeContext: StoreContext,
  id: string,
  make: (team: TeamRow) => Promise<RowChange<TeamRow, T>> | RowChange<TeamRow, T>,
): Promise<T> => changeRow(storeContext, { key: rowKeys.team(id), read: storedRows.team }, make);
/**
 * Returns a team without some of its members. Throws 422 if that would leave the organization
 * without an owner.
 */
export function withoutMembers(team: TeamRow, removed: readonly string[]): TeamRow {
  const users = team.users.filter((user) => !removed.includes(user));
  if (team.owners && users.length === 0)
    throw invalidError([requestFault("/data", "an organization must have at least one owner")]);
  return { ...team, users };
}
