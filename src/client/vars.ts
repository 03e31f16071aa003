// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, Warned } from "./call.ts";
import type { Table } from "./table.ts";

/** Paging of a reply of the variables API. */
export type DocumentPageReply = {
  /** Links to this, the first, previous, next and last page. */
  readonly links: {
    readonly self: string | null;
    readonly first: string | null;
    readonly prev: string | null;
    readonly next: string | null;
    readonly last: string | null;
  };
  /** Number of this page, and total numbers of pages and resources. */
  readonly meta: {
    readonly pagination: {
      readonly "current-page": number;
      readonly "page-size": number;
      readonly "total-pages": number;
      readonly "total-count": number;
      readonly "prev-page": number | null;
      readonly "next-page": number | null;
    };
  };
};
/** Paging of a listing of the variables API. */
export type DocumentPageFields = {
  /** Page number, 1 by default. */
  readonly "page[number]"?: string | undefined;
  /** Items per page, 20 by default, at most 100. */
  readonly "page[size]"?: string | undefined;
};
/** A resource of type `workspaces`. */
export type WorkspaceResource = {
  readonly id: string;
  readonly type: "workspaces";
  readonly attributes: {
    readonly name: string;
    readonly "created-at": string;
    readonly "updated-at": string;
    readonly "allow-destroy-plan": boolean;
    readonly "auto-apply": boolean;
    readonly "auto-apply-run-trigger": boolean;
    readonly "auto-destroy-at": string | null;
    readonly "auto-destroy-activity-duration": string | null;
    readonly environment: string;
    readonly "queue-all-runs": boolean;
    readonly "speculative-enabled": boolean;
    readonly "structured-run-output-enabled": boolean;
    readonly "terraform-version": string;
    readonly "working-directory": string;
    readonly "global-remote-state": boolean;
    readonly "project-remote-state": boolean;
    readonly "inherits-project-auto-destroy": boolean;
    readonly "execution-mode": "remote" | "local" | "agent";
    readonly "file-triggers-enabled": boolean;
    readonly "trigger-prefixes": readonly string[];
    readonly "trigger-patterns": readonly string[];
    readonly "assessments-enabled": boolean;
    readonly "tag-names": readonly string[];
    readonly source: string;
    readonly "source-name": string | null;
    readonly "source-url": string | null;
    readonly description: string | null;
    readonly "setting-overwrites": Readonly<Record<string, boolean>>;
    readonly locked: boolean;
    readonly operations: boolean;
    readonly "resource-count": number;
    readonly "vcs-repo": null;
    readonly actions: {
      readonly "is-destroyable": boolean;
    };
    readonly permissions: Readonly<Record<string, boolean>>;
  };
  readonly relationships: {
    readonly organization?: {
      readonly data: {
        readonly id: string;
        readonly type: "organizations";
      };
      readonly links?: Readonly<Record<string, string>>;
    };
    readonly project?: {
      readonly data: {
        readonly id: string;
        readonly type: "projects";
      };
      readonly links?: Readonly<Record<string, string>>;
    };
    /** Only for callers who may read the variables. */
    readonly vars?: {
      readonly data: readonly {
        readonly id: string;
        readonly type: "vars";
      }[];
    };
    readonly [name: string]: unknown;
  };
  readonly links?: Readonly<Record<string, string>>;
};
/** A resource of type `organizations`. */
export type OrganizationResource = {
  readonly id: string;
  readonly type: "organizations";
  readonly attributes: {
    readonly name: string;
    readonly email: string;
    readonly "external-id": string;
    readonly "created-at": string;
    readonly "collaborator-auth-policy": "password" | "two_factor_mandatory";
    readonly "default-execution-mode": "remote" | "local" | "agent";
    readonly "session-timeout": number | null;
    readonly "session-remember": number | null;
    readonly "cost-estimation-enabled": boolean;
    readonly "assessments-enforced": boolean;
    readonly "allow-force-delete-workspaces": boolean;
    readonly "aggregated-commit-status-enabled": boolean;
    readonly "speculative-plan-management-enabled": boolean;
    readonly "send-passing-statuses-for-untriggered-speculative-plans": boolean;
    readonly "owners-team-saml-role-id": string | null;
    readonly "user-tokens-enabled": boolean;
    readonly "saml-enabled": boolean;
    readonly "two-factor-conformant": boolean;
    readonly "is-unified": boolean;
    readonly permissions: Readonly<Record<string, boolean>>;
  };
  readonly relationships: {
    readonly "default-project"?: {
      readonly data: {
        readonly id: string;
        readonly type: "projects";
      };
      readonly links?: Readonly<Record<string, string>>;
    };
    readonly "entitlement-set"?: {
      readonly data: {
        readonly id: string;
        readonly type: "entitlement-sets";
      };
      readonly links?: Readonly<Record<string, string>>;
    };
    readonly [name: string]: unknown;
  };
  readonly links?: Readonly<Record<string, string>>;
};
/** A resource of type `teams`, as sent. */
export type TeamResourceData = {
  readonly type?: "teams" | undefined;
  readonly id?: string | undefined;
  readonly attributes?:
    | {
        readonly name?: string | undefined;
        readonly visibility?: "secret" | "organization" | undefined;
        readonly "sso-team-id"?: string | null | undefined;
        readonly "allow-member-token-management"?: boolean | undefined;
        readonly "organization-access"?:
          | {
              readonly "manage-policies"?: boolean | undefined;
              readonly "manage-policy-overrides"?: boolean | undefined;
              readonly "delegate-policy-overrides"?: boolean | undefined;
              readonly "manage-workspaces"?: boolean | undefined;
              readonly "manage-vcs-settings"?: boolean | undefined;
              readonly "manage-providers"?: boolean | undefined;
              readonly "manage-modules"?: boolean | undefined;
              readonly "manage-run-tasks"?: boolean | undefined;
              readonly "manage-projects"?: boolean | undefined;
              readonly "read-workspaces"?: boolean | undefined;
              readonly "read-projects"?: boolean | undefined;
              readonly "manage-membership"?: boolean | undefined;
              readonly "manage-teams"?: boolean | undefined;
              readonly "manage-organization-access"?: boolean | undefined;
              readonly "access-secret-teams"?: boolean | undefined;
              readonly "manage-agent-pools"?: boolean | undefined;
            }
          | undefined;
      }
    | undefined;
  /** Its workspace, if not in the path. */
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
};
/** A resource of type `teams`. */
export type TeamResource = {
  readonly id: string;
  readonly type: "teams";
  readonly attributes: {
    readonly name: string;
    readonly "sso-team-id": string | null;
    readonly visibility: "secret" | "organization";
    readonly "users-count": number;
    readonly "allow-member-token-management": boolean;
    readonly "organization-access": {
      readonly "manage-policies": boolean;
      readonly "manage-policy-overrides": boolean;
      readonly "delegate-policy-overrides": boolean;
      readonly "manage-workspaces": boolean;
      readonly "manage-vcs-settings": boolean;
      readonly "manage-providers": boolean;
      readonly "manage-modules": boolean;
      readonly "manage-run-tasks": boolean;
      readonly "manage-projects": boolean;
      readonly "read-workspaces": boolean;
      readonly "read-projects": boolean;
      readonly "manage-membership": boolean;
      readonly "manage-teams": boolean;
      readonly "manage-organization-access": boolean;
      readonly "access-secret-teams": boolean;
      readonly "manage-agent-pools": boolean;
    };
    readonly permissions: Readonly<Record<string, boolean>>;
  };
  readonly relationships: {
    readonly users?: {
      readonly data: readonly {
        readonly id: string;
        readonly type: "users";
      }[];
    };
    readonly [name: string]: unknown;
  };
  readonly links?: Readonly<Record<string, string>>;
};
/** A resource of type `team-workspaces`, as sent. */
export type TeamAccessResourceData = {
  readonly type?: "team-workspaces" | undefined;
  readonly id?: string | undefined;
  readonly attributes?:
    | {
        readonly access?: "read" | "plan" | "write" | "admin" | "custom" | undefined;
        /** Only with `custom`. */
        readonly runs?: "read" | "plan" | "apply" | undefined;
        /** Only with `custom`. */
        readonly "state-versions"?: "none" | "read-outputs" | "read" | "write" | undefined;
        /** Only with `custom`. */
        readonly "sentinel-mocks"?: "none" | "read" | undefined;
        /** Only with `custom`. */
        readonly "workspace-locking"?: boolean | undefined;
        /** Only with `custom`. */
        readonly "run-tasks"?: boolean | undefined;
        /** Only with `custom`. */
        readonly "policy-overrides"?: boolean | undefined;
        /** Only with `custom`. */
        readonly variables?: "none" | "read" | "write" | undefined;
      }
    | undefined;
  /** Its workspace, if not in the path. */
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
};
/** A resource of type `team-workspaces`. */
export type TeamAccessResource = {
  readonly id: string;
  readonly type: "team-workspaces";
  readonly attributes: {
    readonly access: "read" | "plan" | "write" | "admin" | "custom";
    readonly runs: "read" | "plan" | "apply";
    readonly "state-versions": "none" | "read-outputs" | "read" | "write";
    readonly "sentinel-mocks": "none" | "read";
    readonly "workspace-locking": boolean;
    readonly "run-tasks": boolean;
    readonly "policy-overrides": boolean;
    readonly variables: "none" | "read" | "write";
  };
  readonly relationships: {
    readonly team?: {
      readonly data: {
        readonly id: string;
        readonly type: "teams";
      };
      readonly links?: Readonly<Record<string, string>>;
    };
    readonly workspace?: {
      readonly data: {
        readonly id: string;
        readonly type: "workspaces";
      };
      readonly links?: Readonly<Record<string, string>>;
    };
    readonly [name: string]: unknown;
  };
  readonly links?: Readonly<Record<string, string>>;
};
/** A resource of type `vars`, as sent. */
export type VariableResourceData = {
  readonly type: "vars";
  readonly id?: string | undefined;
  readonly attributes: {
    /** Name of the variable, unique within its workspace and category. */
    readonly key: string;
    /** Value, at most 256 KiB of UTF-8. Never returned for a sensitive variable. */
    readonly value?: string | null | undefined;
    readonly description?: string | null | undefined;
    /** `iac` and `terraform` are synonyms. */
    readonly category: "iac" | "terraform" | "env";
    /**
     * Whether the value is code in the configuration language. No effect for `env`. Default: `false`.
     */
    readonly hcl?: boolean | undefined;
    /** Whether the value is never returned again. Cannot be unset. Default: `false`. */
    readonly sensitive?: boolean | undefined;
  };
  /** Its workspace, if not in the path. */
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
};
/** A resource of type `vars`, as sent. */
export type VariableResourceDataUpdate = {
  readonly type: "vars";
  readonly id?: string | undefined;
  readonly attributes?:
    | {
        /** Name of the variable, unique within its workspace and category. */
        readonly key?: string | undefined;
        /** Value, at most 256 KiB of UTF-8. Never returned for a sensitive variable. */
        readonly value?: string | null | undefined;
        readonly description?: string | null | undefined;
        /** `iac` and `terraform` are synonyms. */
        readonly category?: "iac" | "terraform" | "env" | undefined;
        /** Whether the value is code in the configuration language. No effect for `env`. */
        readonly hcl?: boolean | undefined;
        /** Whether the value is never returned again. Cannot be unset. */
        readonly sensitive?: boolean | undefined;
      }
    | undefined;
  /** Its workspace, if not in the path. */
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
};
/** A resource of type `vars`. */
export type VariableResource = {
  readonly id: string;
  readonly type: "vars";
  readonly attributes: {
    readonly key: string;
    readonly "created-at": string;
    readonly "version-id": string;
    readonly description: string | null;
    /** Null if sensitive. */
    readonly value: string | null;
    readonly category: "iac" | "terraform" | "env";
    readonly sensitive: boolean;
    readonly hcl: boolean;
  };
  readonly relationships: {
    readonly configurable?: {
      readonly data: {
        readonly id: string;
        readonly type: "workspaces";
      };
      readonly links?: Readonly<Record<string, string>>;
    };
    readonly [name: string]: unknown;
  };
  readonly links?: Readonly<Record<string, string>>;
};
/** A resource of type `authentication-tokens`. */
export type TokenResource = {
  readonly id: string;
  readonly type: "authentication-tokens";
  readonly attributes: {
    readonly "created-at": string;
    readonly "last-used-at": string | null;
    readonly description: string | null;
    readonly "expired-at": string | null;
    /** Null except in the response that creates it. */
    readonly token: string | null;
  };
  readonly relationships: {
    readonly team?: {
      readonly data: {
        readonly id: string;
        readonly type: "teams";
      };
      readonly links?: Readonly<Record<string, string>>;
    };
    readonly [name: string]: unknown;
  };
  readonly links?: Readonly<Record<string, string>>;
};
/** A resource of type `users`. */
export type UserResource = {
  readonly id: string;
  readonly type: "users";
  readonly attributes: {
    readonly username: string;
    /** Null if the caller may not see it. */
    readonly email: string | null;
    readonly "is-service-account": boolean;
    /** The first token, only in the response that creates the user. */
    readonly token?: string;
  };
  readonly links?: Readonly<Record<string, string>>;
};
/** A resource of type `authentication-tokens`, as sent. */
export type TokenResourceData = {
  readonly type?: "authentication-tokens" | undefined;
  readonly id?: string | undefined;
  readonly attributes?:
    | {
        readonly description?: string | null | undefined;
        readonly "expired-at"?: string | null | undefined;
      }
    | undefined;
  /** Its workspace, if not in the path. */
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
};
/** A resource of type `organizations`, as sent. */
export type OrganizationResourceData = {
  readonly type?: "organizations" | undefined;
  readonly id?: string | undefined;
  readonly attributes?:
    | {
        readonly name?: string | undefined;
        readonly email?: string | undefined;
      }
    | undefined;
  /** Its workspace, if not in the path. */
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
};
/** A resource of type `workspaces`, as sent. */
export type WorkspaceResourceData = {
  readonly type?: "workspaces" | undefined;
  readonly id?: string | undefined;
  readonly attributes?:
    | {
        /** Letters, digits, `-` and `_`. */
        readonly name?: string | undefined;
      }
    | undefined;
  /** Its workspace, if not in the path. */
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
};
/** A resource of type `users`, as sent. */
export type UserResourceData = {
  readonly type?: "users" | undefined;
  readonly id?: string | undefined;
  readonly attributes?:
    | {
        readonly username?: string | undefined;
        readonly email?: string | undefined;
      }
    | undefined;
  /** Its workspace, if not in the path. */
  readonly relationships?: Readonly<Record<string, unknown>> | undefined;
};

