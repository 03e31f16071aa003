// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, Warned, Warnings } from "./call.ts";
import type { Table } from "./table.ts";

/** A token that a login or a renewal returned. */
export type AuthReply = {
  /** The token. */
  readonly client_token: string;
  /** Accessor, which identifies the token without revealing it; empty for batch tokens. */
  readonly accessor: string;
  /** All policies of the token and its entity. */
  readonly policies: readonly string[];
  /** Policies of the token itself. */
  readonly token_policies: readonly string[];
  /** Policies of its entity. */
  readonly identity_policies?: readonly string[];
  /** Metadata of the token. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Remaining lifetime in seconds; 0: it does not expire. */
  readonly lease_duration: number;
  /** Whether it can be renewed. */
  readonly renewable: boolean;
  /** ID of its entity; empty if none. */
  readonly entity_id: string;
  /** `service` or `batch`. */
  readonly token_type: "service" | "batch";
  /** Whether it outlives its parent token. */
  readonly orphan: boolean;
  /** Always null. */
  readonly mfa_requirement: string | null;
  /** Remaining uses; 0: unlimited. */
  readonly num_uses: number;
};

export type LookupSelfInput = {};
export type LookupSelfReply = {
  /** The token itself; empty if looked up by accessor. */
  readonly id: string;
  /** Accessor of the token; empty if it has none. */
  readonly accessor: string;
  /** Display name of the token in logs. */
  readonly display_name: string;
  /** Policies of the token. */
  readonly policies: readonly string[];
  /** Policies of its entity. */
  readonly identity_policies?: readonly string[];
  /** Path on which the token was created. */
  readonly path: string;
  /** Metadata of the token. */
  readonly meta: Readonly<Record<string, string>> | null;
  /** ID of its entity; empty if none. */
  readonly entity_id: string;
  /** `service` or `batch`. */
  readonly type: "service" | "batch";
  /** Remaining lifetime in seconds; 0: it does not expire. */
  readonly ttl: number;
  /** Lifetime at creation in seconds; 0: it does not expire. */
  readonly creation_ttl: number;
  /** When it was created, Unix seconds; 0: unknown. */
  readonly creation_time: number;
  /** Maximum lifetime including renewals, in seconds; 0: none set. */
  readonly explicit_max_ttl: number;
  /** When it expires, RFC 3339; null if it does not. */
  readonly expire_time: string | null;
  /** When it was created, RFC 3339; only for tokens that expire. */
  readonly issue_time?: string;
  /** When it was last renewed, RFC 3339. */
  readonly last_renewal?: string;
  /** When it was last renewed, Unix seconds. */
  readonly last_renewal_time?: number;
  /** Remaining uses; 0: unlimited. */
  readonly num_uses: number;
  /** Whether it outlives its parent token. */
  readonly orphan: boolean;
  /** Whether it can be renewed. */
  readonly renewable: boolean;
  /** Lifetime after each renewal in seconds. */
  readonly period?: number;
  /** Role that it was created with. */
  readonly role?: string;
  /** Address ranges from which it may be used. */
  readonly bound_cidrs?: readonly string[];
} & Warnings;
export type LookupTokenInput = {
  /** The token. */
  readonly token: string;
};
export type LookupTokenReply = LookupSelfReply;
export type LookupAccessorInput = {
  /** Accessor of the token. */
  readonly accessor: string;
};
export type LookupAccessorReply = LookupSelfReply;
export type RenewSelfInput = {
  /**
   * Requested remaining lifetime; 0: the original lifetime, or that of a new login. Seconds, or a
   * duration such as `72h`. Default: `0`.
   */
  readonly increment?: number | string | undefined;
};
export type RenewSelfReply = AuthReply & Warnings;
export type RenewTokenInput = {
  /** The token. */
  readonly token: string;
  /**
   * Requested remaining lifetime; 0: the original lifetime, or that of a new login. Seconds, or a
   * duration such as `72h`. Default: `0`.
   */
  readonly increment?: number | string | undefined;
};
export type RenewTokenReply = RenewSelfReply;
export type RenewAccessorInput = {
  /** Accessor of the token. */
  readonly accessor: string;
  /**
   * Requested remaining lifetime; 0: the original lifetime, or that of a new login. Seconds, or a
   * duration such as `72h`. Default: `0`.
   */
  readonly increment?: number | string | undefined;
};
export type RenewAccessorReply = RenewSelfReply;
export type CreateTokenInput = {
  /** The token itself; default: generated. Requires sudo. */
  readonly id?: string | undefined;
  /** Policies of the token; default: those of the caller's token. */
  readonly policies?: string | readonly string[] | undefined;
  /** Metadata: strings by name. */
  readonly meta?: Readonly<Record<string, string>> | undefined;
  /** Create an orphan, which outlives the caller's token. Requires sudo. Default: `false`. */
  readonly no_parent?: boolean | undefined;
  /** Do not add the `default` policy. Default: `false`. */
  readonly no_default_policy?: boolean | undefined;
  /** Whether the token can be renewed. Default: `true`. */
  readonly renewable?: boolean | undefined;
  /** Lifetime; default: that of the mount. Seconds, or a duration such as `72h`. */
  readonly ttl?: number | string | undefined;
  /** Same as `ttl`. Seconds, or a duration such as `72h`. */
  readonly lease?: number | string | undefined;
  /** `service` (the default) or `batch`. */
  readonly type?: "" | "service" | "batch" | undefined;
  /**
   * Maximum lifetime including renewals; 0: no extra limit. Seconds, or a duration such as `72h`.
   * Default: `0`.
   */
  readonly explicit_max_ttl?: number | string | undefined;
  /** Display name in logs, prefixed with `token-`. */
  readonly display_name?: string | undefined;
  /** Number of times the token may be used; 0: unlimited. Default: `0`. */
  readonly num_uses?: number | undefined;
  /**
   * Create a periodic token: each renewal resets its lifetime to this value. Seconds, or a duration
   * such as `72h`. Default: `0`.
   */
  readonly period?: number | string | undefined;
  /** Name of the entity alias to create the token for; must be allowed by the role. */
  readonly entity_alias?: string | undefined;
};
export type CreateTokenReply = RenewSelfReply;
export type CreateOrphanTokenInput = CreateTokenInput;
export type CreateOrphanTokenReply = RenewSelfReply;
export type CreateRoleTokenInput = {
  /** Name of the role. */
  readonly role: string;
  /** The token itself; default: generated. Requires sudo. */
  readonly id?: string | undefined;
  /** Policies of the token; default: those of the caller's token. */
  readonly policies?: string | readonly string[] | undefined;
  /** Metadata: strings by name. */
  readonly meta?: Readonly<Record<string, string>> | undefined;
  /** Create an orphan, which outlives the caller's token. Requires sudo. Default: `false`. */
  readonly no_parent?: boolean | undefined;
  /** Do not add the `default` policy. Default: `false`. */
  readonly no_default_policy?: boolean | undefined;
  /** Whether the token can be renewed. Default: `true`. */
  readonly renewable?: boolean | undefined;
  /** Lifetime; default: that of the mount. Seconds, or a duration such as `72h`. */
  readonly ttl?: number | string | undefined;
  /** Same as `ttl`. Seconds, or a duration such as `72h`. */
  readonly lease?: number | string | undefined;
  /** `service` (the default) or `batch`. */
  readonly type?: "" | "service" | "batch" | undefined;
  /**
   * Maximum lifetime including renewals; 0: no extra limit. Seconds, or a duration such as `72h`.
   * Default: `0`.
   */
  readonly explicit_max_ttl?: number | string | undefined;
  /** Display name in logs, prefixed with `token-`. */
  readonly display_name?: string | undefined;
  /** Number of times the token may be used; 0: unlimited. Default: `0`. */
  readonly num_uses?: number | undefined;
  /**
   * Create a periodic token: each renewal resets its lifetime to this value. Seconds, or a duration
   * such as `72h`. Default: `0`.
   */
  readonly period?: number | string | undefined;
  /** Name of the entity alias to create the token for; must be allowed by the role. */
  readonly entity_alias?: string | undefined;
};
export type CreateRoleTokenReply = RenewSelfReply;
export type RevokeSelfInput = LookupSelfInput;
export type RevokeSelfReply = Warned | undefined;
export type RevokeTokenInput = LookupTokenInput;
export type RevokeTokenReply = RevokeSelfReply;
export type RevokeOrphanInput = LookupTokenInput;
export type RevokeOrphanReply = RevokeSelfReply;
export type RevokeAccessorInput = LookupAccessorInput;
export type RevokeAccessorReply = RevokeSelfReply;
export type ListAccessorsInput = {
  /** Return only accessors after this one, which need not exist. */
  readonly after?: string | undefined;
  /** Maximum number of accessors to return; 0: all. Default: `0`. */
  readonly limit?: number | undefined;
  /** Whether to return the properties of each token too. Default: `false`. */
  readonly detailed?: boolean | undefined;
};
export type ListAccessorsReply = {
  /** Accessors. */
  readonly keys: readonly string[];
  /**
   * With `detailed`, if the caller may look up tokens by accessor: the properties of each token
   * that has not expired and that it may look up, by accessor.
   */
  readonly key_info?: Readonly<
    Record<
      string,
      {
        /** The token itself; empty if looked up by accessor. */
        readonly id: string;
        /** Accessor of the token; empty if it has none. */
        readonly accessor: string;
        /** Display name of the token in logs. */
        readonly display_name: string;
        /** Policies of the token. */
        readonly policies: readonly string[];
        /** Policies of its entity. */
        readonly identity_policies?: readonly string[];
        /** Path on which the token was created. */
        readonly path: string;
        /** Metadata of the token. */
        readonly meta: Readonly<Record<string, string>> | null;
        /** ID of its entity; empty if none. */
        readonly entity_id: string;
        /** `service` or `batch`. */
        readonly type: "service" | "batch";
        /** Remaining lifetime in seconds; 0: it does not expire. */
        readonly ttl: number;
        /** Lifetime at creation in seconds; 0: it does not expire. */
        readonly creation_ttl: number;
        /** When it was created, Unix seconds; 0: unknown. */
        readonly creation_time: number;
        /** Maximum lifetime including renewals, in seconds; 0: none set. */
        readonly explicit_max_ttl: number;
        /** When it expires, RFC 3339; null if it does not. */
        readonly expire_time: string | null;
        /** When it was created, RFC 3339; only for tokens that expire. */
        readonly issue_time?: string;
        /** When it was last renewed, RFC 3339. */
        readonly last_renewal?: string;
        /** When it was last renewed, Unix seconds. */
        readonly last_renewal_time?: number;
        /** Remaining uses; 0: unlimited. */
        readonly num_uses: number;
        /** Whether it outlives its parent token. */
        readonly orphan: boolean;
        /** Whether it can be renewed. */
        readonly renewable: boolean;
        /** Lifetime after each renewal in seconds. */
        readonly period?: number;
        /** Role that it was created with. */
        readonly role?: string;
        /** Address ranges from which it may be used. */
        readonly bound_cidrs?: readonly string[];
      }
    >
  >;
} & Warnings;
export type TidyTokensInput = LookupSelfInput;
export type TidyTokensReply = RevokeSelfReply;
export type ListTokenRolesInput = LookupSelfInput;
export type ListTokenRolesReply = {
  /** Names of the roles. */
  readonly keys: readonly string[];
} & Warnings;
export type ReadTokenRoleInput = {
  /** Name of the role. */
  readonly name: string;
};
export type ReadTokenRoleReply = {
  /** Name of the role. */
  readonly name: string;
  /** Policies allowed in its tokens. */
  readonly allowed_policies: readonly string[];
  /** Patterns of allowed policies. */
  readonly allowed_policies_glob: readonly string[];
  /** Policies forbidden in its tokens. */
  readonly disallowed_policies: readonly string[];
  /** Patterns of forbidden policies. */
  readonly disallowed_policies_glob: readonly string[];
  /** Allowed entity aliases. */
  readonly allowed_entity_aliases: readonly string[];
  /** Whether its tokens are orphans. */
  readonly orphan: boolean;
  /** Whether its tokens can be renewed. */
  readonly renewable: boolean;
  /** Suffix appended to the creation path of its tokens. */
  readonly path_suffix: string;
  /** Maximum lifetime of its tokens in seconds; 0: none set. */
  readonly token_explicit_max_ttl: number;
  /** Same as `token_explicit_max_ttl`. */
  readonly explicit_max_ttl: number;
  /** Lifetime after each renewal in seconds; 0: not periodic. */
  readonly token_period: number;
  /** Same as `token_period`. */
  readonly period: number;
  /** Address ranges from which its tokens may be used. */
  readonly token_bound_cidrs: readonly string[];
  /** Whether the `default` policy is not added. */
  readonly token_no_default_policy: boolean;
  /** Number of times each token may be used; 0: unlimited. */
  readonly token_num_uses: number;
  /** Type of its tokens. */
  readonly token_type: string;
} & Warnings;
export type WriteTokenRoleInput = {
  /** Name of the role. */
  readonly name: string;
  /** Policies allowed in its tokens; empty: those of the parent. */
  readonly allowed_policies?: string | readonly string[] | undefined;
  /** Patterns of allowed policies; `*` matches any text. */
  readonly allowed_policies_glob?: string | readonly string[] | undefined;
  /**
   * Policies forbidden in its tokens. If no allowed policies are set, tokens may have any other
   * policy but `root`, even ones that the caller lacks.
   */
  readonly disallowed_policies?: string | readonly string[] | undefined;
  /** Patterns of forbidden policies; `*` matches any text. */
  readonly disallowed_policies_glob?: string | readonly string[] | undefined;
  /** Allowed entity aliases; `*` matches any text. */
  readonly allowed_entity_aliases?: string | readonly string[] | undefined;
  /** Whether its tokens are orphans. */
  readonly orphan?: boolean | undefined;
  /** Whether its tokens can be renewed; default: true. */
  readonly renewable?: boolean | undefined;
  /** Suffix appended to the creation path of its tokens. */
  readonly path_suffix?: string | undefined;
  /** Maximum lifetime of its tokens including renewals. Seconds, or a duration such as `72h`. */
  readonly token_explicit_max_ttl?: number | string | undefined;
  /**
   * Makes its tokens periodic: each renewal resets their lifetime to this value. Seconds, or a
   * duration such as `72h`.
   */
  readonly token_period?: number | string | undefined;
  /** Address ranges from which its tokens may be used. */
  readonly token_bound_cidrs?: string | readonly string[] | undefined;
  /** Do not add the `default` policy. */
  readonly token_no_default_policy?: boolean | undefined;
  /** Number of times each token may be used; 0: unlimited. */
  readonly token_num_uses?: number | undefined;
  /** `default-service`, `default-batch`, `service` or `batch`. */
  readonly token_type?: "default-service" | "default-batch" | "service" | "batch" | undefined;
  /** Same as `token_explicit_max_ttl`. Seconds, or a duration such as `72h`. */
  readonly explicit_max_ttl?: number | string | undefined;
  /** Same as `token_period`. Seconds, or a duration such as `72h`. */
  readonly period?: number | string | undefined;
  /** Same as `token_bound_cidrs`. */
  readonly bound_cidrs?: string | readonly string[] | undefined;
};
export type WriteTokenRoleReply = RevokeSelfReply;
export type DeleteTokenRoleInput = ReadTokenRoleInput;
export type DeleteTokenRoleReply = RevokeSelfReply;

