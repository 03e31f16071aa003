// Made by `npm run generate`; what is changed here is lost.
import type { VarsClient } from "../../../src/client/vars.ts";
import type { Endpoint } from "../endpoint.ts";

export const exportVars: Endpoint<VarsClient["exportVars"]> =
  "GET /workspaces/:workspace_id/vars/export";
export const readWorkspaceVar: Endpoint<VarsClient["readWorkspaceVar"]> =
  "GET /workspaces/:workspace_id/vars/:variable_id";
export const listWorkspaceVars: Endpoint<VarsClient["listWorkspaceVars"]> =
  "GET /workspaces/:workspace_id/vars";
export const writeVarsInBulk: Endpoint<VarsClient["writeVarsInBulk"]> =
  "POST /workspaces/:workspace_id/vars/bulk";
export const createWorkspaceVar: Endpoint<VarsClient["createWorkspaceVar"]> =
  "POST /workspaces/:workspace_id/vars";
export const updateWorkspaceVar: Endpoint<VarsClient["updateWorkspaceVar"]> =
  "PATCH /workspaces/:workspace_id/vars/:variable_id";
export const deleteWorkspaceVar: Endpoint<VarsClient["deleteWorkspaceVar"]> =
  "DELETE /workspaces/:workspace_id/vars/:variable_id";
export const readVar: Endpoint<VarsClient["readVar"]> = "GET /vars/:variable_id";
export const listVars: Endpoint<VarsClient["listVars"]> = "GET /vars";
export const createVar: Endpoint<VarsClient["createVar"]> = "POST /vars";
export const updateVar: Endpoint<VarsClient["updateVar"]> = "PATCH /vars/:variable_id";
export const deleteVar: Endpoint<VarsClient["deleteVar"]> = "DELETE /vars/:variable_id";
export const ping: Endpoint<VarsClient["ping"]> = "GET /ping";
export const readAccount: Endpoint<VarsClient["readAccount"]> = "GET /account/details";
export const readWorkspace: Endpoint<VarsClient["readWorkspace"]> =
  "GET /organizations/:organization/workspaces/:workspace|GET /workspaces/:workspace_id";
export const listNothing: Endpoint<VarsClient["listNothing"]> =
  "GET /workspaces/:workspace_id/relationships/remote-state-consumers";
export const clearTags: Endpoint<VarsClient["clearTags"]> =
  "PATCH /workspaces/:workspace_id/tag-bindings";
export const listWorkspaces: Endpoint<VarsClient["listWorkspaces"]> =
  "GET /organizations/:organization/workspaces";
export const createWorkspace: Endpoint<VarsClient["createWorkspace"]> =
  "POST /organizations/:organization/workspaces";
export const updateWorkspace: Endpoint<VarsClient["updateWorkspace"]> =
  "PATCH /organizations/:organization/workspaces/:workspace|PATCH /workspaces/:workspace_id";
export const deleteWorkspace: Endpoint<VarsClient["deleteWorkspace"]> =
  "DELETE /organizations/:organization/workspaces/:workspace|DELETE /workspaces/:workspace_id";
export const listOrganizations: Endpoint<VarsClient["listOrganizations"]> = "GET /organizations";
export const createOrganization: Endpoint<VarsClient["createOrganization"]> = "POST /organizations";
export const readOrganization: Endpoint<VarsClient["readOrganization"]> =
  "GET /organizations/:organization";
export const updateOrganization: Endpoint<VarsClient["updateOrganization"]> =
  "PATCH /organizations/:organization";
export const deleteOrganization: Endpoint<VarsClient["deleteOrganization"]> =
  "DELETE /organizations/:organization";
export const readEntitlements: Endpoint<VarsClient["readEntitlements"]> =
  "GET /organizations/:organization/entitlement-set";
export const listTeams: Endpoint<VarsClient["listTeams"]> =
  "GET /organizations/:organization/teams";
export const createTeam: Endpoint<VarsClient["createTeam"]> =
  "POST /organizations/:organization/teams";
export const readTeam: Endpoint<VarsClient["readTeam"]> = "GET /teams/:team_id";
export const updateTeam: Endpoint<VarsClient["updateTeam"]> = "PATCH /teams/:team_id";
export const deleteTeam: Endpoint<VarsClient["deleteTeam"]> = "DELETE /teams/:team_id";
export const addMembers: Endpoint<VarsClient["addMembers"]> =
  "POST /teams/:team_id/relationships/users";
export const removeMembers: Endpoint<VarsClient["removeMembers"]> =
  "DELETE /teams/:team_id/relationships/users";
export const joinOrganization: Endpoint<VarsClient["joinOrganization"]> =
  "POST /account/organizations/:organization";
export const leaveOrganization: Endpoint<VarsClient["leaveOrganization"]> =
  "DELETE /account/organizations/:organization";
export const listTeamAccess: Endpoint<VarsClient["listTeamAccess"]> = "GET /team-workspaces";
export const createTeamAccess: Endpoint<VarsClient["createTeamAccess"]> = "POST /team-workspaces";
export const readTeamAccess: Endpoint<VarsClient["readTeamAccess"]> =
  "GET /team-workspaces/:team_workspace_id";
export const updateTeamAccess: Endpoint<VarsClient["updateTeamAccess"]> =
  "PATCH /team-workspaces/:team_workspace_id";
export const deleteTeamAccess: Endpoint<VarsClient["deleteTeamAccess"]> =
  "DELETE /team-workspaces/:team_workspace_id";
export const readSoleToken: Endpoint<VarsClient["readSoleToken"]> =
  "GET /teams/:team_id/authentication-token|" +
  "GET /organizations/:organization/authentication-token";
export const makeSoleToken: Endpoint<VarsClient["makeSoleToken"]> =
  "POST /teams/:team_id/authentication-token|" +
  "POST /organizations/:organization/authentication-token";
export const deleteSoleToken: Endpoint<VarsClient["deleteSoleToken"]> =
  "DELETE /teams/:team_id/authentication-token|" +
  "DELETE /organizations/:organization/authentication-token";
export const makeTeamToken: Endpoint<VarsClient["makeTeamToken"]> =
  "POST /teams/:team_id/authentication-tokens";
export const listTeamTokens: Endpoint<VarsClient["listTeamTokens"]> =
  "GET /teams/:team_id/authentication-tokens";
export const listUserTokens: Endpoint<VarsClient["listUserTokens"]> =
  "GET /users/:user_id/authentication-tokens";
export const makeUserToken: Endpoint<VarsClient["makeUserToken"]> =
  "POST /users/:user_id/authentication-tokens";
export const readToken: Endpoint<VarsClient["readToken"]> = "GET /authentication-tokens/:token_id";
export const deleteToken: Endpoint<VarsClient["deleteToken"]> =
  "DELETE /authentication-tokens/:token_id";
export const createUser: Endpoint<VarsClient["createUser"]> = "POST /admin/users";
export const deleteUser: Endpoint<VarsClient["deleteUser"]> = "DELETE /admin/users/:user_id";
