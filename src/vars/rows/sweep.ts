import type { Job } from "../../engine/deployment.ts";
import { refuseNewer } from "../../engine/format.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";
import { changeDirectory, namesBelow } from "./change.ts";
import { teamsIn } from "./directory.ts";
import { varsSteps } from "./format.ts";
import { rowKeys } from "./keys.ts";
import { keysInOrganization, keysInWorkspace, keysOfTeam, keysOnTeam } from "./owned-keys.ts";
import { storedRows } from "./stored.ts";

/** Deletes a team and everything that belongs to it. Returns false if the team does not exist. */
export async function dropTeam(storeContext: StoreContext, id: string): Promise<boolean> {
  const key = rowKeys.team(id);
  const dropped = await changeDirectory(storeContext, async (): Promise<Decision<boolean>> => {
    const [row] = await storeContext.store.get([key]);
    if (!row) return { reply: false };
    return {
      reply: true,
      batch: {
        expect: [[key, row.rev]],
        del: await keysOfTeam(storeContext, storedRows.team(row.value)),
      },
    };
  });
  // deletes access records and tokens that were created concurrently; without the team's row, no
  // more can be created
  if (dropped) await sweepRows(storeContext, await keysOnTeam(storeContext, id));
  return dropped;
}
/** Deletes the teams of an organization except `owners`, one by one. */
export async function sweepTeams(storeContext: StoreContext, organization: string): Promise<void> {
  for (const { id, owners } of await teamsIn(storeContext, organization))
    if (!owners) await dropTeam(storeContext, id);
}
/** Deletes rows to which nothing refers any more. */
export async function sweepRows(
  storeContext: StoreContext,
  keys: readonly string[],
): Promise<void> {
  if (keys.length) await storeContext.store.commit({ del: keys });
}

/** Deletes the remaining rows of a workspace whose own row is deleted. */
export async function sweepWorkspace(storeContext: StoreContext, workspace: string): Promise<void> {
  const keys = await keysInWorkspace(storeContext, workspace);
  if (keys.length > 1) await storeContext.store.commit({ del: keys });
}
/** Deletes the workspaces of an organization with their contents, one by one. */
export async function sweepWorkspaces(
  storeContext: StoreContext,
  organization: string,
): Promise<void> {
  const names = await namesBelow(storeContext, rowKeys.workspaceNames(organization));
  for (const name of names) await dropWorkspace(storeContext, organization, name);
}
async function dropWorkspace(
  storeContext: StoreContext,
  organization: string,
  name: string,
): Promise<void> {
  const key = rowKeys.workspaceName(organization, name);
  const [row] = await storeContext.store.get([key]);
  if (typeof row?.value !== "string") return;
  await storeContext.store.commit({
    del: [key, rowKeys.workspace(row.value), ...(await keysInWorkspace(storeContext, row.value))],
  });
  // deletes variables that were created concurrently
  await sweepWorkspace(storeContext, row.value);
}
/**
 * The job that deletes the rows that were created in an organization during its deletion, one
 * workspace per step. Without the organization's row, no more can be created.
 */
export const organizationEnd: Job<string> = {
  kind: "organization-end",
  of: "storeContext",
  budget: 50,
  step: async (storeContext, organization, progress) => {
    await refuseNewer(storeContext.store, varsSteps);
    const after = progress ?? "";
    const names = await namesBelow(storeContext, rowKeys.workspaceNames(organization));
    const next = names.find((name) => name > after);
    if (next !== undefined) {
      await dropWorkspace(storeContext, organization, next);
      return next;
    }
    await sweepRows(storeContext, await keysInOrganization(storeContext, organization));
    storeContext.cache.forget();
    return undefined;
  },
};
/** Returns the row of the `organization-end` job, for the batch that deletes an organization. */
export function organizationEndRow(
  storeContext: StoreContext,
  id: string,
): ReturnType<typeof jobRow> {
  const now = storeContext.ports.now();
  return jobRow({ due: now, now }, organizationEnd.kind, id);
}
