import type { Unit } from "../../engine/unit.ts";
import { unitEndpoint, type Caller } from "../../wire/endpoint.ts";
import { readWord, settingFaults, settingsAfter, type Settings } from "../jsonapi/attributes.ts";
import { changeDirectory, rowOf, rowsOf, textIn, valueOf } from "../rows/change.ts";
import { answer, dataOf, parameter, readResource, relatedId } from "../jsonapi/document.ts";
import { attributeFault, badFilter, invalid, notFound } from "../jsonapi/fault.ts";
import { isId, newId } from "../rows/ids.ts";
import { page, paged, pagedReply, pageFields } from "../jsonapi/paging.ts";
import { workspaceAccess } from "../rights/rights.ts";
import { rowKeys, type AccessRow, type Level } from "../rows/rows.ts";
import { created, jsonapi } from "../jsonapi/style.ts";
import { teamsIn } from "../rows/directory.ts";
import { teamOf } from "./teams.ts";
import { storedRows } from "../rows/stored.ts";

const levels = ["read", "plan", "write", "admin", "custom"] as const;
/**
 * Rights that may be chosen one by one with `custom`, and what they are when nothing was chosen.
 */
const customDefaults = {
  runs: "read",
  "state-versions": "none",
  "sentinel-mocks": "none",
  "workspace-locking": false,
  "run-tasks": false,
  "policy-overrides": false,
} as const;
/** What those take that are neither true nor false, and the right on variables. */
const customWords = {
  runs: ["read", "plan", "apply"],
  "state-versions": ["none", "read-outputs", "read", "write"],
  "sentinel-mocks": ["none", "read"],
  variables: ["none", "read", "write"],
} as const;
/** The same rights as the other levels have them. */
const fixedRights: Readonly<Record<Exclude<AccessRow["access"], "custom">, Settings>> = {
  read: { ...customDefaults, "state-versions": "read" },
  plan: { ...customDefaults, runs: "plan", "state-versions": "read" },
  write: {
    ...customDefaults,
    runs: "apply",
    "state-versions": "write",
    "sentinel-mocks": "read",
    "workspace-locking": true,
  },
  admin: {
    ...customDefaults,
    runs: "apply",
    "state-versions": "write",
    "sentinel-mocks": "read",
    "workspace-locking": true,
    "run-tasks": true,
    "policy-overrides": true,
  },
};
const variableLevels: Readonly<Record<Exclude<AccessRow["access"], "custom">, Level>> = {
  read: "read",
  plan: "read",
  write: "write",
  admin: "write",
};

function documentOf({ id, team, workspace, access, variables, settings }: AccessRow) {
  const rights = access === "custom" ? { ...customDefaults, ...settings } : fixedRights[access];
  const self = `/api/v2/team-workspaces/${id}`;
  return {
    id,
    type: "team-workspaces",
    attributes: {
      access,
      ...rights,
      variables: access === "custom" ? variables : variableLevels[access],
    },
    relationships: {
      team: { data: { id: team, type: "teams" }, links: { related: `/api/v2/teams/${team}` } },
      workspace: {
        data: { id: workspace, type: "workspaces" },
        links: { related: `/api/v2/workspaces/${workspace}` },
      },
    },
    links: { self },
  };
}
const reply = {
  data: answer<ReturnType<typeof documentOf>>(
    { type: "object" },
    "The team's access to the workspace.",
  ),
} as const;
const only = { description: "Only with `custom`." };
const accessData = dataOf("team-workspaces", {
  access: { enum: levels },
  ...Object.fromEntries(
    Object.keys(customDefaults).map((name) => [name, { type: "boolean", ...only }]),
  ),
  ...Object.fromEntries(
    Object.entries(customWords).map(([name, words]) => [name, { enum: words, ...only }]),
  ),
});

type Sent = Readonly<Record<string, unknown>>;
/** A record with what was sent laid over it. Throws 422. */
function accessAfter(row: AccessRow, sent: Sent): AccessRow {
  const access = readWord(sent, "access", levels) ?? row.access;
  if (access !== "custom") {
    const shownNow = documentOf({ ...row, access }).attributes as Sent;
    // a client that sends back what it was shown changes nothing
    const single = [...Object.keys(customDefaults), "variables"].filter(
      (name) => sent[name] !== undefined && sent[name] !== null && sent[name] !== shownNow[name],
    );
    if (single.length)
      throw invalid(
        single.map((name) => attributeFault(name, `${name} can only be set when access is custom`)),
      );
    return { ...row, access };
  }
  const faults = settingFaults({ ...customDefaults, variables: "none" }, sent, customWords);
  if (faults.length) throw invalid(faults);
  const variables = readWord(sent, "variables", customWords.variables) ?? row.variables;
  return {
    ...row,
    access,
    variables,
    settings: settingsAfter(customDefaults, row.settings, sent, customWords),
  };
}

/** A record that the caller may see. Throws 404. */
async function recordOf(
  ca: Unit,
  caller: Caller,
  id: string,
  need: "see" | "manage",
): Promise<AccessRow> {
  const key = isId("tws", id) ? await rowOf(ca, textIn, rowKeys.accessId(id)) : undefined;
  const row = key === undefined ? undefined : await rowOf(ca, storedRows.access, key);
  if (!row) throw notFound();
  await workspaceAccess(ca, caller.id, row.workspace, need);
  await teamOf(ca, caller, row.team, "see");
  return row;
}

