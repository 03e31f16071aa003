import type { Job } from "../../engine/deployment.ts";
import { refuseNewer } from "../../engine/format.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Decision, Partition } from "../../engine/partition.ts";
import { changeDirectory, namesBelow } from "./change.ts";
import { teamsIn } from "./directory.ts";
import { varsSteps } from "./format.ts";
import { rowKeys } from "./keys.ts";
import { keysInOrganization, keysInWorkspace, keysOfTeam, keysOnTeam } from "./owned-keys.ts";
import { storedRows } from "./stored.ts";

/** Deletes a team and its dependents; false if there is none. */
export async function dropTeam(partition: Partition, id: string): Promise<boolean> {
  const key = rowKeys.team(id);
  const dropped = await changeDirectory(partition, async (): Promise<Decision<boolean>> => {
    const [row] = await partition.store.get([key]);
    if (!row) return { reply: false };
    return {
      reply: true,
      batch: {
        expect: [[key, row.rev]],
        del: await keysOfTeam(partition, storedRows.team(row.value)),
      },
    };
  });
  // access or tokens created meanwhile; none can follow without the team's row
  if (dropped) await sweepRows(partition, await keysOnTeam(partition, id));
  return dropped;
}
/** Deletes the teams of an organization except `owners`, one by one. */
export async function sweepTeams(partition: Partition, organization: string): Promise<void> {
  for (const { id, owners } of await teamsIn(partition, organization))
    if (!owners) await dropTeam(partition, id);
}
/** Deletes rows that nothing leads to any more. */
export async function sweepRows(partition: Partition, keys: readonly string[]): Promise<void> {
  if (keys.length) await partition.store.commit({ del: keys });
}

/** Deletes the remains of a workspace whose own row is gone. */
export async function sweepWorkspace(partition: Partition, workspace: string): Promise<void> {
  const keys = await keysInWorkspace(partition, workspace);
  if (keys.length > 1) await partition.store.commit({ del: keys });
}
/** Deletes the workspaces of an organization with their contents, one by one. */
export async function sweepWorkspaces(partition: Partition, organization: string): Promise<void> {
  const names = await namesBelow(partition, rowKeys.workspaceNames(organization));
  for (const name of names) await dropWorkspace(partition, organization, name);
}
async function dropWorkspace(
  partition: Partition,
  organization: string,
  name: string,
): Promise<void> {
  const key = rowKeys.workspaceName(organization, name);
  const [row] = await partition.store.get([key]);
  if (typeof row?.value !== "string") return;
  await partition.store.commit({
    del: [key, rowKeys.workspace(row.value), ...(await keysInWorkspace(partition, row.value))],
  });
  // a variable created meanwhile
  await sweepWorkspace(partition, row.value);
}
/**
 * Deletes what was created in an organization during its deletion, one workspace per step; none can
 * follow without the organization's row.
 */
export const organizationEnd: Job<string> = {
  kind: "organization-end",
  of: "partition",
  budget: 50,
  step: async (partition, organization, progress) => {
    await refuseNewer(partition.store, varsSteps);
    const after = progress ?? "";
    const names = await namesBelow(partition, rowKeys.workspaceNames(organization));
    const next = names.find((name) => name > after);
    if (next !== undefined) {
      await dropWorkspace(partition, organization, next);
      return next;
    }
    await sweepRows(partition, await keysInOrganization(partition, organization));
    partition.cache.forget();
    return undefined;
  },
};
/** The row of that job, for the change that deletes the organization. */
export function organizationEndRow(partition: Partition, id: string): ReturnType<typeof jobRow> {
  const now = partition.ports.now();
  return jobRow({ due: now, now }, organizationEnd.kind, id);
}
