import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Decision, Unit } from "../../engine/unit.ts";
import { changeDirectory, namesBelow, rowsOf, textIn } from "./change.ts";
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
/** Deletes a team and everything that hangs on it; false when there is none. */
export async function dropTeam(ca: Unit, id: string): Promise<boolean> {
  const key = rowKeys.team(id);
  const dropped = await changeDirectory(ca, async (): Promise<Decision<boolean>> => {
    const [row] = await ca.store.get([key]);
    if (!row) return { reply: false };
    return {
      reply: true,
      batch: { expect: [[key, row.rev]], del: await keysOfTeam(ca, storedRows.team(row.value)) },
    };
  });
  // access or a token that was made meanwhile: without the team's own row no more can be
  if (dropped) await sweepRows(ca, await keysOnTeam(ca, id));
  return dropped;
}
/** Deletes the teams of an organization but `owners`, one after the other. */
export async function sweepTeams(ca: Unit, organization: string): Promise<void> {
  for (const { id, owners } of await teamsIn(ca, organization)) if (!owners) await dropTeam(ca, id);
}
/** Deletes rows that nothing leads to any more. */
export async function sweepRows(ca: Unit, keys: readonly string[]): Promise<void> {
  if (keys.length) await ca.store.commit({ del: keys });
}

/** Deletes what is left of a workspace whose own row is gone. */
export async function sweepWorkspace(ca: Unit, workspace: string): Promise<void> {
  const keys = await keysInWorkspace(ca, workspace);
  if (keys.length > 1) await ca.store.commit({ del: keys });
}
/** Deletes the workspaces of an organization with what is in them, one after the other. */
export async function sweepWorkspaces(ca: Unit, organization: string): Promise<void> {
  const names = await namesBelow(ca, rowKeys.workspaceNames(organization));
  for (const name of names) await dropWorkspace(ca, organization, name);
}
async function dropWorkspace(ca: Unit, organization: string, name: string): Promise<void> {
  const key = rowKeys.workspaceName(organization, name);
  const [row] = await ca.store.get([key]);
  if (typeof row?.value !== "string") return;
  await ca.store.commit({
    del: [key, rowKeys.workspace(row.value), ...(await keysInWorkspace(ca, row.value))],
  });
  // a variable that was made meanwhile
  await sweepWorkspace(ca, row.value);
}
/**
 * Deletes what was made in an organization while it was deleted, one workspace a step: without the
 * organization's own row nothing more can be made.
 */
export const organizationEnd: Job = {
  kind: "organization-end",
  of: "unit",
  budget: 50,
  step: async (ca, organization, progress) => {
    const after = typeof progress === "string" ? progress : "";
    const names = await namesBelow(ca, rowKeys.workspaceNames(organization));
    const next = names.find((name) => name > after);
    if (next !== undefined) {
      await dropWorkspace(ca, organization, next);
      return next;
    }
    await sweepRows(ca, await keysInOrganization(ca, organization));
    ca.cache.forget();
    return undefined;
  },
};
/** The row of that job, for the change that deletes the organization. */
export function organizationEndRow(ca: Unit, id: string): ReturnType<typeof jobRow> {
  const now = ca.ports.now();
  return jobRow({ due: now, now }, organizationEnd.kind, id);
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