export const listAccess = unitEndpoint({
  id: "listTeamAccess",
  at: ["GET /team-workspaces"],
  access: "token",
  style: page,
  doc: "Lists the access of teams to a workspace.",
  body: { ...pageFields, "filter[workspace][id]": parameter("ID of the workspace.") },
  reply: pagedReply,
  refuses: ["not_found", "malformed"],
  run: async (ca, input, caller) => {
    const name = "filter[workspace][id]";
    const id = input[name];
    if (id === undefined) throw badFilter(`${name} must be given`, name);
    const { organization, rights } = await workspaceAccess(ca, caller.id, id, "see");
    const teams = await teamsIn(ca, organization.id);
    const seen = rights.manage
      ? teams
      : teams.filter(
          ({ id: team, users, visibility }) =>
            visibility === "organization" || team === caller.id || users.includes(caller.id),
        );
    const rows = await rowsOf(
      ca,
      storedRows.access,
      seen.map((team) => rowKeys.access(team.id, id)),
    );
    return paged(rows.map(documentOf), input, { whole: true });
  },
});

export const createAccess = unitEndpoint({
  id: "createTeamAccess",
  at: ["POST /team-workspaces"],
  access: "token",
  style: created,
  doc: "Gives a team access to a workspace.",
  body: { data: accessData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, { data }, caller) => {
    const resource = readResource(data?.(), { type: "team-workspaces" });
    const [teamId, workspaceId] = [
      relatedId(resource, "team", "teams"),
      relatedId(resource, "workspace", "workspaces"),
    ];
    const { workspace } = await workspaceAccess(ca, caller.id, workspaceId, "manage");
    const { team } = await teamOf(ca, caller, teamId, "see");
    if (team.organization !== workspace.organization) throw notFound();
    const { attributes } = resource;
    if (attributes["access"] === undefined || attributes["access"] === null)
      throw invalid([attributeFault("access", "Access can't be blank")]);
    const row = accessAfter(
      {
        id: newId("tws", ca.ports.random),
        team: team.id,
        workspace: workspace.id,
        access: "custom",
        variables: "none",
        settings: {},
      },
      attributes,
    );
    const [teamKey, workspaceKey, at] = [
      rowKeys.team(team.id),
      rowKeys.workspace(workspace.id),
      rowKeys.access(team.id, workspace.id),
    ];
    return changeDirectory(ca, async () => {
      const [heldTeam, heldWorkspace, taken] = await ca.store.get([teamKey, workspaceKey, at]);
      if (!heldTeam || !heldWorkspace) throw notFound();
      if (taken)
        throw invalid([
          {
            title: "invalid attribute",
            detail: "Team has already been taken",
            source: { pointer: "/data/relationships/team" },
          },
        ]);
      const expect = [
        [teamKey, heldTeam.rev],
        [workspaceKey, heldWorkspace.rev],
        [at, null],
      ] as const;
      return {
        reply: { data: documentOf(row) },
        batch: {
          expect,
          put: [
            [at, row],
            [rowKeys.accessId(row.id), at],
          ],
        },
      };
    });
  },
});

export const readAccess = unitEndpoint({
  id: "readTeamAccess",
  at: ["GET /team-workspaces/:team_workspace_id"],
  access: "token",
  style: jsonapi,
  doc: "Reads a team's access to a workspace.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (ca, { team_workspace_id }, caller) => ({
    data: documentOf(await recordOf(ca, caller, team_workspace_id, "see")),
  }),
});

export const updateAccess = unitEndpoint({
  id: "updateTeamAccess",
  at: ["PATCH /team-workspaces/:team_workspace_id"],
  access: "token",
  style: jsonapi,
  doc: "Updates a team's access to a workspace.",
  body: { data: accessData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, { team_workspace_id, data }, caller) => {
    const seen = await recordOf(ca, caller, team_workspace_id, "manage");
    const { attributes } = readResource(data?.(), { type: "team-workspaces" });
    const key = rowKeys.access(seen.team, seen.workspace);
    return changeDirectory(ca, async () => {
      const [row] = await ca.store.get([key]);
      const held = valueOf(storedRows.access, row);
      if (!row || held?.id !== seen.id) throw notFound();
      const after = accessAfter(held, attributes);
      return {
        reply: { data: documentOf(after) },
        batch: { expect: [[key, row.rev]], put: [[key, after]] },
      };
    });
  },
});

export const deleteAccess = unitEndpoint({
  id: "deleteTeamAccess",
  at: ["DELETE /team-workspaces/:team_workspace_id"],
  access: "token",
  style: jsonapi,
  doc: "Removes a team's access to a workspace.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (ca, { team_workspace_id }, caller) => {
    const { id, team, workspace } = await recordOf(ca, caller, team_workspace_id, "manage");
    const key = rowKeys.access(team, workspace);
    await changeDirectory(ca, async () => {
      const [row] = await ca.store.get([key]);
      if (!row || storedRows.access(row.value).id !== id) throw notFound();
      return {
        reply: undefined,
        batch: { expect: [[key, row.rev]], del: [key, rowKeys.accessId(id)] },
      };
    });
    return undefined;
  },
});