export type ExportVarsInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id: string;
  /** `dotenv` (the default) or `json`. */
  readonly format?: "dotenv" | "json" | undefined;
};
export type ExportVarsReply = string;
export type ReadWorkspaceVarInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id: string;
  /** ID of the variable, `var-…`. */
  readonly variable_id: string;
};
export type ReadWorkspaceVarReply = {
  /** The variable. */
  readonly data: VariableResource;
};
export type ListWorkspaceVarsInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id: string;
};
export type ListWorkspaceVarsReply = {
  /** Variables, by key. */
  readonly data: readonly VariableResource[];
};
export type WriteVarsInBulkInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id: string;
  /** Resource objects of type `vars`. */
  readonly data?: readonly Readonly<Record<string, unknown>>[] | undefined;
};
export type WriteVarsInBulkReply = ListWorkspaceVarsReply;
export type CreateWorkspaceVarInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id: string;
  /** A resource object of type `vars`. */
  readonly data: VariableResourceData;
};
export type CreateWorkspaceVarReply = ReadWorkspaceVarReply;
export type UpdateWorkspaceVarInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id: string;
  /** ID of the variable, `var-…`. */
  readonly variable_id: string;
  /** A resource object of type `vars`. */
  readonly data: VariableResourceDataUpdate;
};
export type UpdateWorkspaceVarReply = ReadWorkspaceVarReply;
export type DeleteWorkspaceVarInput = ReadWorkspaceVarInput;
export type DeleteWorkspaceVarReply = Warned | undefined;
export type ReadVarInput = {
  /** ID of the variable, `var-…`. */
  readonly variable_id: string;
};
export type ReadVarReply = ReadWorkspaceVarReply;
export type ListVarsInput = {
  /** Name of the workspace; requires the organization's name. */
  readonly "filter[workspace][name]"?: string | undefined;
  /** Name of the organization; requires the workspace's name. */
  readonly "filter[organization][name]"?: string | undefined;
};
export type ListVarsReply = ListWorkspaceVarsReply;
export type CreateVarInput = {
  /** A resource object of type `vars`. */
  readonly data: {
    readonly type: "vars";
    readonly id?: string | undefined;
    readonly attributes: {
      /** Name of the variable, unique within its workspace and category. */
      readonly key: string;
      /** Value, at most 256 KiB of UTF-8. Never returned for a sensitive variable. */
      readonly value?: string | null | undefined;
      readonly description: string | null;
      /** `iac` and `terraform` are synonyms. */
      readonly category: "iac" | "terraform" | "env";
      /**
       * Whether the value is code in the configuration language. No effect for `env`. Default: `false`.
       */
      readonly hcl?: boolean | undefined;
      /** Whether the value is never returned again. Cannot be unset. Default: `false`. */
      readonly sensitive?: boolean | undefined;
    };
    /** Its workspace, if not in the path. */
    readonly relationships?:
      | {
          /** The workspace that the variable belongs to. */
          readonly workspace?:
            | {
                readonly data: {
                  readonly type: "workspaces";
                  readonly id: string;
                };
              }
            | undefined;
        }
      | undefined;
  };
  /** Names of the workspace and its organization; an alternative to the relationship. */
  readonly filter?:
    | {
        readonly workspace: {
          /** Name of the workspace. */
          readonly name: string;
        };
        readonly organization: {
          /** Name of the organization. */
          readonly name: string;
        };
      }
    | undefined;
};
export type CreateVarReply = ReadWorkspaceVarReply;
export type UpdateVarInput = {
  /** ID of the variable, `var-…`. */
  readonly variable_id: string;
  /** A resource object of type `vars`. */
  readonly data: {
    readonly type: "vars";
    readonly id: string;
    readonly attributes: {
      /** Name of the variable, unique within its workspace and category. */
      readonly key?: string | undefined;
      /** Value, at most 256 KiB of UTF-8. Never returned for a sensitive variable. */
      readonly value?: string | null | undefined;
      readonly description?: string | null | undefined;
      /** `iac` and `terraform` are synonyms. */
      readonly category?: "iac" | "terraform" | "env" | undefined;
      /** Whether the value is code in the configuration language. No effect for `env`. */
      readonly hcl?: boolean | undefined;
      /** Whether the value is never returned again. Cannot be unset. */
      readonly sensitive?: boolean | undefined;
    };
    /** Its workspace, if not in the path. */
    readonly relationships?: Readonly<Record<string, unknown>> | undefined;
  };
};
export type UpdateVarReply = ReadWorkspaceVarReply;
export type DeleteVarInput = ReadVarInput;
export type DeleteVarReply = DeleteWorkspaceVarReply;
export type PingInput = {};
export type PingReply = DeleteWorkspaceVarReply;
export type ReadAccountInput = PingInput;
export type ReadAccountReply = {
  /** The user. */
  readonly data: UserResource;
};
export type ReadWorkspaceInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id?: string | undefined;
  /** Name of the organization. */
  readonly organization?: string | undefined;
  /** Name of the workspace. */
  readonly workspace?: string | undefined;
};
export type ReadWorkspaceReply = {
  /** The workspace. */
  readonly data: WorkspaceResource;
};
export type ListNothingInput = DocumentPageFields & {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id: string;
};
export type ListNothingReply = DocumentPageReply & {
  /** The resources on this page. */
  readonly data: readonly Readonly<Record<string, unknown>>[];
};
export type ClearTagsInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id: string;
  /** No tags. */
  readonly data?: readonly unknown[] | undefined;
};
export type ClearTagsReply = DeleteWorkspaceVarReply;
export type ListWorkspacesInput = DocumentPageFields & {
  /** Name of the organization. */
  readonly organization: string;
  /** Part of the name. */
  readonly "search[name]"?: string | undefined;
  /** Pattern that the whole name must match; `*` matches any characters. */
  readonly "search[wildcard-name]"?: string | undefined;
  /** ID of the organization's project. */
  readonly "filter[project][id]"?: string | undefined;
  /** `name` or `-name`. */
  readonly sort?: "name" | "-name" | undefined;
  /** `organization` includes the organization in the response. */
  readonly include?: "organization" | undefined;
};
export type ListWorkspacesReply = DocumentPageReply & {
  /** The resources on this page. */
  readonly data: readonly WorkspaceResource[];
  /** The organization, if requested. */
  readonly included?: readonly OrganizationResource[];
};
export type CreateWorkspaceInput = {
  /** Name of the organization. */
  readonly organization: string;
  /** A resource object of type `workspaces`. */
  readonly data?: WorkspaceResourceData | undefined;
};
export type CreateWorkspaceReply = ReadWorkspaceReply;
export type UpdateWorkspaceInput = {
  /** ID of the workspace, `ws-…`. */
  readonly workspace_id?: string | undefined;
  /** Name of the organization. */
  readonly organization?: string | undefined;
  /** Name of the workspace. */
  readonly workspace?: string | undefined;
  /** A resource object of type `workspaces`. */
  readonly data?: WorkspaceResourceData | undefined;
};
export type UpdateWorkspaceReply = ReadWorkspaceReply;
export type DeleteWorkspaceInput = ReadWorkspaceInput;
export type DeleteWorkspaceReply = DeleteWorkspaceVarReply;
export type ListOrganizationsInput = DocumentPageFields & {
  /** Part of the name or email address. */
  readonly q?: string | undefined;
  /** Part of the name. */
  readonly "q[name]"?: string | undefined;
  /** Part of the email address. */
  readonly "q[email]"?: string | undefined;
};
export type ListOrganizationsReply = DocumentPageReply & {
  /** The resources on this page. */
  readonly data: readonly OrganizationResource[];
};
export type CreateOrganizationInput = {
  /** A resource object of type `organizations`. */
  readonly data?: OrganizationResourceData | undefined;
};
export type CreateOrganizationReply = {
  /** The organization. */
  readonly data: OrganizationResource;
};
export type ReadOrganizationInput = {
  /** Name of the organization. */
  readonly organization: string;
};
export type ReadOrganizationReply = CreateOrganizationReply;
export type UpdateOrganizationInput = {
  /** Name of the organization. */
  readonly organization: string;
  /** A resource object of type `organizations`. */
  readonly data?: OrganizationResourceData | undefined;
};
export type UpdateOrganizationReply = CreateOrganizationReply;
export type DeleteOrganizationInput = ReadOrganizationInput;
export type DeleteOrganizationReply = DeleteWorkspaceVarReply;
export type ReadEntitlementsInput = ReadOrganizationInput;
export type ReadEntitlementsReply = {
  /** The features. */
  readonly data: {
    readonly id: string;
    readonly type: "entitlement-sets";
    readonly attributes: {
      readonly teams: boolean;
      readonly operations: boolean;
      readonly agents: boolean;
      readonly "state-storage": boolean;
      readonly "private-module-registry": boolean;
      readonly "policy-enforcement": boolean;
      readonly sentinel: boolean;
      readonly "cost-estimation": boolean;
      readonly "run-tasks": boolean;
      readonly "audit-logging": boolean;
      readonly sso: boolean;
      readonly "vcs-integrations": boolean;
      readonly "usage-reporting": boolean;
      readonly "self-serve-billing": boolean;
      readonly "user-limit": null;
    };
    readonly links?: Readonly<Record<string, string>>;
  };
};
export type ListTeamsInput = DocumentPageFields & {
  /** Name of the organization. */
  readonly organization: string;
  /** Comma-separated names. */
  readonly "filter[names]"?: string | undefined;
  /** Part of the name. */
  readonly q?: string | undefined;
  /** `users` includes the members in the response. Other values are ignored. */
  readonly include?: string | undefined;
};
export type ListTeamsReply = DocumentPageReply & {
  /** The resources on this page. */
  readonly data: readonly TeamResource[];
  /** The members, if requested. */
  readonly included?: readonly UserResource[];
};
export type CreateTeamInput = {
  /** Name of the organization. */
  readonly organization: string;
  /** A resource object of type `teams`. */
  readonly data?: TeamResourceData | undefined;
};
export type CreateTeamReply = {
  /** The team. */
  readonly data: TeamResource;
};
export type ReadTeamInput = {
  /** ID of the team, `team-…`. */
  readonly team_id: string;
  /** `users` includes the members in the response. Other values are ignored. */
  readonly include?: string | undefined;
};
export type ReadTeamReply = {
  /** The team. */
  readonly data: TeamResource;
  /** The members, if requested. */
  readonly included?: readonly UserResource[];
};
export type UpdateTeamInput = {
  /** ID of the team, `team-…`. */
  readonly team_id: string;
  /** A resource object of type `teams`. */
  readonly data?: TeamResourceData | undefined;
};
export type UpdateTeamReply = CreateTeamReply;
export type DeleteTeamInput = {
  /** ID of the team, `team-…`. */
  readonly team_id: string;
};
export type DeleteTeamReply = DeleteWorkspaceVarReply;
export type AddMembersInput = {
  /** ID of the team, `team-…`. */
  readonly team_id: string;
  /** Users, identified by username. */
  readonly data?:
    | readonly {
        readonly type?: "users" | undefined;
        /** The username. */
        readonly id?: string | undefined;
      }[]
    | undefined;
};
export type AddMembersReply = DeleteWorkspaceVarReply;
export type RemoveMembersInput = AddMembersInput;
export type RemoveMembersReply = DeleteWorkspaceVarReply;
export type JoinOrganizationInput = ReadOrganizationInput;
export type JoinOrganizationReply = DeleteWorkspaceVarReply;
export type LeaveOrganizationInput = ReadOrganizationInput;
export type LeaveOrganizationReply = DeleteWorkspaceVarReply;
export type ListTeamAccessInput = DocumentPageFields & {
  /** ID of the workspace. */
  readonly "filter[workspace][id]"?: string | undefined;
};
export type ListTeamAccessReply = DocumentPageReply & {
  /** The resources on this page. */
  readonly data: readonly TeamAccessResource[];
};
export type CreateTeamAccessInput = {
  /** A resource object of type `team-workspaces`. */
  readonly data?: TeamAccessResourceData | undefined;
};
export type CreateTeamAccessReply = {
  /** The team's access to the workspace. */
  readonly data: TeamAccessResource;
};
export type ReadTeamAccessInput = {
  /** ID of the team's access to a workspace, `tws-…`. */
  readonly team_workspace_id: string;
};
export type ReadTeamAccessReply = CreateTeamAccessReply;
export type UpdateTeamAccessInput = {
  /** ID of the team's access to a workspace, `tws-…`. */
  readonly team_workspace_id: string;
  /** A resource object of type `team-workspaces`. */
  readonly data?: TeamAccessResourceData | undefined;
};
export type UpdateTeamAccessReply = CreateTeamAccessReply;
export type DeleteTeamAccessInput = ReadTeamAccessInput;
export type DeleteTeamAccessReply = DeleteWorkspaceVarReply;
export type ReadSoleTokenInput = {
  /** ID of the team, `team-…`. */
  readonly team_id?: string | undefined;
  /** Name of the organization. */
  readonly organization?: string | undefined;
};
export type ReadSoleTokenReply = {
  /** The token; its secret is shown only in the response that creates it. */
  readonly data: TokenResource;
};
export type MakeSoleTokenInput = {
  /** ID of the team, `team-…`. */
  readonly team_id?: string | undefined;
  /** Name of the organization. */
  readonly organization?: string | undefined;
  /** A resource object of type `authentication-tokens`. */
  readonly data?: TokenResourceData | undefined;
};
export type MakeSoleTokenReply = ReadSoleTokenReply;
export type DeleteSoleTokenInput = ReadSoleTokenInput;
export type DeleteSoleTokenReply = DeleteWorkspaceVarReply;
export type MakeTeamTokenInput = {
  /** ID of the team, `team-…`. */
  readonly team_id: string;
  /** A resource object of type `authentication-tokens`. */
  readonly data?: TokenResourceData | undefined;
};
export type MakeTeamTokenReply = ReadSoleTokenReply;
export type ListTeamTokensInput = DeleteTeamInput;
export type ListTeamTokensReply = {
  /** The tokens, without their secrets. */
  readonly data: readonly TokenResource[];
};
export type ListUserTokensInput = {
  /** ID of the user, `user-…`. */
  readonly user_id: string;
};
export type ListUserTokensReply = ListTeamTokensReply;
export type MakeUserTokenInput = {
  /** ID of the user, `user-…`. */
  readonly user_id: string;
  /** A resource object of type `authentication-tokens`. */
  readonly data?: TokenResourceData | undefined;
};
export type MakeUserTokenReply = ReadSoleTokenReply;
export type ReadTokenInput = {
  /** ID of the token, `at-…`. */
  readonly token_id: string;
};
export type ReadTokenReply = ReadSoleTokenReply;
export type DeleteTokenInput = ReadTokenInput;
export type DeleteTokenReply = DeleteWorkspaceVarReply;
export type CreateUserInput = {
  /** A resource object of type `users`. */
  readonly data?: UserResourceData | undefined;
};
export type CreateUserReply = ReadAccountReply;
export type DeleteUserInput = ListUserTokensInput;
export type DeleteUserReply = DeleteWorkspaceVarReply;

