// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, Warned, Warnings } from "./call.ts";
import type { Table } from "./table.ts";

/** A token that a login or a renewal returned. */
export type AuthReply = {
  /** The token. */
  readonly client_token: string;
  /** Names the token where it must not stand; empty for a batch token. */
  readonly accessor: string;
  /** All policies of the token and its entity. */
  readonly policies: readonly string[];
  /** Policies of the token itself. */
  readonly token_policies: readonly string[];
  /** Policies of its entity. */
  readonly identity_policies?: readonly string[];
  /** Metadata of the token. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Seconds until it ends; 0: it does not. */
  readonly lease_duration: number;
  /** Whether it can be renewed. */
  readonly renewable: boolean;
  /** Id of its entity; empty without one. */
  readonly entity_id: string;
  /** `service` or `batch`. */
  readonly token_type: "service" | "batch";
  /** Whether it outlives the token that made it. */
  readonly orphan: boolean;
  /** Always null. */
  readonly mfa_requirement: string | null;
  /** Number of uses that are left; 0: not limited. */
  readonly num_uses: number;
};

export type LookupSelfInput = {};
export type LookupSelfReply = {
  /** The token itself; empty in a lookup by accessor. */
  readonly id: string;
  /** Accessor of the token; empty where it has none. */
  readonly accessor: string;
  /** Name of the token, as in the log. */
  readonly display_name: string;
  /** Policies of the token. */
  readonly policies: readonly string[];
  /** Policies of its entity. */
  readonly identity_policies?: readonly string[];
  /** Path at which the token was created. */
  readonly path: string;
  /** Metadata of the token. */
  readonly meta: Readonly<Record<string, string>> | null;
  /** Id of the token's entity; empty without one. */
  readonly entity_id: string;
  /** `service` or `batch`. */
  readonly type: "service" | "batch";
  /** Seconds until it ends; 0: it does not. */
  readonly ttl: number;
  /** Lifetime at its creation, seconds; 0: without end. */
  readonly creation_ttl: number;
  /** When it was created, Unix seconds; 0: not recorded. */
  readonly creation_time: number;
  /** Longest lifetime with renewals, seconds; 0: none was set. */
  readonly explicit_max_ttl: number;
  /** When it ends, RFC 3339; null: it does not. */
  readonly expire_time: string | null;
  /** When it was created, RFC 3339, where it ends. */
  readonly issue_time?: string;
  /** When it was last renewed, RFC 3339. */
  readonly last_renewal?: string;
  /** When it was last renewed, Unix seconds. */
  readonly last_renewal_time?: number;
  /** Number of uses that are left; 0: not limited. */
  readonly num_uses: number;
  /** Whether it outlives the token that made it. */
  readonly orphan: boolean;
  /** Whether it can be renewed. */
  readonly renewable: boolean;
  /** Lifetime that each renewal gives it, seconds. */
  readonly period?: number;
  /** Role by which it was created. */
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
   * Wanted lifetime from now on; 0: the first one again, or what a login gives now. Seconds, or a
   * duration such as `72h`. Default: `0`.
   */
  readonly increment?: number | string | undefined;
};
export type RenewSelfReply = AuthReply & Warnings;
export type RenewTokenInput = {
  /** The token. */
  readonly token: string;
  /**
   * Wanted lifetime from now on; 0: the first one again, or what a login gives now. Seconds, or a
   * duration such as `72h`. Default: `0`.
   */
  readonly increment?: number | string | undefined;
};
export type RenewTokenReply = RenewSelfReply;
export type RenewAccessorInput = {
  /** Accessor of the token. */
  readonly accessor: string;
  /**
   * Wanted lifetime from now on; 0: the first one again, or what a login gives now. Seconds, or a
   * duration such as `72h`. Default: `0`.
   */
  readonly increment?: number | string | undefined;
};
export type RenewAccessorReply = RenewSelfReply;
export type CreateTokenInput = {
  /** The token itself; drawn unless set. Needs sudo. */
  readonly id?: string | undefined;
  /** Policies of the token; those of the caller's token unless set. */
  readonly policies?: string | readonly string[] | undefined;
  /** Metadata: texts by name. */
  readonly meta?: Readonly<Record<string, string>> | undefined;
  /** The token outlives the caller's. Needs sudo. Default: `false`. */
  readonly no_parent?: boolean | undefined;
  /** Leave the policy `default` out. Default: `false`. */
  readonly no_default_policy?: boolean | undefined;
  /** Whether the token can be renewed. Default: `true`. */
  readonly renewable?: boolean | undefined;
  /** Lifetime; that of the mount unless set. Seconds, or a duration such as `72h`. */
  readonly ttl?: number | string | undefined;
  /** Same as `ttl`. Seconds, or a duration such as `72h`. */
  readonly lease?: number | string | undefined;
  /** `service` or `batch`; `service` unless set. */
  readonly type?: "" | "service" | "batch" | undefined;
  /**
   * Longest lifetime with renewals; 0: none. Seconds, or a duration such as `72h`. Default: `0`.
   */
  readonly explicit_max_ttl?: number | string | undefined;
  /** Name of the token in logs, after `token-`. */
  readonly display_name?: string | undefined;
  /** How often the token may be used; 0: any number of times. Default: `0`. */
  readonly num_uses?: number | undefined;
  /**
   * Makes the token periodic: each renewal gives it this lifetime. Seconds, or a duration such as
   * `72h`. Default: `0`.
   */
  readonly period?: number | string | undefined;
  /** Name of the alias whose entity the token is for; its role says which are allowed. */
  readonly entity_alias?: string | undefined;
};
export type CreateTokenReply = RenewSelfReply;
export type CreateOrphanTokenInput = CreateTokenInput;
export type CreateOrphanTokenReply = RenewSelfReply;
export type CreateRoleTokenInput = {
  /** Name of the role. */
  readonly role: string;
  /** The token itself; drawn unless set. Needs sudo. */
  readonly id?: string | undefined;
  /** Policies of the token; those of the caller's token unless set. */
  readonly policies?: string | readonly string[] | undefined;
  /** Metadata: texts by name. */
  readonly meta?: Readonly<Record<string, string>> | undefined;
  /** The token outlives the caller's. Needs sudo. Default: `false`. */
  readonly no_parent?: boolean | undefined;
  /** Leave the policy `default` out. Default: `false`. */
  readonly no_default_policy?: boolean | undefined;
  /** Whether the token can be renewed. Default: `true`. */
  readonly renewable?: boolean | undefined;
  /** Lifetime; that of the mount unless set. Seconds, or a duration such as `72h`. */
  readonly ttl?: number | string | undefined;
  /** Same as `ttl`. Seconds, or a duration such as `72h`. */
  readonly lease?: number | string | undefined;
  /** `service` or `batch`; `service` unless set. */
  readonly type?: "" | "service" | "batch" | undefined;
  /**
   * Longest lifetime with renewals; 0: none. Seconds, or a duration such as `72h`. Default: `0`.
   */
  readonly explicit_max_ttl?: number | string | undefined;
  /** Name of the token in logs, after `token-`. */
  readonly display_name?: string | undefined;
  /** How often the token may be used; 0: any number of times. Default: `0`. */
  readonly num_uses?: number | undefined;
  /**
   * Makes the token periodic: each renewal gives it this lifetime. Seconds, or a duration such as
   * `72h`. Default: `0`.
   */
  readonly period?: number | string | undefined;
  /** Name of the alias whose entity the token is for; its role says which are allowed. */
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
export type ListAccessorsInput = LookupSelfInput;
export type ListAccessorsReply = {
  /** Accessors. */
  readonly keys: readonly string[];
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
  /** Policies that its tokens may have. */
  readonly allowed_policies: readonly string[];
  /** The same as patterns. */
  readonly allowed_policies_glob: readonly string[];
  /** Policies that its tokens must not have. */
  readonly disallowed_policies: readonly string[];
  /** The same as patterns. */
  readonly disallowed_policies_glob: readonly string[];
  /** Entity aliases that may be asked for. */
  readonly allowed_entity_aliases: readonly string[];
  /** Whether its tokens have no parent. */
  readonly orphan: boolean;
  /** Whether its tokens can be renewed. */
  readonly renewable: boolean;
  /** Added to the path at which its tokens are created. */
  readonly path_suffix: string;
  /** Longest lifetime of its tokens, seconds; 0: none. */
  readonly token_explicit_max_ttl: number;
  /** Same as `token_explicit_max_ttl`. */
  readonly explicit_max_ttl: number;
  /** Lifetime that each renewal gives, seconds; 0: not periodic. */
  readonly token_period: number;
  /** Same as `token_period`. */
  readonly period: number;
  /** Address ranges from which its tokens may be used. */
  readonly token_bound_cidrs: readonly string[];
  /** Whether the policy `default` is left out. */
  readonly token_no_default_policy: boolean;
  /** How often its tokens may be used; 0: any number of times. */
  readonly token_num_uses: number;
  /** Type of its tokens. */
  readonly token_type: string;
} & Warnings;
export type WriteTokenRoleInput = {
  /** Name of the role. */
  readonly name: string;
  /** Policies that its tokens may have; none: those of the parent. */
  readonly allowed_policies?: string | readonly string[] | undefined;
  /** The same as patterns, in which `*` stands for any text. */
  readonly allowed_policies_glob?: string | readonly string[] | undefined;
  /**
   * Policies that its tokens must not have. Where no allowed ones are named, they may have any
   * other but `root`, whatever the caller has.
   */
  readonly disallowed_policies?: string | readonly string[] | undefined;
  /** The same as patterns. */
  readonly disallowed_policies_glob?: string | readonly string[] | undefined;
  /** Entity aliases that may be asked for; `*` as in patterns. */
  readonly allowed_entity_aliases?: string | readonly string[] | undefined;
  /** Its tokens have no parent. */
  readonly orphan?: boolean | undefined;
  /** Whether its tokens can be renewed; true unless set. */
  readonly renewable?: boolean | undefined;
  /** Added to the path at which its tokens are created. */
  readonly path_suffix?: string | undefined;
  /** Longest lifetime of its tokens with renewals. Seconds, or a duration such as `72h`. */
  readonly token_explicit_max_ttl?: number | string | undefined;
  /**
   * Makes its tokens periodic: each renewal gives this lifetime. Seconds, or a duration such as
   * `72h`.
   */
  readonly token_period?: number | string | undefined;
  /** Address ranges from which its tokens may be used. */
  readonly token_bound_cidrs?: string | readonly string[] | undefined;
  /** Leave the policy `default` out. */
  readonly token_no_default_policy?: boolean | undefined;
  /** How often its tokens may be used; 0: any number of times. */
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
   * Returns the properties of the caller's token. The policy `default` grants it.
   * `GET /v1/auth/token/lookup-self`, `POST /v1/auth/token/lookup-self`.
   */
  lookupSelf(input?: LookupSelfInput, options?: CallOptions): Promise<LookupSelfReply>;
  /**
   * Returns the properties of a token.
   * `POST /v1/auth/token/lookup`. Fails with `malformed`, `forbidden`.
   */
  lookupToken(input: LookupTokenInput, options?: CallOptions): Promise<LookupTokenReply>;
  /**
   * Returns the properties of the token that an accessor names, without the token.
   * `POST /v1/auth/token/lookup-accessor`. Fails with `malformed`, `forbidden`.
   */
  lookupAccessor(input: LookupAccessorInput, options?: CallOptions): Promise<LookupAccessorReply>;
  /** Renews the caller's token. `POST /v1/auth/token/renew-self`. Fails with `malformed`. */
  renewSelf(input?: RenewSelfInput, options?: CallOptions): Promise<RenewSelfReply>;
  /** Renews a token. `POST /v1/auth/token/renew`. Fails with `malformed`. */
  renewToken(input: RenewTokenInput, options?: CallOptions): Promise<RenewTokenReply>;
  /**
   * Renews the token that an accessor names. The reply does not tell the token.
   * `POST /v1/auth/token/renew-accessor`. Fails with `malformed`.
   */
  renewAccessor(input: RenewAccessorInput, options?: CallOptions): Promise<RenewAccessorReply>;
  /**
   * Creates a token, which is revoked with the caller's.
   * `POST /v1/auth/token/create`. Fails with `malformed`, `forbidden`.
   */
  createToken(input?: CreateTokenInput, options?: CallOptions): Promise<CreateTokenReply>;
  /**
   * Creates a token that outlives the caller's.
   * `POST /v1/auth/token/create-orphan`. Fails with `malformed`, `forbidden`.
   */
  createOrphanToken(
    input?: CreateOrphanTokenInput,
    options?: CallOptions,
  ): Promise<CreateOrphanTokenReply>;
  /**
   * Creates a token by a role.
   * `POST /v1/auth/token/create/:role`. Fails with `malformed`, `forbidden`.
   */
  createRoleToken(
    input: CreateRoleTokenInput,
    options?: CallOptions,
  ): Promise<CreateRoleTokenReply>;
  /**
   * Revokes the caller's token, the tokens it created, and their leases.
   * `POST /v1/auth/token/revoke-self`. Fails with `malformed`.
   */
  revokeSelf(input?: RevokeSelfInput, options?: CallOptions): Promise<RevokeSelfReply>;
  /**
   * Revokes a token, the tokens it created, and their leases; of a wrapping token the reply is
   * gone. A token that does not exist is no error.
   * `POST /v1/auth/token/revoke`. Fails with `malformed`.
   */
  revokeToken(input: RevokeTokenInput, options?: CallOptions): Promise<RevokeTokenReply>;
  /**
   * Revokes a token and its leases; the tokens it created become orphans.
   * `POST /v1/auth/token/revoke-orphan`. Needs the capability `sudo`. Fails with `malformed`.
   */
  revokeOrphan(input: RevokeOrphanInput, options?: CallOptions): Promise<RevokeOrphanReply>;
  /**
   * Revokes the token that an accessor names, the tokens it created, and their leases; of a
   * wrapping token the reply is gone. An accessor that names none is no error.
   * `POST /v1/auth/token/revoke-accessor`. Fails with `malformed`.
   */
  revokeAccessor(input: RevokeAccessorInput, options?: CallOptions): Promise<RevokeAccessorReply>;
  /**
   * Lists the accessors of all service tokens.
   * `LIST /v1/auth/token/accessors`. Needs the capability `sudo`.
   */
  listAccessors(input?: ListAccessorsInput, options?: CallOptions): Promise<ListAccessorsReply>;
  /** Removes tokens that have ended, by a job. `POST /v1/auth/token/tidy`. */
  tidyTokens(input?: TidyTokensInput, options?: CallOptions): Promise<TidyTokensReply>;
  /** Lists the roles by which tokens are created. `LIST /v1/auth/token/roles`. */
  listTokenRoles(input?: ListTokenRolesInput, options?: CallOptions): Promise<ListTokenRolesReply>;
  /** Returns a role by which tokens are created. `GET /v1/auth/token/roles/:name`. */
  readTokenRole(input: ReadTokenRoleInput, options?: CallOptions): Promise<ReadTokenRoleReply>;
  /**
   * Creates or changes a role by which tokens are created.
   * `POST /v1/auth/token/roles/:name`. Fails with `malformed`.
   */
  writeTokenRole(input: WriteTokenRoleInput, options?: CallOptions): Promise<WriteTokenRoleReply>;
  /**
   * Deletes a role by which tokens are created. Its tokens remain, and cannot be renewed.
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
