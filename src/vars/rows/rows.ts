import type { Settings } from "../jsonapi/settings.ts";

/** The owner of a token: `user-…`, `team-…` or, for an organization, `org-…`. */
export type Principal = string;
/** Reports whether a principal is a user. */
export const isUser = (principal: Principal): boolean => principal.startsWith("user-");
/** Reports whether a principal is an organization. */
export const isOrganization = (principal: Principal): boolean => principal.startsWith("org-");

/** Created on the first use of the variables API, as the marker that its initial rows exist. */
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
  /** IDs of organizations whose owners can add the user to teams. */
  readonly joins?: readonly string[];
}
/** An organization. */
export interface OrganizationRow {
  /** `org-…`; in the API, the id of an organization is its name, and this is its external id. */
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
  /** Ids of its members. */
  readonly users: readonly string[];
}
/** Level of access to variables; write includes read. */
export type Level = "none" | "read" | "write";
/** The access of a team to one workspace. `variables` applies if `access` is `custom`. */
export interface AccessRow {
  readonly id: string;
  readonly team: string;
  readonly workspace: string;
  readonly access: "read" | "plan" | "write" | "admin" | "custom";
  readonly variables: Level;
  /** The other rights of `custom`, which have no effect. */
  readonly settings: Settings;
}
/** A token, found by its hash. */
export interface TokenRow {
  readonly id: string;
  readonly principal: Principal;
  readonly description: string | null;
  /** Unix milliseconds. */
  readonly created: number;
  readonly expires: number | null;
  /** The user who created it. */
  readonly by: string | null;
  /** Last use, with one-minute precision; absent before the first use. */
  readonly used?: number;
}
/** The two kinds of variables, each with its own keys. */
export type VariableKind = "provisioning" | "env";
/** The spelling of the kind `provisioning`. */
export type Spelling = "iac" | "terraform";
/** A variable. */
export interface VariableRow {
  readonly id: string;
  readonly workspace: string;
  readonly key: string;
  readonly kind: VariableKind;
  /** A sensitive value is sealed, bound to the variable's id. */
  readonly value: string | Uint8Array;
  readonly sensitive: boolean;
  readonly hcl: boolean;
  readonly description: string | null;
  readonly version: string;
  /** Unix milliseconds. */
  readonly created: number;
  /**
   * The last spelling of the category written for a provisioning variable, and the last one written
   * through the workspace's own paths.
   */
  readonly spelling?: Spelling;
  readonly scoped?: Spelling;
}
/**
 * Reserves a key. Also contains the sizes and IDs of a workspace's variables, which can then be
 * read without the values.
 */
export interface KeyRow {
  readonly id: string;
  readonly key: string;
  readonly kind: VariableKind;
  /** Bytes of the value in UTF-8. */
  readonly size: number;
}
