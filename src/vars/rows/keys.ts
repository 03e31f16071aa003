import type { VariableKind, Principal } from "./rows.ts";

/** Keys of the rows of the store `vars`. Ids were validated before; names are ASCII or encoded. */
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
  /** The only token of a team or an organization, identified by its owner. */
  soleToken: (principal: Principal) => `soletoken/${principal}`,
  variables: "var/",
  variable: (id: string) => `var/${id}`,
  variableKeys: (workspace: string) => `varkey/${workspace}/`,
  variableKey: (workspace: string, kind: VariableKind, part: string) =>
    `varkey/${workspace}/${kind}/${part}`,
  /** Near the limits of a workspace, every write rewrites this row, which serializes the writes. */
  quota: (workspace: string) => `quota/${workspace}`,
} as const;

/** Returns the binding of a sealed value: it cannot be opened for another variable. */
export const valueBinding = (variable: string): string => `${secretName(variable)}/value`;
/** Returns the name of a variable's value among sealed secrets. */
export const secretName = (variable: string): string => `vars/${variable}`;
