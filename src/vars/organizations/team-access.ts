import type { Expect } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint, type Caller } from "../../wire/endpoint.ts";
import { parameter } from "../jsonapi/document.ts";
import { readResource, relatedId } from "../jsonapi/resource.ts";
import { attributeFault, badFilter, invalidError, notFound, type Fault } from "../jsonapi/fault.ts";
import { pagedStyle, pageOf, pagedReply, pageFields } from "../jsonapi/paging.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { workspaceAccess } from "../rights/workspace-access.ts";
import { changeDirectory, rowOf, rowsOf, textIn } from "../rows/change.ts";
import { changeRow } from "../rows/change-row.ts";
import { teamsIn } from "../rows/directory.ts";
import { isId, newId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import type { AccessRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import {
  accessAfter,
  accessData,
  accessDocument,
  accessSchema,
  oneAccess as reply,
} from "./access-levels.ts";
import { canSeeTeam, teamOf } from "./team.ts";

/**
 * Returns an access record. Rejects with 404 if the record does not exist, or if the caller does
 * not have the right `need` in its workspace or may not see its team.
 */
async function recordOf(
  storeContext: StoreContext,
  caller: Caller,
  id: string,
  need: "see" | "manage",
): Promise<AccessRow> {
  const key = isId("tws", id) ? await rowOf(storeContext, textIn, rowKeys.accessId(id)) : undefined;
  const row = key === undefined ? undefined : await rowOf(storeContext, storedRows.access, key);
  if (!row) throw notFound();
  await workspaceAccess(storeContext, caller.identity.id, row.workspace, need);
  await teamOf(storeContext, caller, row.team, "see");
  return row;
}
const rowAt = ({ team, workspace }: AccessRow) => ({
  key: rowKeys.access(team, workspace),
  read: storedRows.access,
});

export const listAccess = storeEndpoint({
  id: "listTeamAccess",
  at: ["GET /team-workspaces"],
  access: "known",
  style: pagedStyle,
  doc: "Lists the access of teams to a workspace.",
  body: { ...pageFields, "filter[workspace][id]": parameter("ID of the workspace.") },
  reply: pagedReply(accessSchema),
  refuses: ["not_found", "malformed"],
  run: async (storeContext, input, caller) => {
    const name = "filter[workspace][id]";
    const id = input[name];
    if (id === undefined) throw badFilter(`${name} must be given`, name);
    const { organization, rights } = await workspaceAccess(
      storeContext,
      caller.identity.id,
      id,
      "see",
    );
    const teams = await teamsIn(storeContext, organization.id);
    const visible = teams.filter((team) => canSeeTeam(caller, team, rights.manage));
    const rows = await rowsOf(
      storeContext,
      storedRows.access,
      visible.map((team) => rowKeys.access(team.id, id)),
    );
    return pageOf(rows.map(accessDocument), input, { whole: true });
  },
});

export const createAccess = storeEndpoint({
  id: "createTeamAccess",
  at: ["POST /team-workspaces"],
  access: "known",
  style: jsonapi,
  status: 201,
  doc: "Grants a team access to a workspace.",
  body: { data: accessData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { data }, caller) => {
    const resource = readResource(data?.(), { type: "team-workspaces" });
    const [teamId, workspaceId] = [
      relatedId(resource, "team", "teams"),
      relatedId(resource, "workspace", "workspaces"),
    ];
    const { workspace } = await workspaceAccess(
      storeContext,
      caller.identity.id,
      workspaceId,
      "manage",
    );
    const { team } = await teamOf(storeContext, caller, teamId, "see");
    if (team.organization !== workspace.organization) throw notFound();
    const { attributes } = resource;
    if (attributes["access"] === undefined || attributes["access"] === null)
      throw invalidError([attributeFault("access", "Access can't be blank")]);
    const row = accessAfter(
      {
        id: newId("tws", storeContext.ports.random),
        team: team.id,
        workspace: workspace.id,
        access: "custom",
        variables: "none",
        settings: {},
      },
      attributes,
    );
    await granted(storeContext, row);
    return { data: accessDocument(row) };
  },
});
/**
 * Stores a team's access to a workspace. Rejects with 404 if the team or the workspace no longer
 * exists, and with 422 if the team already has access.
 */
async function granted(storeContext: StoreContext, row: AccessRow): Promise<void> {
  const key = rowKeys.access(row.team, row.workspace);
  const owners = [rowKeys.team(row.team), rowKeys.workspace(row.workspace)];
  await changeDirectory(storeContext, async () => {
    const [existing, ...ownerRows] = await storeContext.store.get([key, ...owners]);
    const expect = owners.map((owner, i): Expect => {
      const rev = ownerRows[i]?.rev;
      if (rev === undefined) throw notFound();
      return [owner, rev];
    });
    if (existing) throw invalidError([teamHasAccess]);
    return {
      reply: undefined,
      batch: {
        expect: [...expect, [key, null]],
        put: [
          [key, row],
          [rowKeys.accessId(row.id), key],
        ],
      },
    };
  });
}
const teamHasAccess: Fault = {
  title: "invalid attribute",
  detail: "Team has already been taken",
  source: { pointer: "/data/relationships/team" },
};

export const readAccess = storeEndpoint({
  id: "readTeamAccess",
  at: ["GET /team-workspaces/:team_workspace_id"],
  access: "known",
  style: jsonapi,
  doc: "Reads a team's access to a workspace.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (storeContext, { team_workspace_id }, caller) => ({
    data: accessDocument(await recordOf(storeContext, caller, team_workspace_id, "see")),
  }),
});

export const updateAccess = storeEndpoint({
  id: "updateTeamAccess",
  at: ["PATCH /team-workspaces/:team_workspace_id"],
  access: "known",
  style: jsonapi,
  doc: "Updates a team's access to a workspace.",
  body: { data: accessData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { team_workspace_id, data }, caller) => {
    const access = await recordOf(storeContext, caller, team_workspace_id, "manage");
    const { attributes } = readResource(data?.(), { type: "team-workspaces" });
    return changeRow(storeContext, rowAt(access), (current) => {
      if (current.id !== access.id) throw notFound();
      const row = accessAfter(current, attributes);
      return { reply: { data: accessDocument(row) }, row };
    });
  },
});

export const deleteAccess = storeEndpoint({
  id: "deleteTeamAccess",
  at: ["DELETE /team-workspaces/:team_workspace_id"],
  access: "known",
  style: jsonapi,
  doc: "Removes a team's access to a workspace.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (storeContext, { team_workspace_id }, caller) => {
    const access = await recordOf(storeContext, caller, team_workspace_id, "manage");
    return changeRow(storeContext, rowAt(access), ({ id }) => {
      if (id !== access.id) throw notFound();
      return { reply: undefined, del: [rowKeys.accessId(id)] };
    });
  },
});