/** Typed client: Every endpoint of the variables API below `/api/v2`. */
export interface VarsClient {
  /**
   * Exports the variables of a workspace as a dotenv file, or as JSON that the bulk endpoint
   * accepts. Sensitive values are omitted. Not available on other servers with this API.
   * `GET /api/v2/workspaces/:workspace_id/vars/export`. Needs any valid token. Fails with
   * `not_found`, `malformed`.
   */
  exportVars(input: ExportVarsInput, options?: CallOptions): Promise<ExportVarsReply>;
  /**
   * Reads a variable of a workspace.
   * `GET /api/v2/workspaces/:workspace_id/vars/:variable_id`. Needs any valid token. Fails with
   * `not_found`.
   */
  readWorkspaceVar(
    input: ReadWorkspaceVarInput,
    options?: CallOptions,
  ): Promise<ReadWorkspaceVarReply>;
  /**
   * Lists all variables of a workspace, without paging.
   * `GET /api/v2/workspaces/:workspace_id/vars`, `GET /api/v2/workspaces/:workspace_id/all-vars`.
   * Needs any valid token. Fails with `not_found`.
   */
  listWorkspaceVars(
    input: ListWorkspaceVarsInput,
    options?: CallOptions,
  ): Promise<ListWorkspaceVarsReply>;
  /**
   * Creates or updates up to 500 variables, identified by key and category, either all of them or
   * none. Not available on other servers with this API.
   * `POST /api/v2/workspaces/:workspace_id/vars/bulk`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  writeVarsInBulk(
    input: WriteVarsInBulkInput,
    options?: CallOptions,
  ): Promise<WriteVarsInBulkReply>;
  /**
   * Creates a variable in a workspace.
   * `POST /api/v2/workspaces/:workspace_id/vars`. Needs any valid token. Fails with `not_found`,
   * `unsupported_media`, `malformed`, `invalid_document`.
   */
  createWorkspaceVar(
    input: CreateWorkspaceVarInput,
    options?: CallOptions,
  ): Promise<CreateWorkspaceVarReply>;
  /**
   * Updates a variable; attributes that are not sent keep their values.
   * `PATCH /api/v2/workspaces/:workspace_id/vars/:variable_id`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `conflict`, `invalid_document`.
   */
  updateWorkspaceVar(
    input: UpdateWorkspaceVarInput,
    options?: CallOptions,
  ): Promise<UpdateWorkspaceVarReply>;
  /**
   * Deletes a variable of a workspace.
   * `DELETE /api/v2/workspaces/:workspace_id/vars/:variable_id`. Needs any valid token. Fails with
   * `not_found`.
   */
  deleteWorkspaceVar(
    input: DeleteWorkspaceVarInput,
    options?: CallOptions,
  ): Promise<DeleteWorkspaceVarReply>;
  /**
   * Reads a variable. Deprecated: use the workspace's own path.
   * `GET /api/v2/vars/:variable_id`. Needs any valid token. Fails with `not_found`.
   */
  readVar(input: ReadVarInput, options?: CallOptions): Promise<ReadVarReply>;
  /**
   * Lists the variables of one workspace, or of all workspaces (at most 800) whose variables the
   * caller may read. Deprecated: use the workspace's own path.
   * `GET /api/v2/vars`. Needs any valid token. Fails with `not_found`, `malformed`.
   */
  listVars(input?: ListVarsInput, options?: CallOptions): Promise<ListVarsReply>;
  /**
   * Creates a variable in the workspace that the relationship or the filter names. Deprecated: use
   * the workspace's own path.
   * `POST /api/v2/vars`. Needs any valid token. Fails with `not_found`, `unsupported_media`,
   * `malformed`, `invalid_document`.
   */
  createVar(input: CreateVarInput, options?: CallOptions): Promise<CreateVarReply>;
  /**
   * Updates a variable; attributes that are not sent keep their values. Deprecated: use the
   * workspace's own path.
   * `PATCH /api/v2/vars/:variable_id`. Needs any valid token. Fails with `not_found`,
   * `unsupported_media`, `malformed`, `conflict`, `invalid_document`.
   */
  updateVar(input: UpdateVarInput, options?: CallOptions): Promise<UpdateVarReply>;
  /**
   * Deletes a variable. Deprecated: use the workspace's own path.
   * `DELETE /api/v2/vars/:variable_id`. Needs any valid token. Fails with `not_found`.
   */
  deleteVar(input: DeleteVarInput, options?: CallOptions): Promise<DeleteVarReply>;
  /** Returns an empty response; clients read its headers. `GET /api/v2/ping`. Needs no token. */
  ping(input?: PingInput, options?: CallOptions): Promise<PingReply>;
  /** Returns the caller's account. `GET /api/v2/account/details`. Needs any valid token. */
  readAccount(input?: ReadAccountInput, options?: CallOptions): Promise<ReadAccountReply>;
  /**
   * Reads a workspace by ID or by name.
   * `GET /api/v2/workspaces/:workspace_id`, `GET
   * /api/v2/organizations/:organization/workspaces/:workspace`. Needs any valid token. Fails with
   * `not_found`.
   */
  readWorkspace(input?: ReadWorkspaceInput, options?: CallOptions): Promise<ReadWorkspaceReply>;
  /**
   * Returns an empty list for workspace features that this server does not have.
   * `GET /api/v2/workspaces/:workspace_id/relationships/remote-state-consumers`, `GET
   * /api/v2/workspaces/:workspace_id/tag-bindings`, `GET
   * /api/v2/workspaces/:workspace_id/relationships/tag-bindings`, `GET
   * /api/v2/workspaces/:workspace_id/effective-tag-bindings`. Needs any valid token. Fails with
   * `not_found`, `malformed`.
   */
  listNothing(input: ListNothingInput, options?: CallOptions): Promise<ListNothingReply>;
  /**
   * Accepts the empty list of tags that clients send when they update a workspace. Tags are not
   * supported.
   * `PATCH /api/v2/workspaces/:workspace_id/tag-bindings`, `PATCH
   * /api/v2/workspaces/:workspace_id/relationships/tag-bindings`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  clearTags(input: ClearTagsInput, options?: CallOptions): Promise<ClearTagsReply>;
  /**
   * Lists the workspaces of an organization that the caller can see.
   * `GET /api/v2/organizations/:organization/workspaces`. Needs any valid token. Fails with
   * `not_found`, `malformed`.
   */
  listWorkspaces(input: ListWorkspacesInput, options?: CallOptions): Promise<ListWorkspacesReply>;
  /**
   * Creates a workspace.
   * `POST /api/v2/organizations/:organization/workspaces`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  createWorkspace(
    input: CreateWorkspaceInput,
    options?: CallOptions,
  ): Promise<CreateWorkspaceReply>;
  /**
   * Updates the name and settings of a workspace; attributes that are not sent keep their values.
   * `PATCH /api/v2/workspaces/:workspace_id`, `PATCH
   * /api/v2/organizations/:organization/workspaces/:workspace`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  updateWorkspace(
    input?: UpdateWorkspaceInput,
    options?: CallOptions,
  ): Promise<UpdateWorkspaceReply>;
  /**
   * Deletes a workspace with its variables.
   * `DELETE /api/v2/workspaces/:workspace_id`, `DELETE
   * /api/v2/organizations/:organization/workspaces/:workspace`, `POST
   * /api/v2/workspaces/:workspace_id/actions/safe-delete`, `POST
   * /api/v2/organizations/:organization/workspaces/:workspace/actions/safe-delete`. Needs any valid
   * token. Fails with `not_found`.
   */
  deleteWorkspace(
    input?: DeleteWorkspaceInput,
    options?: CallOptions,
  ): Promise<DeleteWorkspaceReply>;
  /**
   * Lists the organizations that the caller can see.
   * `GET /api/v2/organizations`. Needs any valid token. Fails with `malformed`.
   */
  listOrganizations(
    input?: ListOrganizationsInput,
    options?: CallOptions,
  ): Promise<ListOrganizationsReply>;
  /**
   * Creates an organization and adds the caller to its `owners` team. Only for users.
   * `POST /api/v2/organizations`. Needs any valid token. Fails with `not_found`,
   * `unsupported_media`, `malformed`, `invalid_document`.
   */
  createOrganization(
    input?: CreateOrganizationInput,
    options?: CallOptions,
  ): Promise<CreateOrganizationReply>;
  /**
   * Reads an organization.
   * `GET /api/v2/organizations/:organization`. Needs any valid token. Fails with `not_found`.
   */
  readOrganization(
    input: ReadOrganizationInput,
    options?: CallOptions,
  ): Promise<ReadOrganizationReply>;
  /**
   * Updates an organization. Only for its owners.
   * `PATCH /api/v2/organizations/:organization`. Needs any valid token. Fails with `not_found`,
   * `unsupported_media`, `malformed`, `invalid_document`.
   */
  updateOrganization(
    input: UpdateOrganizationInput,
    options?: CallOptions,
  ): Promise<UpdateOrganizationReply>;
  /**
   * Deletes an organization with all its workspaces, variables, teams and tokens. Only for its
   * owners.
   * `DELETE /api/v2/organizations/:organization`. Needs any valid token. Fails with `not_found`.
   */
  deleteOrganization(
    input: DeleteOrganizationInput,
    options?: CallOptions,
  ): Promise<DeleteOrganizationReply>;
  /**
   * Lists the features of an organization.
   * `GET /api/v2/organizations/:organization/entitlement-set`. Needs any valid token. Fails with
   * `not_found`.
   */
  readEntitlements(
    input: ReadEntitlementsInput,
    options?: CallOptions,
  ): Promise<ReadEntitlementsReply>;
  /**
   * Lists the teams of an organization that the caller can see.
   * `GET /api/v2/organizations/:organization/teams`. Needs any valid token. Fails with `not_found`,
   * `malformed`.
   */
  listTeams(input: ListTeamsInput, options?: CallOptions): Promise<ListTeamsReply>;
  /**
   * Creates a team.
   * `POST /api/v2/organizations/:organization/teams`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  createTeam(input: CreateTeamInput, options?: CallOptions): Promise<CreateTeamReply>;
  /** Reads a team. `GET /api/v2/teams/:team_id`. Needs any valid token. Fails with `not_found`. */
  readTeam(input: ReadTeamInput, options?: CallOptions): Promise<ReadTeamReply>;
  /**
   * Updates a team; attributes that are not sent keep their values. The `owners` team cannot be
   * renamed.
   * `PATCH /api/v2/teams/:team_id`. Needs any valid token. Fails with `not_found`,
   * `unsupported_media`, `malformed`, `invalid_document`.
   */
  updateTeam(input: UpdateTeamInput, options?: CallOptions): Promise<UpdateTeamReply>;
  /**
   * Deletes a team with its access and tokens. The `owners` team cannot be deleted.
   * `DELETE /api/v2/teams/:team_id`. Needs any valid token. Fails with `not_found`,
   * `invalid_document`.
   */
  deleteTeam(input: DeleteTeamInput, options?: CallOptions): Promise<DeleteTeamReply>;
  /**
   * Adds users to a team by username. They must be in the organization or have agreed to join it;
   * the initial user may add anyone.
   * `POST /api/v2/teams/:team_id/relationships/users`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  addMembers(input: AddMembersInput, options?: CallOptions): Promise<AddMembersReply>;
  /**
   * Removes users from a team by username; members may remove themselves. The last owner cannot be
   * removed.
   * `DELETE /api/v2/teams/:team_id/relationships/users`. Needs any valid token. Fails with
   * `not_found`, `malformed`, `invalid_document`.
   */
  removeMembers(input: RemoveMembersInput, options?: CallOptions): Promise<RemoveMembersReply>;
  /**
   * Allows the owners of an organization to add the caller to its teams. The response is the same
   * if the organization does not exist. Not available on other servers with this API.
   * `POST /api/v2/account/organizations/:organization`. Needs any valid token. Fails with
   * `not_found`, `invalid_document`.
   */
  joinOrganization(
    input: JoinOrganizationInput,
    options?: CallOptions,
  ): Promise<JoinOrganizationReply>;
  /**
   * Removes the caller from all teams of an organization. Its owners can no longer add the caller
   * to a team. The last owner cannot leave. Not available on other servers with this API.
   * `DELETE /api/v2/account/organizations/:organization`. Needs any valid token. Fails with
   * `not_found`, `invalid_document`.
   */
  leaveOrganization(
    input: LeaveOrganizationInput,
    options?: CallOptions,
  ): Promise<LeaveOrganizationReply>;
  /**
   * Lists the access of teams to a workspace.
   * `GET /api/v2/team-workspaces`. Needs any valid token. Fails with `not_found`, `malformed`.
   */
  listTeamAccess(input?: ListTeamAccessInput, options?: CallOptions): Promise<ListTeamAccessReply>;
  /**
   * Gives a team access to a workspace.
   * `POST /api/v2/team-workspaces`. Needs any valid token. Fails with `not_found`,
   * `unsupported_media`, `malformed`, `invalid_document`.
   */
  createTeamAccess(
    input?: CreateTeamAccessInput,
    options?: CallOptions,
  ): Promise<CreateTeamAccessReply>;
  /**
   * Reads a team's access to a workspace.
   * `GET /api/v2/team-workspaces/:team_workspace_id`. Needs any valid token. Fails with
   * `not_found`.
   */
  readTeamAccess(input: ReadTeamAccessInput, options?: CallOptions): Promise<ReadTeamAccessReply>;
  /**
   * Updates a team's access to a workspace.
   * `PATCH /api/v2/team-workspaces/:team_workspace_id`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  updateTeamAccess(
    input: UpdateTeamAccessInput,
    options?: CallOptions,
  ): Promise<UpdateTeamAccessReply>;
  /**
   * Removes a team's access to a workspace.
   * `DELETE /api/v2/team-workspaces/:team_workspace_id`. Needs any valid token. Fails with
   * `not_found`.
   */
  deleteTeamAccess(
    input: DeleteTeamAccessInput,
    options?: CallOptions,
  ): Promise<DeleteTeamAccessReply>;
  /**
   * Reads the single token of a team or an organization, without its secret.
   * `GET /api/v2/teams/:team_id/authentication-token`, `GET
   * /api/v2/organizations/:organization/authentication-token`. Needs any valid token. Fails with
   * `not_found`, `invalid_document`.
   */
  readSoleToken(input?: ReadSoleTokenInput, options?: CallOptions): Promise<ReadSoleTokenReply>;
  /**
   * Creates the single token of a team or an organization and replaces the previous one.
   * `POST /api/v2/teams/:team_id/authentication-token`, `POST
   * /api/v2/organizations/:organization/authentication-token`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  makeSoleToken(input?: MakeSoleTokenInput, options?: CallOptions): Promise<MakeSoleTokenReply>;
  /**
   * Deletes the single token of a team or an organization.
   * `DELETE /api/v2/teams/:team_id/authentication-token`, `DELETE
   * /api/v2/organizations/:organization/authentication-token`. Needs any valid token. Fails with
   * `not_found`, `invalid_document`.
   */
  deleteSoleToken(
    input?: DeleteSoleTokenInput,
    options?: CallOptions,
  ): Promise<DeleteSoleTokenReply>;
  /**
   * Creates an additional token for a team; its description must be unique within the team.
   * `POST /api/v2/teams/:team_id/authentication-tokens`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  makeTeamToken(input: MakeTeamTokenInput, options?: CallOptions): Promise<MakeTeamTokenReply>;
  /**
   * Lists the tokens of a team.
   * `GET /api/v2/teams/:team_id/authentication-tokens`. Needs any valid token. Fails with
   * `not_found`.
   */
  listTeamTokens(input: ListTeamTokensInput, options?: CallOptions): Promise<ListTeamTokensReply>;
  /**
   * Lists the caller's own tokens; for another user the list is empty.
   * `GET /api/v2/users/:user_id/authentication-tokens`. Needs any valid token.
   */
  listUserTokens(input: ListUserTokensInput, options?: CallOptions): Promise<ListUserTokensReply>;
  /**
   * Creates an additional token for the caller.
   * `POST /api/v2/users/:user_id/authentication-tokens`. Needs any valid token. Fails with
   * `not_found`, `unsupported_media`, `malformed`, `invalid_document`.
   */
  makeUserToken(input: MakeUserTokenInput, options?: CallOptions): Promise<MakeUserTokenReply>;
  /**
   * Reads a token without its secret.
   * `GET /api/v2/authentication-tokens/:token_id`. Needs any valid token. Fails with `not_found`.
   */
  readToken(input: ReadTokenInput, options?: CallOptions): Promise<ReadTokenReply>;
  /**
   * Deletes a token; it is no longer accepted.
   * `DELETE /api/v2/authentication-tokens/:token_id`. Needs any valid token. Fails with
   * `not_found`.
   */
  deleteToken(input: DeleteTokenInput, options?: CallOptions): Promise<DeleteTokenReply>;
  /**
   * Creates a user with a first token, which is shown only in this response. The token expires when
   * the caller's token does. Only the initial user may call this. Not available on other servers
   * with this API.
   * `POST /api/v2/admin/users`. Needs any valid token. Fails with `not_found`, `unsupported_media`,
   * `malformed`, `invalid_document`.
   */
  createUser(input?: CreateUserInput, options?: CallOptions): Promise<CreateUserReply>;
  /**
   * Deletes a user and the user's tokens. Only the initial user, who cannot be deleted, may call
   * this. Not available on other servers with this API.
   * `DELETE /api/v2/admin/users/:user_id`. Needs any valid token. Fails with `not_found`.
   */
  deleteUser(input: DeleteUserInput, options?: CallOptions): Promise<DeleteUserReply>;
}

