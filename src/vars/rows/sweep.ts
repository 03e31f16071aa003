import type { Job } from "../../engine/deployment.ts";
import { refuseNewer } from "../../engine/format.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Decision, Unit } from "../../engine/partition.ts";
import { changeDirectory, namesBelow } from "./change.ts";
import { teamsIn } from "./directory.ts";
import { varsSteps } from "./format.ts";
import { rowKeys } from "./keys.ts";
import { keysInOrganization, keysInWorkspace, keysOfTeam, keysOnTeam } from "./owned-keys.ts";
import { storedRows } from "./stored.ts";

/** Deletes a team and its dependents; false if there is none. */
export async function dropTeam(unit: Unit, id: string): Promise<boolean> {
  const key = rowKeys.team(id);
  const dropped = await changeDirectory(unit, async (): Promise<Decision<boolean>> => {
    const [row] = await unit.store.get([key]);
    if (!row) return { reply: false };
    return {
      reply: true,
      batch: { expect: [[key, row.rev]], del: await keysOfTeam(unit, storedRows.team(row.value)) },
    };
  });
  // access or tokens created meanwhile; none can follow without the team's row
  if (dropped) await sweepRows(unit, await keysOnTeam(unit, id));
  return dropped;
}
/** Deletes the teams of an organization except `owners`, one by one. */
export async function sweepTeams(unit: Unit, organization: string): Promise<void> {
  for (const { id, owners } of await teamsIn(unit, organization))
    if (!owners) await dropTeam(unit, id);
}
/** Deletes rows that nothing leads to any more. */
export async function sweepRows(unit: Unit, keys: readonly string[]): Promise<void> {
  if (keys.length) await unit.store.commit({ del: keys });
}

/** Deletes the remains of a workspace whose own row is gone. */
export async function sweepWorkspace(unit: Unit, workspace: string): Promise<void> {
  const keys = await keysInWorkspace(unit, workspace);
  if (keys.length > 1) await unit.store.commit({ del: keys });
}
/** Deletes the workspaces of an organization with their contents, one by one. */
export async function sweepWorkspaces(unit: Unit, organization: string): Promise<void> {
  const names = await namesBelow(unit, rowKeys.workspaceNames(organization));
  for (const name of names) await dropWorkspace(unit, organization, name);
}
async function dropWorkspace(unit: Unit, organization: string, name: string): Promise<void> {
  const key = rowKeys.workspaceName(organization, name);
  const [row] = await unit.store.get([key]);
  if (typeof row?.value !== "string") return;
  await unit.store.commit({
    del: [key, rowKeys.workspace(row.value), ...(await keysInWorkspace(unit, row.value))],
  });
  // a variable created meanwhile
  await sweepWorkspace(unit, row.value);
}
/**
 * Deletes what was created in an organization during its deletion, one workspace per step; none can
 * follow without the organization's row.
 */
export const organizationEnd: Job<string> = {
  kind: "organization-end",
  of: "unit",
  budget: 50,
  step: async (unit, organization, progress) => {
    await refuseNewer(unit.store, varsSteps);
    const after = progress ?? "";
    const names = await namesBelow(unit, rowKeys.workspaceNames(organization));
    const next = names.find((name) => name > after);
    if (next !== undefined) {
      await dropWorkspace(unit, organization, next);
      return next;
    }
    await sweepRows(unit, await keysInOrganization(unit, organization));
    unit.cache.forget();
    return undefined;
  },
};
/** The row of that job, for the change that deletes the organization. */
export function organizationEndRow(unit: Unit, id: string): ReturnType<typeof jobRow> {
  const now = unit.ports.now();
  return jobRow({ due: now, now }, organizationEnd.kind, id);
}
