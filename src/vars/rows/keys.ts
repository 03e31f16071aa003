import type { VariableKind, Principal } from "./rows.ts";

/** Row keys of the `vars` store. Callers have validated IDs, and names are ASCII or encoded. */
export const rowKeys = {
  installed: "installed",
  user: (id: string) => `user/${id}`,
  username: (part: string) => `username/${part}`,
  organization: (id: string) => `org/${id}`,
  organizationName: (part: string) => `orgname/${part}`,
  workspace: (id: string) => `workspace/${id}`,
  workspaceNames: (organization: string) => `wsname/${organization}/`,
  workspaceName: (organization: string, part: string) => `wsname/${organization}/${part}`,
  team: (id: string) => `team/${id}`,
  teamNames: (organization: string) => `teamname/${organization}/`,
  teamName: (organization: string, part: string) => `teamname/${organization}/${part}`,
  memberships: (user: string) => `member/${user}/`,
  membership: (user: string, team: string) => `member/${user}/${team}`,
  accesses: (team: string) => `access/${team}/`,
  access: (team: string, workspace: string) => `access/${team}/${workspace}`,
  accessId: (id: string) => `tws/${id}`,
  token: (hash: string) => `vartoken/${hash}`,
  tokenId: (id: string) => `at/${id}`,
  tokensOf: (principal: Principal) => `tokens/${principal}/`,
  tokenOf: (principal: Principal, id: string) => `tokens/${principal}/${id}`,
  /** Key of the row that points to the sole token of a team or organization. */
  soleToken: (principal: Principal) => `soletoken/${principal}`,
  variables: "var/",
  variable: (id: string) => `var/${id}`,
  variableKeys: (workspace: string) => `varkey/${workspace}/`,
  variableKey: (workspace: string, kind: VariableKind, part: string) =>
    `varkey/${workspace}/${kind}/${part}`,
  /**
   * Key of a row that every write near a workspace's limits rewrites, so that these writes are
   * serialized.
   */
  quota: (workspace: string) => `quota/${workspace}`,
} as const;

/**
 * Returns the binding of a sealed value. The binding prevents opening the value for another
 * variable.
 */
export const valueBinding = (variable: string): string => `${secretName(variable)}/value`;
/** Returns the name of a variable's value in lists of sealed secrets. */
export const secretName = (variable: string): string => `vars/${variable}`;
