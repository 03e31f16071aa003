import type { Settings } from "../jsonapi/settings.ts";

/** The owner of a token: `user-…`, `team-…` or, for an organization, `org-…`. */
export type Principal = string;
/** Reports whether a principal is a user. */
export const isUser = (principal: Principal): boolean => principal.startsWith("user-");
/** Reports whether a principal is an organization. */
export const isOrganization = (principal: Principal): boolean => principal.startsWith("org-");

/** A row that the first use of the variables API creates. It shows that the initial rows exist. */
export interface InstalledRow {
  readonly user: string;
}
/** A user. */
export interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  /** Whether the user can create users. */
  readonly admin: boolean;
  /** IDs of organizations whose owners may add the user to teams. */
  readonly joins?: readonly string[];
}
/** An organization. */
export interface OrganizationRow {
  /** ID such as `org-…`. The API calls this the external ID, and uses the name as ID. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Unix milliseconds. */
  readonly created: number;
  readonly project: string;
  readonly owners: string;
  readonly settings: Settings;
}
/** A workspace. */
export interface WorkspaceRow {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  /** Unix milliseconds. */
  readonly created: number;
  readonly updated: number;
  readonly settings: Settings;
}
/** The row that reserves a workspace's name. */
export type NamedWorkspace = Pick<WorkspaceRow, "id" | "name">;
/** A team of an organization. */
export interface TeamRow {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly owners: boolean;
  readonly visibility: "secret" | "organization";
  readonly sso: string | null;
  /** Whether members may manage the team's tokens. */
  readonly tokens: boolean;
  /** Rights in the whole organization, by their names in the API. */
  readonly access: Readonly<Record<string, boolean>>;
  /** IDs of the members. */
  readonly users: readonly string[];
}
/** A level of access to variables. `write` includes `read`. */
export type Level = "none" | "read" | "write";
/** The access of a team to a workspace. `variables` applies only if `access` is `custom`. */
export interface AccessRow {
  readonly id: string;
  readonly team: string;
  readonly workspace: string;
  readonly access: "read" | "plan" | "write" | "admin" | "custom";
  readonly variables: Level;
  /** Other rights of `custom` access, which have no effect. */
  readonly settings: Settings;
}
/** A token. The row key contains the token's hash. */
export interface TokenRow {
  readonly id: string;
  readonly principal: Principal;
  readonly description: string | null;
  /** Unix milliseconds. */
  readonly created: number;
  readonly expires: number | null;
  /** ID of the user who created the token, or null if a team or organization did. */
  readonly by: string | null;
  /**
   * Time of the last use in Unix milliseconds, with a precision of one minute. Absent before the
   * first use.
   */
  readonly used?: number;
}
/** The two kinds of variables, each with its own keys. */
export type VariableKind = "provisioning" | "env";
/** A category name for the `provisioning` kind. The two names are synonyms. */
export type Spelling = "iac" | "terraform";
/** A variable. */
export interface VariableRow {
  readonly id: string;
  readonly workspace: string;
  readonly key: string;
  readonly kind: VariableKind;
  /** The value. A sensitive value is sealed and bound to the variable's ID. */
  readonly value: string | Uint8Array;
  readonly sensitive: boolean;
  readonly hcl: boolean;
  readonly description: string | null;
  readonly version: string;
  /** Unix milliseconds. */
  readonly created: number;
  /**
   * Category name that was last written for a provisioning variable. `scoped` is the name last
   * written through the workspace's own paths.
   */
  readonly spelling?: Spelling;
  readonly scoped?: Spelling;
}
/**
 * A row that reserves a variable's key. It also contains the variable's ID and size, so that they
 * can be read without the value.
 */
export interface KeyRow {
  readonly id: string;
  readonly key: string;
  readonly kind: VariableKind;
  /** Size of the value in UTF-8 bytes. */
  readonly size: number;
}
