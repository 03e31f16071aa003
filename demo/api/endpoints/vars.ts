// Made by `npm run generate`; what is changed here is lost.
import type { VarsClient } from "../../../src/client/vars.ts";
import type { Endpoint } from "../endpoint.ts";

export const exportVars: Endpoint<VarsClient["exportVars"]> =
  "GET /workspaces/:workspace_id/vars/export open";
export const readWorkspaceVar: Endpoint<VarsClient["readWorkspaceVar"]> =
  "GET /workspaces/:workspace_id/vars/:variable_id open";
export const listWorkspaceVars: Endpoint<VarsClient["listWorkspaceVars"]> =
  "GET /workspaces/:workspace_id/vars open";
export const writeVarsInBulk: Endpoint<VarsClient["writeVarsInBulk"]> =
  "POST /workspaces/:workspace_id/vars/bulk open";
export const createWorkspaceVar: Endpoint<VarsClient["createWorkspaceVar"]> =
  "POST /workspaces/:workspace_id/vars open";
export const updateWorkspaceVar: Endpoint<VarsClient["updateWorkspaceVar"]> =
  "PATCH /workspaces/:workspace_id/vars/:variable_id open";
export const deleteWorkspaceVar: Endpoint<VarsClient["deleteWorkspaceVar"]> =
  "DELETE /workspaces/:workspace_id/vars/:variable_id open";
export const readVar: Endpoint<VarsClient["readVar"]> = "GET /vars/:variable_id open";
export const listVars: Endpoint<VarsClient["listVars"]> = "GET /vars open";
export const createVar: Endpoint<VarsClient["createVar"]> = "POST /vars open";
export const updateVar: Endpoint<VarsClient["updateVar"]> = "PATCH /vars/:variable_id open";
export const deleteVar: Endpoint<VarsClient["deleteVar"]> = "DELETE /vars/:variable_id open";
export const ping: Endpoint<VarsClient["ping"]> = "GET /ping open";
export const readAccount: Endpoint<VarsClient["readAccount"]> = "GET /account/details open";
export const readWorkspace: Endpoint<VarsClient["readWorkspace"]> =
  "GET /organizations/:organization/workspaces/:workspace open|" +
  "GET /workspaces/:workspace_id open";
export const listNothing: Endpoint<VarsClient["listNothing"]> =
  "GET /workspaces/:workspace_id/relationships/remote-state-consumers open";
export const clearTags: Endpoint<VarsClient["clearTags"]> =
  "PATCH /workspaces/:workspace_id/tag-bindings open";
export const listWorkspaces: Endpoint<VarsClient["listWorkspaces"]> =
  "GET /organizations/:organization/workspaces open";
export const createWorkspace: Endpoint<VarsClient["createWorkspace"]> =
  "POST /organizations/:organization/workspaces open";
export const updateWorkspace: Endpoint<VarsClient["updateWorkspace"]> =
  "PATCH /organizations/:organization/workspaces/:workspace open|" +
  "PATCH /workspaces/:workspace_id open";
export const deleteWorkspace: Endpoint<VarsClient["deleteWorkspace"]> =
  "DELETE /organizations/:organization/workspaces/:workspace open|" +
  "DELETE /workspaces/:workspace_id open";
export const listOrganizations: Endpoint<VarsClient["listOrganizations"]> =
  "GET /organizations open";
export const createOrganization: Endpoint<VarsClient["createOrganization"]> =
  "POST /organizations open";
export const readOrganization: Endpoint<VarsClient["readOrganization"]> =
  "GET /organizations/:organization open";
export const updateOrganization: Endpoint<VarsClient["updateOrganization"]> =
  "PATCH /organizations/:organization open";
export const deleteOrganization: Endpoint<VarsClient["deleteOrganization"]> =
  "DELETE /organizations/:organization open";
export const readEntitlements: Endpoint<VarsClient["readEntitlements"]> =
  "GET /organizations/:organization/entitlement-set open";
export const listTeams: Endpoint<VarsClient["listTeams"]> =
  "GET /organizations/:organization/teams open";
export const createTeam: Endpoint<VarsClient["createTeam"]> =
  "POST /organizations/:organization/teams open";
export const readTeam: Endpoint<VarsClient["readTeam"]> = "GET /teams/:team_id open";
export const updateTeam: Endpoint<VarsClient["updateTeam"]> = "PATCH /teams/:team_id open";
export const deleteTeam: Endpoint<VarsClient["deleteTeam"]> = "DELETE /teams/:team_id open";
export const addMembers: Endpoint<VarsClient["addMembers"]> =
  "POST /teams/:team_id/relationships/users open";
export const removeMembers: Endpoint<VarsClient["removeMembers"]> =
  "DELETE /teams/:team_id/relationships/users open";
export const joinOrganization: Endpoint<VarsClient["joinOrganization"]> =
  "POST /account/organizations/:organization open";
export const leaveOrganization: Endpoint<VarsClient["leaveOrganization"]> =
  "DELETE /account/organizations/:organization open";
export const listTeamAccess: Endpoint<VarsClient["listTeamAccess"]> = "GET /team-workspaces open";
export const createTeamAccess: Endpoint<VarsClient["createTeamAccess"]> =
  "POST /team-workspaces open";
export const readTeamAccess: Endpoint<VarsClient["readTeamAccess"]> =
  "GET /team-workspaces/:team_workspace_id open";
export const updateTeamAccess: Endpoint<VarsClient["updateTeamAccess"]> =
  "PATCH /team-workspaces/:team_workspace_id open";
export const deleteTeamAccess: Endpoint<VarsClient["deleteTeamAccess"]> =
  "DELETE /team-workspaces/:team_workspace_id open";
export const readSoleToken: Endpoint<VarsClient["readSoleToken"]> =
  "GET /teams/:team_id/authentication-token open|" +
  "GET /organizations/:organization/authentication-token open";
export const makeSoleToken: Endpoint<VarsClient["makeSoleToken"]> =
  "POST /teams/:team_id/authentication-token open|" +
  "POST /organizations/:organization/authentication-token open";
export const deleteSoleToken: Endpoint<VarsClient["deleteSoleToken"]> =
  "DELETE /teams/:team_id/authentication-token open|" +
  "DELETE /organizations/:organization/authentication-token open";
export const makeTeamToken: Endpoint<VarsClient["makeTeamToken"]> =
  "POST /teams/:team_id/authentication-tokens open";
export const listTeamTokens: Endpoint<VarsClient["listTeamTokens"]> =
  "GET /teams/:team_id/authentication-tokens open";
export const listUserTokens: Endpoint<VarsClient["listUserTokens"]> =
  "GET /users/:user_id/authentication-tokens open";
export const makeUserToken: Endpoint<VarsClient["makeUserToken"]> =
  "POST /users/:user_id/authentication-tokens open";
export const readToken: Endpoint<VarsClient["readToken"]> =
  "GET /authentication-tokens/:token_id open";
export const deleteToken: Endpoint<VarsClient["deleteToken"]> =
  "DELETE /authentication-tokens/:token_id open";
export const createUser: Endpoint<VarsClient["createUser"]> = "POST /admin/users open";
export const deleteUser: Endpoint<VarsClient["deleteUser"]> = "DELETE /admin/users/:user_id open";
