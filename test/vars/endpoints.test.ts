import { expect, it } from "vitest";
import { vars } from "../../src/vars/api.ts";
import { varsDocument, withWorkspace } from "./service.ts";

const ws = "/workspaces/:ws";
/** Each endpoint with its paths, in an order in which every one of them succeeds. */
const walk: readonly (readonly [id: string, ask: string, status: number, body?: object])[] = [
  ["ping", "GET /ping", 204],
  ["readAccount", "GET /account/details", 200],
  ["listOrganizations", "GET /organizations", 200],
  ["createOrganization", "POST /organizations", 201, { data: { type: "organizations", attributes: { name: "walk", email: "w@example.com" } } }],
  ["readOrganization", "GET /organizations/walk", 200],
  ["updateOrganization", "PATCH /organizations/walk", 200, { data: { type: "organizations", attributes: {} } }],
  ["readEntitlements", "GET /organizations/walk/entitlement-set", 200],
  ["createWorkspace", "POST /organizations/walk/workspaces", 201, { data: { type: "workspaces", attributes: { name: "w" } } }],
  ["listWorkspaces", "GET /organizations/walk/workspaces", 200],
  ["readWorkspace", "GET /organizations/walk/workspaces/w", 200],
  ["readWorkspace", `GET ${ws}`, 200],
  ["updateWorkspace", `PATCH ${ws}`, 200, { data: { type: "workspaces", attributes: {} } }],
  ["updateWorkspace", "PATCH /organizations/walk/workspaces/w", 200, { data: { type: "workspaces", attributes: {} } }],
  ["deleteWorkspace", "POST /organizations/walk/workspaces/w/actions/safe-delete", 204],
  ["listNothing", `GET ${ws}/tag-bindings`, 200],
  ["createWorkspaceVar", `POST ${ws}/vars`, 201, varsDocument({ key: "a", category: "env" })],
  ["listWorkspaceVars", `GET ${ws}/vars`, 200],
  ["listWorkspaceVars", `GET ${ws}/all-vars`, 200],
  ["readWorkspaceVar", `GET ${ws}/vars/:createWorkspaceVar`, 200],
  ["updateWorkspaceVar", `PATCH ${ws}/vars/:createWorkspaceVar`, 200, varsDocument({})],
  ["deleteWorkspaceVar", `DELETE ${ws}/vars/:createWorkspaceVar`, 204],
  ["writeVarsInBulk", `POST ${ws}/vars/bulk`, 200, { data: [] }],
  ["exportVars", `GET ${ws}/vars/export`, 200],
  [
    "createVar",
    "POST /vars",
    201,
    { ...varsDocument({ key: "b", category: "env", description: "" }), filter: { organization: { name: "acme" }, workspace: { name: "demo" } } },
  ],
  ["listVars", "GET /vars", 200],
  ["readVar", "GET /vars/:createVar", 200],
  ["updateVar", "PATCH /vars/:createVar", 200, varsDocument({}, { id: ":createVar" })],
  ["deleteVar", "DELETE /vars/:createVar", 204],
  ["createTeam", "POST /organizations/walk/teams", 201, { data: { type: "teams", attributes: { name: "t" } } }],
  ["listTeams", "GET /organizations/walk/teams", 200],
  ["readTeam", "GET /teams/:createTeam", 200],
  ["updateTeam", "PATCH /teams/:createTeam", 200, { data: { type: "teams", attributes: {} } }],
  ["addMembers", "POST /teams/:createTeam/relationships/users", 204, { data: [{ type: "users", id: "admin" }] }],
  ["removeMembers", "DELETE /teams/:createTeam/relationships/users", 204, { data: [{ type: "users", id: "admin" }] }],
  ["createWorkspace", "POST /organizations/walk/workspaces", 201, { data: { type: "workspaces", attributes: { name: "x" } } }],
  [
    "createTeamAccess",
    "POST /team-workspaces",
    201,
    {
      data: {
        type: "team-workspaces",
        attributes: { access: "read" },
        relationships: { team: { data: { type: "teams", id: ":createTeam" } }, workspace: { data: { type: "workspaces", id: ":createWorkspace" } } },
      },
    },
  ],
  ["listTeamAccess", "GET /team-workspaces?filter[workspace][id]=:createWorkspace", 200],
  ["readTeamAccess", "GET /team-workspaces/:createTeamAccess", 200],
  ["updateTeamAccess", "PATCH /team-workspaces/:createTeamAccess", 200, { data: { type: "team-workspaces", attributes: {} } }],
  ["deleteTeamAccess", "DELETE /team-workspaces/:createTeamAccess", 204],
  ["makeSoleToken", "POST /organizations/walk/authentication-token", 201, { data: {} }],
  ["makeSoleToken", "POST /teams/:createTeam/authentication-token", 201, { data: {} }],
  ["readSoleToken", "GET /teams/:createTeam/authentication-token", 200],
  ["deleteSoleToken", "DELETE /teams/:createTeam/authentication-token", 204],
  ["makeTeamToken", "POST /teams/:createTeam/authentication-tokens", 201, { data: {} }],
  ["listTeamTokens", "GET /teams/:createTeam/authentication-tokens", 200],
  ["makeUserToken", "POST /users/:readAccount/authentication-tokens", 201, { data: {} }],
  ["listUserTokens", "GET /users/:readAccount/authentication-tokens", 200],
  ["readToken", "GET /authentication-tokens/:makeUserToken", 200],
  ["deleteToken", "DELETE /authentication-tokens/:makeUserToken", 204],
  ["createUser", "POST /admin/users", 201, { data: { type: "users", attributes: { username: "u", email: "u@example.com" } } }],
  ["deleteUser", "DELETE /admin/users/:createUser", 204],
  ["deleteTeam", "DELETE /teams/:createTeam", 204],
  ["deleteOrganization", "DELETE /organizations/walk", 204],
  ["deleteWorkspace", `DELETE ${ws}`, 204],
  ["nothingThere", "GET /vars/x/y", 404],
];

it("leads each path to its endpoint, and no endpoint is left out", async () => {
  const { call, workspace, events } = await withWorkspace();
  const ids = new Map([["ws", workspace]]);
  const filled = (text: string) => text.replace(/:([a-zA-Z]+)/g, (whole, name: string) => ids.get(name) ?? whole);
  for (const [id, ask, status, body] of walk) {
    const [method = "", path = ""] = filled(ask).split(" ");
    const answer = await call(method, path, body && filled(JSON.stringify(body)));
    expect([ask, answer.status, answer.text], answer.text).toEqual([ask, status, expect.anything()]);
    expect([ask, events.at(-1)?.endpoint]).toEqual([ask, id]);
    if (answer.status === 201 || id === "readAccount") ids.set(id, String(answer.data["id"]));
  }
  expect(new Set(walk.map(([id]) => id))).toEqual(new Set(vars.map(({ id }) => id)));
});
