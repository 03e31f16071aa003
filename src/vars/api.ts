import * as access from "./organizations/team-access.ts";
import * as account from "./account/account.ts";
import { writeVarsInBulk } from "./variables/bulk.ts";
import { exportVars } from "./variables/export.ts";
import { joinOrganization, leaveOrganization } from "./organizations/joining.ts";
import { addMembers, removeMembers } from "./organizations/members.ts";
import { readEntitlements } from "./organizations/entitlements.ts";
import { listOrganizations } from "./organizations/list-organizations.ts";
import * as organizations from "./organizations/organizations.ts";
import * as teams from "./organizations/teams.ts";
import * as teamTokens from "./account/team-tokens.ts";
import * as tokens from "./account/tokens.ts";
import * as users from "./account/users.ts";
import * as deprecated from "./variables/deprecated-variables.ts";
import { listVars } from "./variables/list-variables.ts";
import * as workspaceVariables from "./variables/workspace-variables.ts";
import { listWorkspaces } from "./workspaces/list-workspaces.ts";
import * as tags from "./workspaces/tags.ts";
import * as workspaces from "./workspaces/workspaces.ts";

export { isInitial } from "./rows/initial.ts";
export { organizationEnd } from "./rows/sweep.ts";
export { resealVariables, sealedVariables } from "./variables/reseal.ts";

/** The endpoints of the variables API under `/api/v2`. */
export const vars = [
  exportVars,
  workspaceVariables.readWorkspaceVar,
  workspaceVariables.listWorkspaceVars,
  writeVarsInBulk,
  workspaceVariables.createWorkspaceVar,
  workspaceVariables.updateWorkspaceVar,
  workspaceVariables.deleteWorkspaceVar,
  deprecated.readVar,
  listVars,
  deprecated.createVar,
  deprecated.updateVar,
  deprecated.deleteVar,
  account.ping,
  account.readAccount,
  workspaces.readWorkspace,
  tags.listNothing,
  tags.clearTags,
  listWorkspaces,
  workspaces.createWorkspace,
  workspaces.updateWorkspace,
  workspaces.deleteWorkspace,
  listOrganizations,
  organizations.createOrganization,
  organizations.readOrganization,
  organizations.updateOrganization,
  organizations.deleteOrganization,
  readEntitlements,
  teams.listTeams,
  teams.createTeam,
  teams.readTeam,
  teams.updateTeam,
  teams.deleteTeam,
  addMembers,
  removeMembers,
  joinOrganization,
  leaveOrganization,
  access.listAccess,
  access.createAccess,
  access.readAccess,
  access.updateAccess,
  access.deleteAccess,
  teamTokens.readSoleToken,
  teamTokens.makeSoleToken,
  teamTokens.deleteSoleToken,
  teamTokens.makeTeamToken,
  teamTokens.listTeamTokens,
  tokens.listUserTokens,
  tokens.makeUserToken,
  tokens.readToken,
  tokens.deleteToken,
  users.createUser,
  users.deleteUser,
] as const;

/** Service discovery endpoints outside `/api/v2`. */
export const wellKnown = [account.discovery] as const;
