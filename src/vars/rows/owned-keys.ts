import type { StoreContext } from "../../engine/store-context.ts";
import { rowsOf, textIn } from "./change.ts";
import { teamsIn } from "./directory.ts";
import { keyPart } from "./ids.ts";
import { rowKeys } from "./keys.ts";
import type { Principal, TeamRow } from "./rows.ts";
import { storedRows } from "./stored.ts";

/**
 * Returns the keys of all rows in a workspace: variables, the rows that reserve their keys, and the
 * quota.
 */
export async function keysInWorkspace(
  storeContext: StoreContext,
  workspace: string,
): Promise<readonly string[]> {
  const keys = await storeContext.store.list(rowKeys.variableKeys(workspace));
  return [
    ...keys.flatMap(([key, row]) => [key, rowKeys.variable(storedRows.key(row.value).id)]),
    rowKeys.quota(workspace),
  ];
}
/** Returns the row keys of all access records for a workspace. */
export async function accessKeysOf(
  storeContext: StoreContext,
  organization: string,
  workspace: string,
): Promise<readonly string[]> {
  const teams = await teamsIn(storeContext, organization);
  const keys = teams.map(({ id }) => rowKeys.access(id, workspace));
  const rows = await rowsOf(storeContext, storedRows.access, keys);
  return rows.flatMap((row) => [rowKeys.access(row.team, row.workspace), rowKeys.accessId(row.id)]);
}
/** Returns the row keys of all tokens of a principal. */
export async function tokenKeysOf(
  storeContext: StoreContext,
  principal: Principal,
): Promise<readonly string[]> {
  const rows = await storeContext.store.list(rowKeys.tokensOf(principal));
  // rows under tokens/ contain the hash of a token
  const keys = rows.flatMap(([key, row]) => [
    key,
    rowKeys.token(textIn(row.value)),
    rowKeys.tokenId(key.slice(rowKeys.tokensOf(principal).length)),
  ]);
  return [...keys, rowKeys.soleToken(principal)];
}
/** Returns the row keys of a team, its name, memberships, access and tokens. */
export async function keysOfTeam(
  storeContext: StoreContext,
  team: TeamRow,
): Promise<readonly string[]> {
  return [
    rowKeys.team(team.id),
    rowKeys.teamName(team.organization, await keyPart(team.name)),
    ...team.users.map((user) => rowKeys.membership(user, team.id)),
    ...(await keysOnTeam(storeContext, team.id)),
  ];
}
/** Returns the row keys of a team's access and tokens. */
export async function keysOnTeam(
  storeContext: StoreContext,
  team: string,
): Promise<readonly string[]> {
  const [accesses, tokens] = await Promise.all([
    storeContext.store.list(rowKeys.accesses(team)),
    tokenKeysOf(storeContext, team),
  ]);
  return [
    ...accesses.flatMap(([key, row]) => [key, rowKeys.accessId(storedRows.access(row.value).id)]),
    ...tokens,
  ];
}
/**
 * Returns the row keys of an organization's tokens and teams, including all rows that belong to the
 * teams.
 */
export async function keysInOrganization(
  storeContext: StoreContext,
  organization: string,
): Promise<readonly string[]> {
  const teams = await teamsIn(storeContext, organization);
  return [
    ...(await tokenKeysOf(storeContext, organization)),
    ...(await Promise.all(teams.map((team) => keysOfTeam(storeContext, team)))).flat(),
  ];
}