/** Every endpoint of the variables API below `/api/v2`. */
export const vars: Table<VarsClient> = {
  exportVars: "jsonapi text GET /workspaces/:workspace_id/vars/export",
  readWorkspaceVar: "jsonapi GET /workspaces/:workspace_id/vars/:variable_id",
  listWorkspaceVars:
    "jsonapi GET /workspaces/:workspace_id/vars|GET /workspaces/:workspace_id/all-vars",
  writeVarsInBulk: "jsonapi POST /workspaces/:workspace_id/vars/bulk",
  createWorkspaceVar: "jsonapi POST /workspaces/:workspace_id/vars",
  updateWorkspaceVar: "jsonapi PATCH /workspaces/:workspace_id/vars/:variable_id",
  deleteWorkspaceVar: "jsonapi DELETE /workspaces/:workspace_id/vars/:variable_id",
  readVar: "jsonapi GET /vars/:variable_id",
  listVars: "jsonapi GET /vars",
  createVar: "jsonapi POST /vars",
  updateVar: "jsonapi PATCH /vars/:variable_id",
  deleteVar: "jsonapi DELETE /vars/:variable_id",
  ping: "jsonapi GET /ping",
  readAccount: "jsonapi GET /account/details",
  readWorkspace:
    "jsonapi GET /workspaces/:workspace_id|GET /organizations/:organization/workspaces/:workspace",
  listNothing:
    "jsonapi GET /workspaces/:workspace_id/relationships/remote-state-consumers|GET /workspaces/:workspace_id/tag-bindings|GET /workspaces/:workspace_id/relationships/tag-bindings|GET /workspaces/:workspace_id/effective-tag-bindings",
  clearTags:
    "jsonapi PATCH /workspaces/:workspace_id/tag-bindings|PATCH /workspaces/:workspace_id/relationships/tag-bindings",
  listWorkspaces: "jsonapi GET /organizations/:organization/workspaces",
  createWorkspace: "jsonapi POST /organizations/:organization/workspaces",
  updateWorkspace:
    "jsonapi PATCH /workspaces/:workspace_id|PATCH /organizations/:organization/workspaces/:workspace",
  deleteWorkspace:
    "jsonapi DELETE /workspaces/:workspace_id|DELETE /organizations/:organization/workspaces/:workspace|POST /workspaces/:workspace_id/actions/safe-delete|POST /organizations/:organization/workspaces/:workspace/actions/safe-delete",
  listOrganizations: "jsonapi GET /organizations",
  createOrganization: "jsonapi POST /organizations",
  readOrganization: "jsonapi GET /organizations/:organization",
  updateOrganization: "jsonapi PATCH /organizations/:organization",
  deleteOrganization: "jsonapi DELETE /organizations/:organization",
  readEntitlements: "jsonapi GET /organizations/:organization/entitlement-set",
  listTeams: "jsonapi GET /organizations/:organization/teams",
  createTeam: "jsonapi POST /organizations/:organization/teams",
  readTeam: "jsonapi GET /teams/:team_id",
  updateTeam: "jsonapi PATCH /teams/:team_id",
  deleteTeam: "jsonapi DELETE /teams/:team_id",
  addMembers: "jsonapi POST /teams/:team_id/relationships/users",
  removeMembers: "jsonapi DELETE /teams/:team_id/relationships/users",
  joinOrganization: "jsonapi POST /account/organizations/:organization",
  leaveOrganization: "jsonapi DELETE /account/organizations/:organization",
  listTeamAccess: "jsonapi GET /team-workspaces",
  createTeamAccess: "jsonapi POST /team-workspaces",
  readTeamAccess: "jsonapi GET /team-workspaces/:team_workspace_id",
  updateTeamAccess: "jsonapi PATCH /team-workspaces/:team_workspace_id",
  deleteTeamAccess: "jsonapi DELETE /team-workspaces/:team_workspace_id",
  readSoleToken:
    "jsonapi GET /teams/:team_id/authentication-token|GET /organizations/:organization/authentication-token",
  makeSoleToken:
    "jsonapi POST /teams/:team_id/authentication-token|POST /organizations/:organization/authentication-token",
  deleteSoleToken:
    "jsonapi DELETE /teams/:team_id/authentication-token|DELETE /organizations/:organization/authentication-token",
  makeTeamToken: "jsonapi POST /teams/:team_id/authentication-tokens",
  listTeamTokens: "jsonapi GET /teams/:team_id/authentication-tokens",
  listUserTokens: "jsonapi GET /users/:user_id/authentication-tokens",
  makeUserToken: "jsonapi POST /users/:user_id/authentication-tokens",
  readToken: "jsonapi GET /authentication-tokens/:token_id",
  deleteToken: "jsonapi DELETE /authentication-tokens/:token_id",
  createUser: "jsonapi POST /admin/users",
  deleteUser: "jsonapi DELETE /admin/users/:user_id",
};
