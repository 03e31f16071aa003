import type { Send } from "./send.ts";

const attributes = (type: string, own: object, more: object = {}) => ({
  data: { type, attributes: own, ...more },
});
const relation = (type: string, id: string) => ({ data: { type, id } });

/**
 * Sends the example requests about organizations, workspaces, variables, teams, users and tokens.
 */
export async function variables(send: Send): Promise<void> {
  for (const id of ["ping", "discovery"]) await send(id, {}, { token: "" });
  await send("readAccount");
  await send(
    "createOrganization",
    attributes("organizations", { name: "example", email: "ops@example.com" }),
  );
  const organization = "example";
  await send("listOrganizations");
  await send("readOrganization", { organization });
  await send("readEntitlements", { organization });
  await send("updateOrganization", {
    organization,
    ...attributes("organizations", { email: "team@example.com" }),
  });
  const workspace_id = await workspace(send, organization);
  await values(send, workspace_id);
  await teams(send, organization, workspace_id);
  await send("deleteWorkspace", { workspace_id });
  await send("deleteOrganization", { organization });
}

async function workspace(send: Send, organization: string): Promise<string> {
  const created = await send("createWorkspace", {
    organization,
    ...attributes("workspaces", { name: "network" }),
  });
  const workspace_id = created.text("data.id");
  await send("listWorkspaces", { organization });
  await send("readWorkspace", { workspace_id });
  await send("updateWorkspace", { workspace_id, ...attributes("workspaces", { name: "core" }) });
  await send("listNothing", { workspace_id });
  await send("clearTags", { workspace_id, data: [] });
  return workspace_id;
}

async function values(send: Send, workspace_id: string): Promise<void> {
  const region = { key: "region", value: "eu-central-1", category: "terraform", hcl: false };
  const created = await send("createWorkspaceVar", { workspace_id, ...attributes("vars", region) });
  const variable_id = created.text("data.id");
  await send("readWorkspaceVar", { workspace_id, variable_id });
  await send("updateWorkspaceVar", {
    workspace_id,
    variable_id,
    ...attributes("vars", { value: "eu-west-1" }, { id: variable_id }),
  });
  await send("writeVarsInBulk", {
    workspace_id,
    data: [
      {
        type: "vars",
        attributes: { key: "TOKEN", value: "s3cret", category: "env", sensitive: true },
      },
    ],
  });
  await send("listWorkspaceVars", { workspace_id });
  await send("exportVars", { workspace_id, format: "json" });
  await send("deleteWorkspaceVar", { workspace_id, variable_id });
  const older = await send("createVar", {
    ...attributes(
      "vars",
      { key: "zone", value: "a", category: "env", description: "" },
      {
        relationships: { workspace: relation("workspaces", workspace_id) },
      },
    ),
  });
  const id = older.text("data.id");
  await send("listVars", {
    "filter[organization][name]": "example",
    "filter[workspace][name]": "core",
  });
  await send("readVar", { variable_id: id });
  await send("updateVar", { variable_id: id, ...attributes("vars", { value: "b" }, { id }) });
  await send("deleteVar", { variable_id: id });
}

async function teams(send: Send, organization: string, workspace_id: string): Promise<void> {
  const created = await send("createTeam", {
    organization,
    ...attributes("teams", { name: "network", visibility: "organization" }),
  });
  const team_id = created.text("data.id");
  const team = { team_id };
  await send("listTeams", { organization });
  await send("readTeam", team);
  await send("updateTeam", { ...team, ...attributes("teams", { name: "networks" }) });
  const user = await send(
    "createUser",
    attributes("users", { username: "ann", email: "ann@example.com" }),
  );
  const user_id = user.text("data.id");
  const members = { ...team, data: [{ type: "users", id: "ann" }] };
  await send("addMembers", members);
  await send("removeMembers", members);
  const own = { token: user.text("data.attributes.token") };
  const made_token = await send(
    "makeUserToken",
    { user_id, ...attributes("authentication-tokens", { description: "laptop" }) },
    own,
  );
  await send("joinOrganization", { organization }, own);
  await send("leaveOrganization", { organization }, own);
  await send("listUserTokens", { user_id }, own);
  await send("readToken", { token_id: made_token.text("data.id") }, own);
  await send("deleteToken", { token_id: made_token.text("data.id") }, own);
  const access = await send(
    "createTeamAccess",
    attributes(
      "team-workspaces",
      { access: "read" },
      {
        relationships: {
          team: relation("teams", team_id),
          workspace: relation("workspaces", workspace_id),
        },
      },
    ),
  );
  const team_workspace_id = access.text("data.id");
  await send("listTeamAccess", { "filter[workspace][id]": workspace_id });
  await send("readTeamAccess", { team_workspace_id });
  await send("updateTeamAccess", {
    team_workspace_id,
    ...attributes("team-workspaces", { access: "write" }),
  });
  await send("deleteTeamAccess", { team_workspace_id });
  await send("makeSoleToken", team);
  await send("readSoleToken", team);
  await send("deleteSoleToken", team);
  await send("makeTeamToken", {
    ...team,
    ...attributes("authentication-tokens", { description: "pipeline" }),
  });
  await send("listTeamTokens", team);
  await send("deleteTeam", team);
  await send("deleteUser", { user_id });
}