/** Typed client: Every endpoint below `/v1/auth` that concerns tokens. */
export interface AuthClient {
  /**
   * Returns the properties of the caller's token. The `default` policy allows this.
   * `GET /v1/auth/token/lookup-self`, `POST /v1/auth/token/lookup-self`.
   */
  lookupSelf(input?: LookupSelfInput, options?: CallOptions): Promise<LookupSelfReply>;
  /**
   * Returns the properties of a token.
   * `POST /v1/auth/token/lookup`. Fails with `malformed`, `forbidden`.
   */
  lookupToken(input: LookupTokenInput, options?: CallOptions): Promise<LookupTokenReply>;
  /**
   * Returns the properties of a token, given its accessor, without the token itself.
   * `POST /v1/auth/token/lookup-accessor`. Fails with `malformed`, `forbidden`.
   */
  lookupAccessor(input: LookupAccessorInput, options?: CallOptions): Promise<LookupAccessorReply>;
  /** Renews the caller's token. `POST /v1/auth/token/renew-self`. Fails with `malformed`. */
  renewSelf(input?: RenewSelfInput, options?: CallOptions): Promise<RenewSelfReply>;
  /** Renews a token. `POST /v1/auth/token/renew`. Fails with `malformed`. */
  renewToken(input: RenewTokenInput, options?: CallOptions): Promise<RenewTokenReply>;
  /**
   * Renews a token, given its accessor. The reply does not contain the token.
   * `POST /v1/auth/token/renew-accessor`. Fails with `malformed`.
   */
  renewAccessor(input: RenewAccessorInput, options?: CallOptions): Promise<RenewAccessorReply>;
  /**
   * Creates a token, which is revoked when the caller's is revoked.
   * `POST /v1/auth/token/create`. Fails with `malformed`, `forbidden`.
   */
  createToken(input?: CreateTokenInput, options?: CallOptions): Promise<CreateTokenReply>;
  /**
   * Creates an orphan token, which outlives the caller's.
   * `POST /v1/auth/token/create-orphan`. Fails with `malformed`, `forbidden`.
   */
  createOrphanToken(
    input?: CreateOrphanTokenInput,
    options?: CallOptions,
  ): Promise<CreateOrphanTokenReply>;
  /**
   * Creates a token with the settings of a role.
   * `POST /v1/auth/token/create/:role`. Fails with `malformed`, `forbidden`.
   */
  createRoleToken(
    input: CreateRoleTokenInput,
    options?: CallOptions,
  ): Promise<CreateRoleTokenReply>;
  /**
   * Revokes the caller's token, its child tokens, and their leases.
   * `POST /v1/auth/token/revoke-self`. Fails with `malformed`.
   */
  revokeSelf(input?: RevokeSelfInput, options?: CallOptions): Promise<RevokeSelfReply>;
  /**
   * Revokes a token, its child tokens, and their leases; a wrapping token loses its wrapped reply.
   * Succeeds if the token does not exist.
   * `POST /v1/auth/token/revoke`. Fails with `malformed`.
   */
  revokeToken(input: RevokeTokenInput, options?: CallOptions): Promise<RevokeTokenReply>;
  /**
   * Revokes a token and its leases; its child tokens become orphans.
   * `POST /v1/auth/token/revoke-orphan`. Needs the capability `sudo`. Fails with `malformed`.
   */
  revokeOrphan(input: RevokeOrphanInput, options?: CallOptions): Promise<RevokeOrphanReply>;
  /**
   * Revokes a token, given its accessor, its child tokens, and their leases; a wrapping token loses
   * its wrapped reply. Succeeds if the accessor does not exist.
   * `POST /v1/auth/token/revoke-accessor`. Fails with `malformed`.
   */
  revokeAccessor(input: RevokeAccessorInput, options?: CallOptions): Promise<RevokeAccessorReply>;
  /**
   * Lists the accessors of all service tokens.
   * `LIST /v1/auth/token/accessors`. Needs the capability `sudo`.
   */
  listAccessors(input?: ListAccessorsInput, options?: CallOptions): Promise<ListAccessorsReply>;
  /** Starts a job that removes expired tokens. `POST /v1/auth/token/tidy`. */
  tidyTokens(input?: TidyTokensInput, options?: CallOptions): Promise<TidyTokensReply>;
  /** Lists the token roles. `LIST /v1/auth/token/roles`. */
  listTokenRoles(input?: ListTokenRolesInput, options?: CallOptions): Promise<ListTokenRolesReply>;
  /** Returns a token role. `GET /v1/auth/token/roles/:name`. */
  readTokenRole(input: ReadTokenRoleInput, options?: CallOptions): Promise<ReadTokenRoleReply>;
  /** Creates or updates a token role. `POST /v1/auth/token/roles/:name`. Fails with `malformed`. */
  writeTokenRole(input: WriteTokenRoleInput, options?: CallOptions): Promise<WriteTokenRoleReply>;
  /**
   * Deletes a token role. Existing tokens stay valid, but cannot be renewed.
   * `DELETE /v1/auth/token/roles/:name`.
   */
  deleteTokenRole(
    input: DeleteTokenRoleInput,
    options?: CallOptions,
  ): Promise<DeleteTokenRoleReply>;
}

/** Every endpoint below `/v1/auth` that concerns tokens. */
export const auth: Table<AuthClient> = {
  lookupSelf: "GET /token/lookup-self|POST /token/lookup-self",
  lookupToken: "POST /token/lookup",
  lookupAccessor: "POST /token/lookup-accessor",
  renewSelf: "in=auth POST /token/renew-self",
  renewToken: "in=auth POST /token/renew",
  renewAccessor: "in=auth POST /token/renew-accessor",
  createToken: "in=auth POST /token/create",
  createOrphanToken: "in=auth POST /token/create-orphan",
  createRoleToken: "in=auth POST /token/create/:role",
  revokeSelf: "POST /token/revoke-self",
  revokeToken: "POST /token/revoke",
  revokeOrphan: "POST /token/revoke-orphan",
  revokeAccessor: "POST /token/revoke-accessor",
  listAccessors: "LIST /token/accessors",
  tidyTokens: "POST /token/tidy",
  listTokenRoles: "LIST /token/roles",
  readTokenRole: "GET /token/roles/:name",
  writeTokenRole: "POST /token/roles/:name",
  deleteTokenRole: "DELETE /token/roles/:name",
};
