import type { AccessRow, Principal, TeamRow } from "../rows/rows.ts";

/** The rights of a principal in one workspace (V 8). */
export interface WorkspaceRights {
  readonly see: boolean;
  readonly readVariables: boolean;
  readonly writeVariables: boolean;
  /** Whether the principal may change the workspace's settings and teams, and delete it. */
  readonly manage: boolean;
}
/** The rights of a principal in one organization. */
export interface OrganizationRights {
  readonly see: boolean;
  /**
   * Whether the principal has all rights, as a member of the owners team or with that team's token.
   */
  readonly own: boolean;
  /**
   * Whether the principal may manage teams and their tokens. Owners and the organization's token
   * may.
   */
  readonly manageTeams: boolean;
  readonly manageWorkspaces: boolean;
  readonly readWorkspaces: boolean;
}

/** The rights of a principal without access. */
export const noRights: WorkspaceRights = {
  see: false,
  readVariables: false,
  writeVariables: false,
  manage: false,
};
/** The rights of a principal with full access. */
export const allRights: WorkspaceRights = {
  see: true,
  readVariables: true,
  writeVariables: true,
  manage: true,
};
/** The rights to read a workspace and its variables. */
export const readRights: WorkspaceRights = { ...noRights, see: true, readVariables: true };
/** Functions that return the rights that an access record grants, by access level. */
export const rightsByAccess: Readonly<
  Record<AccessRow["access"], (row: AccessRow) => WorkspaceRights>
> = {
  read: () => readRights,
  plan: () => readRights,
  write: () => ({ ...readRights, writeVariables: true }),
  admin: () => allRights,
  custom: ({ variables }) => ({
    ...noRights,
    see: true,
    readVariables: variables !== "none",
    writeVariables: variables === "write",
  }),
};

/** Returns the union of the given sets of rights. */
export const unionOfRights = (all: readonly WorkspaceRights[]): WorkspaceRights => ({
  see: all.some(({ see }) => see),
  readVariables: all.some(({ readVariables }) => readVariables),
  writeVariables: all.some(({ writeVariables }) => writeVariables),
  manage: all.some(({ manage }) => manage),
});

/** Returns a principal's rights in an organization, given the principal's teams. */
export function organizationRights(
  principal: Principal,
  teams: readonly TeamRow[],
  organization: string,
): OrganizationRights {
  const here = teams.filter((team) => team.organization === organization);
  const granted = (...names: readonly string[]) =>
    here.some(({ access }) => names.some((name) => access[name] === true));
  const own = here.some(({ owners }) => owners);
  const all = own || principal === organization;
  const manageWorkspaces = all || granted("manage-workspaces", "manage-projects");
  return {
    see: all || here.length > 0,
    own,
    manageTeams: all,
    manageWorkspaces,
    readWorkspaces: manageWorkspaces || granted("read-workspaces", "read-projects"),
  };
}
