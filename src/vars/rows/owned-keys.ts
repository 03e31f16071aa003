import type { Unit } from "../../engine/unit.ts";
import { rowsOf, textIn } from "./change.ts";
import { teamsIn } from "./directory.ts";
import { keyPart } from "./ids.ts";
import { rowKeys } from "./keys.ts";
import type { Principal, TeamRow } from "./rows.ts";
import { storedRows } from "./stored.ts";

/** Keys of everything in a workspace: variables, their keys, its quota. */
export async function keysInWorkspace(ca: Unit, workspace: string): Promise<readonly string[]> {
  const keys = await ca.store.list(rowKeys.variableKeys(workspace));
  return [
    ...keys.flatMap(([key, row]) => [key, rowKeys.variable(storedRows.key(row.value).id)]),
    rowKeys.quota(workspace),
  ];
}
/** Keys of what gives teams of an organization access to a workspace. */
export async function accessKeysOf(
  ca: Unit,
  organization: string,
  workspace: string,
): Promise<readonly string[]> {
  const teams = await teamsIn(ca, organization);
  const keys = teams.map(({ id }) => rowKeys.access(id, workspace));
  const rows = await rowsOf(ca, storedRows.access, keys);
  return rows.flatMap((row) => [rowKeys.access(row.team, row.workspace), rowKeys.accessId(row.id)]);
}
/** Keys of all tokens of a principal. */
export async function tokenKeysOf(ca: Unit, principal: Principal): Promise<readonly string[]> {
  const rows = await ca.store.list(rowKeys.tokensOf(principal));
  // rows below tokens/ hold the token's hash
  const keys = rows.flatMap(([key, row]) => [
    key,
    rowKeys.token(textIn(row.value)),
    rowKeys.tokenId(key.slice(rowKeys.tokensOf(principal).length)),
  ]);
  return [...keys, rowKeys.soleToken(principal)];
}
/** Keys of a team and everything that hangs on it. */
export async function keysOfTeam(ca: Unit, team: TeamRow): Promise<readonly string[]> {
  return [
    rowKeys.team(team.id),
    rowKeys.teamName(team.organization, await keyPart(team.name)),
    ...team.users.map((user) => rowKeys.membership(user, team.id)),
    ...(await keysOnTeam(ca, team.id)),
  ];
}
/** Keys of a team's access and tokens. */
export async function keysOnTeam(ca: Unit, team: string): Promise<readonly string[]> {
  const [accesses, tokens] = await Promise.all([
    ca.store.list(rowKeys.accesses(team)),
    tokenKeysOf(ca, team),
  ]);
  return [
    ...accesses.flatMap(([key, row]) => [key, rowKeys.accessId(storedRows.access(row.value).id)]),
    ...tokens,
  ];
}
/** Keys of an organization's own tokens, and of its teams with theirs. */
export async function keysInOrganization(
  ca: Unit,
  organization: string,
): Promise<readonly string[]> {
  const teams = await teamsIn(ca, organization);
  return [
    ...(await tokenKeysOf(ca, organization)),
    ...(await Promise.all(teams.map((team) => keysOfTeam(ca, team)))).flat(),
  ];
}
