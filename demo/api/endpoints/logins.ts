// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, DerSource, Warned, Warnings } from "../../../src/client/call.ts";
import type { Endpoint } from "../endpoint.ts";

/** Settings of the tokens that a login method issues. */
export type TokenReply = {
  /** Initial lifetime of its tokens; 0 means the method's default. Seconds. */
  readonly token_ttl: number;
  /** Maximum lifetime of its tokens including renewals; 0 means the method's maximum. Seconds. */
  readonly token_max_ttl: number;
  /** Hard limit on the lifetime of its tokens; renewals cannot exceed it. 0 means none. Seconds. */
  readonly token_explicit_max_ttl: number;
  /** Makes its tokens periodic: each renewal resets their lifetime to this value. Seconds. */
  readonly token_period: number;
  /** Policies of its tokens. */
  readonly token_policies: readonly string[];
  /** Address ranges (CIDR) from which clients may log in and use its tokens. */
  readonly token_bound_cidrs: readonly string[];
  /** Do not add the `default` policy. */
  readonly token_no_default_policy: boolean;
  /** Number of times each token may be used; 0 means unlimited. */
  readonly token_num_uses: number;
  /** Type of its tokens; `default`: the method's type. */
  readonly token_type: "default" | "default-service" | "default-batch" | "service" | "batch";
  /** Metadata that logins set on the entity alias: strings by name. */
  readonly alias_metadata: Readonly<Record<string, string>>;
};
/** Settings of the tokens that a login method issues. */
export type TokenFields = {
  /**
   * Initial lifetime of its tokens; 0 means the method's default. Seconds, or a duration such as
   * `72h`.
   */
  readonly token_ttl?: number | string | undefined;
  /**
   * Maximum lifetime of its tokens including renewals; 0 means the method's maximum. Seconds, or a
   * duration such as `72h`.
   */
  readonly token_max_ttl?: number | string | undefined;
  /**
   * Hard limit on the lifetime of its tokens; renewals cannot exceed it. 0 means none. Seconds, or
   * a duration such as `72h`.
   */
  readonly token_explicit_max_ttl?: number | string | undefined;
  /**
   * Makes its tokens periodic: each renewal resets their lifetime to this value. Seconds, or a
   * duration such as `72h`.
   */
  readonly token_period?: number | string | undefined;
  /** Policies of its tokens. */
  readonly token_policies?: string | readonly string[] | undefined;
  /** Address ranges (CIDR) from which clients may log in and use its tokens. */
  readonly token_bound_cidrs?: string | readonly string[] | undefined;
  /** Do not add the `default` policy. */
  readonly token_no_default_policy?: boolean | undefined;
  /** Number of times each token may be used; 0 means unlimited. */
  readonly token_num_uses?: number | undefined;
  /** Type of its tokens; `default`: the method's type. */
  readonly token_type?:
    | "default"
    | "default-service"
    | "default-batch"
    | "service"
    | "batch"
    | undefined;
  /** Metadata that logins set on the entity alias: strings by name. */
  readonly alias_metadata?: Readonly<Record<string, string>> | undefined;
  /** Same as `token_policies`. */
  readonly policies?: string | readonly string[] | undefined;
  /** Same as `token_ttl`. Seconds, or a duration such as `72h`. */
  readonly ttl?: number | string | undefined;
  /** Same as `token_max_ttl`. Seconds, or a duration such as `72h`. */
  readonly max_ttl?: number | string | undefined;
  /** Same as `token_period`. Seconds, or a duration such as `72h`. */
  readonly period?: number | string | undefined;
  /** Same as `token_bound_cidrs`. */
  readonly bound_cidrs?: string | readonly string[] | undefined;
  /** Same as `token_num_uses`. */
  readonly num_uses?: number | undefined;
};

export type LoginAppRoleInput = {
  /** Role ID of the role. */
  readonly role_id: string;
  /** Secret ID of the role, if the role requires one. */
  readonly secret_id?: string | undefined;
};
export type LoginAppRoleReply = Warned | undefined;
export type ListAppRolesInput = {};
export type ListAppRolesReply = {
  /** Names of the roles, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type ReadRoleIdInput = {
  /** Name of the role. */
  readonly name: string;
};
export type ReadRoleIdReply = {
  /** ID that identifies the role in a login. */
  readonly role_id: string;
} & Warnings;
export type WriteRoleIdInput = {
  /** Name of the role. */
  readonly name: string;
  /** The new role ID. */
  readonly role_id: string;
};
export type WriteRoleIdReply = LoginAppRoleReply;
export type MakeSecretIdInput = {
  /** Name of the role. */
  readonly name: string;
  /** Metadata for logins with this secret ID: a JSON object of strings. */
  readonly metadata?: string | undefined;
  /** Address ranges (CIDR) from which it may be used. */
  readonly cidr_list?: string | readonly string[] | undefined;
  /** Address ranges (CIDR) from which the tokens of its logins may be used. */
  readonly token_bound_cidrs?: string | readonly string[] | undefined;
  /** Number of times the secret ID may be used; 0 means unlimited. Default: the role's value. */
  readonly num_uses?: number | undefined;
  /**
   * Lifetime of the secret ID; 0 means that it does not expire. Default: the role's value. Seconds,
   * or a duration such as `72h`.
   */
  readonly ttl?: number | string | undefined;
};
export type MakeSecretIdReply = {
  /** The secret ID. Returned only once. */
  readonly secret_id: string;
  /** Accessor, which identifies the secret ID without revealing it. */
  readonly secret_id_accessor: string;
  /** Lifetime in seconds; 0 means that it does not expire. */
  readonly secret_id_ttl: number;
  /** Number of times it may be used; 0 means unlimited. */
  readonly secret_id_num_uses: number;
} & Warnings;
export type MakeCustomSecretIdInput = {
  /** Name of the role. */
  readonly name: string;
  /** Metadata for logins with this secret ID: a JSON object of strings. */
  readonly metadata?: string | undefined;
  /** Address ranges (CIDR) from which it may be used. */
  readonly cidr_list?: string | readonly string[] | undefined;
  /** Address ranges (CIDR) from which the tokens of its logins may be used. */
  readonly token_bound_cidrs?: string | readonly string[] | undefined;
  /** Number of times the secret ID may be used; 0 means unlimited. Default: the role's value. */
  readonly num_uses?: number | undefined;
  /**
   * Lifetime of the secret ID; 0 means that it does not expire. Default: the role's value. Seconds,
   * or a duration such as `72h`.
   */
  readonly ttl?: number | string | undefined;
  /** The secret ID. */
  readonly secret_id: string;
};
export type MakeCustomSecretIdReply = MakeSecretIdReply;
export type ListSecretIdsInput = ReadRoleIdInput;
export type ListSecretIdsReply = {
  /** Accessors. */
  readonly keys: readonly string[];
} & Warnings;
export type LookupSecretIdInput = {
  /** Name of the role. */
  readonly name: string;
  /** The secret ID. */
  readonly secret_id: string;
};
export type LookupSecretIdReply = {
  /** Accessor, which identifies the secret ID without revealing it. */
  readonly secret_id_accessor: string;
  /** Metadata of its logins. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Address ranges (CIDR) from which it may be used. */
  readonly cidr_list: readonly string[];
  /** Address ranges (CIDR) from which the tokens of its logins may be used. */
  readonly token_bound_cidrs: readonly string[];
  /** Remaining uses; 0 means unlimited. */
  readonly secret_id_num_uses: number;
  /** Lifetime at creation in seconds; 0 means that it does not expire. */
  readonly secret_id_ttl: number;
  /** When it was created, RFC 3339. */
  readonly creation_time: string;
  /** When it was last used, or created, RFC 3339. */
  readonly last_updated_time: string;
  /** When it expires, RFC 3339; year 1 if it does not. */
  readonly expiration_time: string;
} & Warnings;
export type LookupSecretAccessorInput = {
  /** Name of the role. */
  readonly name: string;
  /** Accessor of the secret ID. */
  readonly secret_id_accessor: string;
};
export type LookupSecretAccessorReply = LookupSecretIdReply;
export type DestroySecretIdInput = LookupSecretIdInput;
export type DestroySecretIdReply = LoginAppRoleReply;
export type DestroySecretAccessorInput = LookupSecretAccessorInput;
export type DestroySecretAccessorReply = LoginAppRoleReply;
export type TidySecretIdsInput = ListAppRolesInput;
export type TidySecretIdsReply = LoginAppRoleReply;
export type ReadRoleSettingInput = {
  /** Name of the role. */
  readonly name: string;
  /** Field of the role, with hyphens instead of underscores. */
  readonly setting: string;
};
export type ReadRoleSettingReply = Readonly<Record<string, unknown>>;
export type WriteRoleSettingInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /** Field of the role, with hyphens instead of underscores. */
  readonly setting: string;
  /** Whether a login requires a secret ID. */
  readonly bind_secret_id?: boolean | undefined;
  /** Address ranges (CIDR) from which secret IDs may be used. */
  readonly secret_id_bound_cidrs?: string | readonly string[] | undefined;
  /** Same as `secret_id_bound_cidrs`. */
  readonly bound_cidr_list?: string | readonly string[] | undefined;
  /** Number of times a secret ID may be used; 0 means unlimited. */
  readonly secret_id_num_uses?: number | undefined;
  /**
   * Lifetime of secret IDs; 0 means that they do not expire. Seconds, or a duration such as `72h`.
   */
  readonly secret_id_ttl?: number | string | undefined;
  /** Set when the role is created and fixed afterwards; no effect. */
  readonly local_secret_ids?: boolean | undefined;
};
export type WriteRoleSettingReply = LoginAppRoleReply;
export type DeleteRoleSettingInput = ReadRoleSettingInput;
export type DeleteRoleSettingReply = LoginAppRoleReply;
export type ReadAppRoleInput = ReadRoleIdInput;
export type ReadAppRoleReply = TokenReply & {
  /** Whether a login requires a secret ID. */
  readonly bind_secret_id: boolean;
  /** Address ranges (CIDR) from which secret IDs may be used. */
  readonly secret_id_bound_cidrs: readonly string[];
  /** Number of times a secret ID may be used; 0 means unlimited. */
  readonly secret_id_num_uses: number;
  /** Lifetime of secret IDs; 0 means that they do not expire. Seconds. */
  readonly secret_id_ttl: number;
  /** Stored value; no effect. */
  readonly local_secret_ids: boolean;
} & Warnings;
export type WriteAppRoleInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /** Whether a login requires a secret ID. */
  readonly bind_secret_id?: boolean | undefined;
  /** Address ranges (CIDR) from which secret IDs may be used. */
  readonly secret_id_bound_cidrs?: string | readonly string[] | undefined;
  /** Same as `secret_id_bound_cidrs`. */
  readonly bound_cidr_list?: string | readonly string[] | undefined;
  /** Number of times a secret ID may be used; 0 means unlimited. */
  readonly secret_id_num_uses?: number | undefined;
  /**
   * Lifetime of secret IDs; 0 means that they do not expire. Seconds, or a duration such as `72h`.
   */
  readonly secret_id_ttl?: number | string | undefined;
  /** Set when the role is created and fixed afterwards; no effect. */
  readonly local_secret_ids?: boolean | undefined;
  /** ID of the role; generated if not sent. */
  readonly role_id?: string | undefined;
};
export type WriteAppRoleReply = LoginAppRoleReply;
export type DeleteAppRoleInput = ReadRoleIdInput;
export type DeleteAppRoleReply = LoginAppRoleReply;
export type LoginCertInput = {
  /** Name of the role; default: the first role that matches. */
  readonly name?: string | undefined;
};
export type LoginCertReply = LoginAppRoleReply;
export type ListLoginCertsInput = ListAppRolesInput;
export type ListLoginCertsReply = ListAppRolesReply;
export type ReadLoginCertInput = ReadRoleIdInput;
export type ReadLoginCertReply = TokenReply & {
  /** CA certificates (PEM) used to verify client certificates, or a single client certificate. */
  readonly certificate: string;
  /** Display name of its tokens; default: the role name. */
  readonly display_name: string;
  /**
   * Accepted common names, DNS names and email addresses; one must match. `*` stands for any text.
   */
  readonly allowed_names: readonly string[];
  /** Accepted common names; one must match. `*` stands for any text. */
  readonly allowed_common_names: readonly string[];
  /** Accepted DNS names; one must match. `*` stands for any text. */
  readonly allowed_dns_sans: readonly string[];
  /** Accepted email addresses; one must match. `*` stands for any text. */
  readonly allowed_email_sans: readonly string[];
  /** Accepted URIs; one must match. `*` stands for any text. */
  readonly allowed_uri_sans: readonly string[];
  /** Accepted organizational units; one must match. `*` stands for any text. */
  readonly allowed_organizational_units: readonly string[];
  /** Required extensions: `<oid>:<text>`, or `hex:<oid>:<hexadecimal value>`. */
  readonly required_extensions: readonly string[];
  /** Whether to check client certificates with OCSP, in addition to local revocations. */
  readonly ocsp_enabled: boolean;
  /** Whether to accept a certificate whose status no OCSP responder provides. */
  readonly ocsp_fail_open: boolean;
  /** Whether all OCSP responders must agree; otherwise the first definite answer counts. */
  readonly ocsp_query_all_servers: boolean;
  /** OCSP responder URLs, used instead of those in the certificate. */
  readonly ocsp_servers_override: readonly string[];
  /**
   * Certificates of trusted OCSP responders, besides the issuer and its delegates: PEM, or base64
   * of PEM or of one DER certificate.
   */
  readonly ocsp_ca_certificates: string;
  /** Maximum age of an OCSP response (`thisUpdate`) in seconds; 0 means unlimited. */
  readonly ocsp_this_update_max_age: number;
  /** Maximum number of retries per unresponsive OCSP responder, up to 10. */
  readonly ocsp_max_retries: number;
} & Warnings;
export type WriteLoginCertInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /** CA certificates (PEM) used to verify client certificates, or a single client certificate. */
  readonly certificate?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** Display name of its tokens; default: the role name. */
  readonly display_name?: string | undefined;
  /**
   * Accepted common names, DNS names and email addresses; one must match. `*` stands for any text.
   */
  readonly allowed_names?: string | readonly string[] | undefined;
  /** Accepted common names; one must match. `*` stands for any text. */
  readonly allowed_common_names?: string | readonly string[] | undefined;
  /** Accepted DNS names; one must match. `*` stands for any text. */
  readonly allowed_dns_sans?: string | readonly string[] | undefined;
  /** Accepted email addresses; one must match. `*` stands for any text. */
  readonly allowed_email_sans?: string | readonly string[] | undefined;
  /** Accepted URIs; one must match. `*` stands for any text. */
  readonly allowed_uri_sans?: string | readonly string[] | undefined;
  /** Accepted organizational units; one must match. `*` stands for any text. */
  readonly allowed_organizational_units?: string | readonly string[] | undefined;
  /** Required extensions: `<oid>:<text>`, or `hex:<oid>:<hexadecimal value>`. */
  readonly required_extensions?: string | readonly string[] | undefined;
  /** Whether to check client certificates with OCSP, in addition to local revocations. */
  readonly ocsp_enabled?: boolean | undefined;
  /** Whether to accept a certificate whose status no OCSP responder provides. */
  readonly ocsp_fail_open?: boolean | undefined;
  /** Whether all OCSP responders must agree; otherwise the first definite answer counts. */
  readonly ocsp_query_all_servers?: boolean | undefined;
  /** OCSP responder URLs, used instead of those in the certificate. */
  readonly ocsp_servers_override?: string | readonly string[] | undefined;
  /**
   * Certificates of trusted OCSP responders, besides the issuer and its delegates: PEM, or base64
   * of PEM or of one DER certificate.
   */
  readonly ocsp_ca_certificates?: string | undefined;
  /**
   * Maximum age of an OCSP response (`thisUpdate`) in seconds; 0 means unlimited. Seconds, or a
   * duration such as `72h`.
   */
  readonly ocsp_this_update_max_age?: number | string | undefined;
  /** Maximum number of retries per unresponsive OCSP responder, up to 10. */
  readonly ocsp_max_retries?: number | undefined;
};
export type WriteLoginCertReply = LoginAppRoleReply;
export type DeleteLoginCertInput = ReadRoleIdInput;
export type DeleteLoginCertReply = LoginAppRoleReply;
export type LoginJwtInput = {
  /** Name of the role; default: `default_role` of the configuration. */
  readonly role?: string | undefined;
  /** The signed JWT. */
  readonly jwt?: string | undefined;
};
export type LoginJwtReply = LoginAppRoleReply;
export type BeginOidcLoginInput = {
  /** Name of the role; default: `default_role` of the configuration. */
  readonly role?: string | undefined;
  /** Where the provider sends the browser; one of the role's `allowed_redirect_uris`. */
  readonly redirect_uri?: string | undefined;
  /** Random string chosen by the client, which must send it again to finish the login. */
  readonly client_nonce?: string | undefined;
};
export type BeginOidcLoginReply = {
  /** URL of the authorization request. */
  readonly auth_url: string;
} & Warnings;
export type FinishOidcLoginInput = {
  /** State from the authorization response. */
  readonly state?: string | undefined;
  /** Code from the authorization response, or from the redirect after a posted response. */
  readonly code?: string | undefined;
  /** The `client_nonce` that the login began with. */
  readonly client_nonce?: string | undefined;
  /** Issuer from the authorization response (RFC 9207), if it has one. */
  readonly iss?: string | undefined;
};
export type FinishOidcLoginReply = LoginAppRoleReply;
export type ReceiveOidcCodeInput = {
  /** State from the authorization response. */
  readonly state?: string | undefined;
  /** Authorization code. */
  readonly code?: string | undefined;
  /** Error code, if the provider refused. */
  readonly error?: string | undefined;
  readonly [name: string]: unknown;
};
export type ReceiveOidcCodeReply = LoginAppRoleReply;
export type ReadJwtConfigInput = ListAppRolesInput;
export type ReadJwtConfigReply = {
  /** URL of the issuer whose keys are found through OpenID Connect Discovery. */
  readonly oidc_discovery_url: string;
  /** CA certificates (PEM) used to verify the issuer's server. */
  readonly oidc_discovery_ca_pem: string;
  /** Client ID at the provider, for roles of type `oidc`. */
  readonly oidc_client_id: string;
  /** `query`, the default, or `form_post`: the provider posts the code to `oidc/callback`. */
  readonly oidc_response_mode: "" | "query" | "form_post";
  /** Response types; only `code` is supported, the default. */
  readonly oidc_response_types: readonly "code"[];
  /** Provider-specific settings; must be empty, because none are supported. */
  readonly provider_config: Readonly<Record<string, unknown>>;
  /** URL of the key set (JWKS). */
  readonly jwks_url: string;
  /** CA certificates (PEM) used to verify the JWKS server. */
  readonly jwks_ca_pem: string;
  /** Static public keys, PEM. */
  readonly jwt_validation_pubkeys: readonly string[];
  /** Accepted signature algorithms; empty means all supported ones. */
  readonly jwt_supported_algs: readonly string[];
  /** Required issuer (`iss`) of tokens. */
  readonly bound_issuer: string;
  /** Role used when a login names none. */
  readonly default_role: string;
  /** Ignored: there are no namespaces. */
  readonly namespace_in_state: boolean;
} & Warnings;
export type WriteJwtConfigInput = {
  /**
   * Issuer URL (https) for OpenID Connect Discovery. It is also the required issuer of tokens,
   * unless `bound_issuer` is set.
   */
  readonly oidc_discovery_url?: string | undefined;
  /**
   * CA certificates (PEM) used to verify the server of `jwks_url`. If set, the server may have a
   * private address; if empty, the platform's CAs are used.
   */
  readonly oidc_discovery_ca_pem?: string | undefined;
  /** Client ID at the provider, for roles of type `oidc`. */
  readonly oidc_client_id?: string | undefined;
  /**
   * Client secret at the provider; never returned. If empty, the stored secret is kept for the same
   * client and URL; otherwise the client is public and only PKCE protects its codes.
   */
  readonly oidc_client_secret?: string | undefined;
  /** `query`, the default, or `form_post`: the provider posts the code to `oidc/callback`. */
  readonly oidc_response_mode?: "" | "query" | "form_post" | undefined;
  /** Response types; only `code` is supported, the default. */
  readonly oidc_response_types?: "code" | readonly "code"[] | undefined;
  /** Provider-specific settings; must be empty, because none are supported. */
  readonly provider_config?: Readonly<Record<string, unknown>> | undefined;
  /** URL (https) of a key set (JWKS). */
  readonly jwks_url?: string | undefined;
  /**
   * CA certificates (PEM) used to verify the server of `jwks_url`. If set, the server may have a
   * private address; if empty, the platform's CAs are used.
   */
  readonly jwks_ca_pem?: string | undefined;
  /** Static keys, each a PEM block PUBLIC KEY or CERTIFICATE. */
  readonly jwt_validation_pubkeys?: string | readonly string[] | undefined;
  /** Accepted signature algorithms; empty means all supported ones. */
  readonly jwt_supported_algs?: string | readonly string[] | undefined;
  /** Required issuer (`iss`) of tokens. */
  readonly bound_issuer?: string | undefined;
  /** Role used when a login names none. */
  readonly default_role?: string | undefined;
  /** Ignored: there are no namespaces. Default: `true`. */
  readonly namespace_in_state?: boolean | undefined;
};
export type WriteJwtConfigReply = LoginAppRoleReply;
export type ListJwtRolesInput = ListAppRolesInput;
export type ListJwtRolesReply = ListAppRolesReply;
export type ReadJwtRoleInput = ReadRoleIdInput;
export type ReadJwtRoleReply = TokenReply & {
  /**
   * `jwt`: logins send a JWT. `oidc`: users log in at the OpenID provider with their browser.
   * Default: `oidc` for a new role with `allowed_redirect_uris`, else `jwt`.
   */
  readonly role_type: "oidc" | "jwt";
  /** Claim that identifies the user. */
  readonly user_claim: string;
  /** Whether `user_claim` is a JSON pointer. */
  readonly user_claim_json_pointer: boolean;
  /** Accepted audiences (`aud`); a token with audiences must have one of them. */
  readonly bound_audiences: readonly string[];
  /** Required subject (`sub`). */
  readonly bound_subject: string;
  /** Required claims by name or JSON pointer: a value, or a list of accepted values. */
  readonly bound_claims: Readonly<Record<string, unknown>>;
  /** `string`, or `glob`: `*` in `bound_claims` matches any text. */
  readonly bound_claims_type: "string" | "glob";
  /** Claim with the group names, by name or JSON pointer. */
  readonly groups_claim: string;
  /** Claims, by name or JSON pointer, to copy to metadata: metadata names by claim. */
  readonly claim_mappings: Readonly<Record<string, unknown>>;
  /** Lifetime of JWTs without `exp`; 0 means 150 seconds, negative means unlimited. */
  readonly expiration_leeway: number;
  /**
   * How long before `exp` a JWT without `nbf` and `iat` becomes valid; 0 means 150 seconds,
   * negative means at `exp`.
   */
  readonly not_before_leeway: number;
  /** Tolerated clock skew; 0 means 60 seconds, negative means none. */
  readonly clock_skew_leeway: number;
  /** Maximum time since `auth_time`; 0 means that it is not checked. Seconds. */
  readonly max_age: number;
  /** `oidc`: scopes to request besides `openid`. */
  readonly oidc_scopes: readonly string[];
  /**
   * `oidc`: redirect URIs that logins may use, compared exactly; ports of http URIs on loopback are
   * ignored (RFC 8252).
   */
  readonly allowed_redirect_uris: readonly string[];
  /** Stored value; no effect: tokens and claims are never logged. */
  readonly verbose_oidc_logging: boolean;
} & Warnings;
export type WriteJwtRoleInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /**
   * `jwt`: logins send a JWT. `oidc`: users log in at the OpenID provider with their browser.
   * Default: `oidc` for a new role with `allowed_redirect_uris`, else `jwt`.
   */
  readonly role_type?: "oidc" | "jwt" | undefined;
  /** Claim that identifies the user. */
  readonly user_claim?: string | undefined;
  /** Whether `user_claim` is a JSON pointer. */
  readonly user_claim_json_pointer?: boolean | undefined;
  /** Accepted audiences (`aud`); a token with audiences must have one of them. */
  readonly bound_audiences?: string | readonly string[] | undefined;
  /** Required subject (`sub`). */
  readonly bound_subject?: string | undefined;
  /** Required claims by name or JSON pointer: a value, or a list of accepted values. */
  readonly bound_claims?: Readonly<Record<string, unknown>> | undefined;
  /** `string`, or `glob`: `*` in `bound_claims` matches any text. */
  readonly bound_claims_type?: "string" | "glob" | undefined;
  /** Claim with the group names, by name or JSON pointer. */
  readonly groups_claim?: string | undefined;
  /** Claims, by name or JSON pointer, to copy to metadata: metadata names by claim. */
  readonly claim_mappings?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Lifetime of JWTs without `exp`; 0 means 150 seconds, negative means unlimited. Seconds, or a
   * duration such as `72h`.
   */
  readonly expiration_leeway?: number | string | undefined;
  /**
   * How long before `exp` a JWT without `nbf` and `iat` becomes valid; 0 means 150 seconds,
   * negative means at `exp`. Seconds, or a duration such as `72h`.
   */
  readonly not_before_leeway?: number | string | undefined;
  /**
   * Tolerated clock skew; 0 means 60 seconds, negative means none. Seconds, or a duration such as
   * `72h`.
   */
  readonly clock_skew_leeway?: number | string | undefined;
  /**
   * Maximum time since `auth_time`; 0 means that it is not checked. Seconds, or a duration such as
   * `72h`.
   */
  readonly max_age?: number | string | undefined;
  /** `oidc`: scopes to request besides `openid`. */
  readonly oidc_scopes?: string | readonly string[] | undefined;
  /**
   * `oidc`: redirect URIs that logins may use, compared exactly; ports of http URIs on loopback are
   * ignored (RFC 8252).
   */
  readonly allowed_redirect_uris?: string | readonly string[] | undefined;
  /** Stored value; no effect: tokens and claims are never logged. */
  readonly verbose_oidc_logging?: boolean | undefined;
};
export type WriteJwtRoleReply = LoginAppRoleReply;
export type DeleteJwtRoleInput = ReadRoleIdInput;
export type DeleteJwtRoleReply = LoginAppRoleReply;
export type LoginKubernetesInput = {
  /** Name of the role. */
  readonly role?: string | undefined;
  /** The service account token. */
  readonly jwt?: string | undefined;
};
export type LoginKubernetesReply = LoginAppRoleReply;
export type ReadKubernetesConfigInput = ListAppRolesInput;
export type ReadKubernetesConfigReply = {
  /** URL of the Kubernetes API server. */
  readonly kubernetes_host: string;
  /** CA certificates (PEM) used to verify the API server. */
  readonly kubernetes_ca_cert: string;
  /** Static public keys, PEM. */
  readonly pem_keys: readonly string[];
  /** URL of the key set (JWKS). */
  readonly jwks_url: string;
  /** CA certificates (PEM) used to verify the JWKS server. */
  readonly jwks_ca_pem: string;
  /** Required issuer of tokens. If empty, it is `kubernetes/serviceaccount`. */
  readonly issuer: string;
  /** Whether the issuer of tokens is not checked. */
  readonly disable_iss_validation: boolean;
  /** Stored value; no effect. */
  readonly disable_local_ca_jwt: boolean;
  /** Always false. */
  readonly token_reviewer_jwt_set: boolean;
  /** Always false. */
  readonly use_annotations_as_alias_metadata: boolean;
} & Warnings;
export type WriteKubernetesConfigInput = {
  /** URL (https) of the Kubernetes API server; its keys are fetched unless set otherwise. */
  readonly kubernetes_host?: string | undefined;
  /**
   * CA certificates (PEM) used to verify the API server. If set, the server may have a private
   * address; if empty, the platform's CAs are used.
   */
  readonly kubernetes_ca_cert?: string | undefined;
  /** Keys, each a PEM block PUBLIC KEY or CERTIFICATE. */
  readonly pem_keys?: string | readonly string[] | undefined;
  /** URL (https) of a key set (JWKS). */
  readonly jwks_url?: string | undefined;
  /** CA certificates (PEM) used to verify the server of `jwks_url`. */
  readonly jwks_ca_pem?: string | undefined;
  /**
   * Required issuer of tokens if `disable_iss_validation` is false; empty means
   * `kubernetes/serviceaccount`.
   */
  readonly issuer?: string | undefined;
  /** Do not check the issuer of tokens. Default: `true`. */
  readonly disable_iss_validation?: boolean | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly disable_local_ca_jwt?: boolean | undefined;
  /** Ignored: tokens are verified with public keys, not with the TokenReview API. */
  readonly token_reviewer_jwt?: string | undefined;
  /** Not supported. Default: `false`. */
  readonly use_annotations_as_alias_metadata?: boolean | undefined;
};
export type WriteKubernetesConfigReply = LoginAppRoleReply;
export type ListKubernetesRolesInput = ListAppRolesInput;
export type ListKubernetesRolesReply = ListAppRolesReply;
export type ReadKubernetesRoleInput = ReadRoleIdInput;
export type ReadKubernetesRoleReply = TokenReply & {
  /** Allowed service account names; `*` matches any characters. */
  readonly bound_service_account_names: readonly string[];
  /** Allowed service account namespaces; `*` matches any characters. */
  readonly bound_service_account_namespaces: readonly string[];
  /** Not supported: tokens do not contain namespace labels. */
  readonly bound_service_account_namespace_selector: string;
  /** Required audience (`aud`) of tokens; empty means any. */
  readonly audience: string;
  /**
   * Source of the alias name: `serviceaccount_uid`, or `serviceaccount_name` (includes the
   * namespace).
   */
  readonly alias_name_source: "serviceaccount_uid" | "serviceaccount_name";
} & Warnings;
export type WriteKubernetesRoleInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /** Allowed service account names; `*` matches any characters. */
  readonly bound_service_account_names?: string | readonly string[] | undefined;
  /** Allowed service account namespaces; `*` matches any characters. */
  readonly bound_service_account_namespaces?: string | readonly string[] | undefined;
  /** Not supported: tokens do not contain namespace labels. */
  readonly bound_service_account_namespace_selector?: string | undefined;
  /** Required audience (`aud`) of tokens; empty means any. */
  readonly audience?: string | undefined;
  /**
   * Source of the alias name: `serviceaccount_uid`, or `serviceaccount_name` (includes the
   * namespace).
   */
  readonly alias_name_source?: "serviceaccount_uid" | "serviceaccount_name" | undefined;
};
export type WriteKubernetesRoleReply = LoginAppRoleReply;
export type DeleteKubernetesRoleInput = ReadRoleIdInput;
export type DeleteKubernetesRoleReply = LoginAppRoleReply;
export type LoginUserInput = {
  /** Name of the user. */
  readonly username: string;
  /** The password. */
  readonly password: string;
};
export type LoginUserReply = LoginAppRoleReply;
export type ListUsersInput = ListAppRolesInput;
export type ListUsersReply = {
  /** User names, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type ReadUserInput = {
  /** Name of the user. */
  readonly username: string;
};
export type ReadUserReply = TokenReply & Warnings;
export type WriteUserInput = TokenFields & {
  /** Name of the user. */
  readonly username: string;
  /** Password; a new user requires it or `password_hash`. */
  readonly password?: string | undefined;
  /**
   * A bcrypt hash of the password instead: `$2a$`, `$2b$` or `$2y$`, cost 4 to 10. The first login
   * replaces it with the server's own hash.
   */
  readonly password_hash?: string | undefined;
};
export type WriteUserReply = LoginAppRoleReply;
export type DeleteLoginUserInput = ReadUserInput;
export type DeleteLoginUserReply = LoginAppRoleReply;
export type WritePasswordInput = {
  /** Name of the user. */
  readonly username: string;
  /** New password; alternatively send `password_hash`. */
  readonly password?: string | undefined;
  /**
   * A bcrypt hash of the password instead: `$2a$`, `$2b$` or `$2y$`, cost 4 to 10. The first login
   * replaces it with the server's own hash.
   */
  readonly password_hash?: string | undefined;
};
export type WritePasswordReply = LoginAppRoleReply;
export type WriteUserPoliciesInput = {
  /** Name of the user. */
  readonly username: string;
  /** Policies of its tokens. */
  readonly token_policies?: string | readonly string[] | undefined;
  /** Same as `token_policies`. */
  readonly policies?: string | readonly string[] | undefined;
};
export type WriteUserPoliciesReply = LoginAppRoleReply;

/** Typed client: The endpoints of a login method, below `/v1/auth/<path>`. */
export interface LoginsClient {
  /**
   * Logs in with a role ID and a secret ID; the token is returned in `auth`.
   * `POST /v1/auth/:path/login`. Needs no token. Fails with `malformed`, `forbidden`.
   */
  loginAppRole(input: LoginAppRoleInput, options?: CallOptions): Promise<LoginAppRoleReply>;
  /** Lists the names of the roles. `LIST /v1/auth/:path/role`. */
  listAppRoles(input?: ListAppRolesInput, options?: CallOptions): Promise<ListAppRolesReply>;
  /**
   * Reads the role ID of a role.
   * `GET /v1/auth/:path/role/:name/role-id`. Fails with `not_found`.
   */
  readRoleId(input: ReadRoleIdInput, options?: CallOptions): Promise<ReadRoleIdReply>;
  /**
   * Replaces the role ID of a role.
   * `POST /v1/auth/:path/role/:name/role-id`. Fails with `malformed`.
   */
  writeRoleId(input: WriteRoleIdInput, options?: CallOptions): Promise<WriteRoleIdReply>;
  /**
   * Generates a secret ID for a role.
   * `POST /v1/auth/:path/role/:name/secret-id`. Fails with `malformed`, `invalid_field`.
   */
  makeSecretId(input: MakeSecretIdInput, options?: CallOptions): Promise<MakeSecretIdReply>;
  /**
   * Creates a secret ID with a value chosen by the caller.
   * `POST /v1/auth/:path/role/:name/custom-secret-id`. Fails with `malformed`, `invalid_field`.
   */
  makeCustomSecretId(
    input: MakeCustomSecretIdInput,
    options?: CallOptions,
  ): Promise<MakeCustomSecretIdReply>;
  /**
   * Lists the accessors of the secret IDs of a role.
   * `LIST /v1/auth/:path/role/:name/secret-id`. Fails with `malformed`.
   */
  listSecretIds(input: ListSecretIdsInput, options?: CallOptions): Promise<ListSecretIdsReply>;
  /**
   * Returns the properties of a secret ID.
   * `POST /v1/auth/:path/role/:name/secret-id/lookup`. Fails with `malformed`, `unknown_app_role`.
   */
  lookupSecretId(input: LookupSecretIdInput, options?: CallOptions): Promise<LookupSecretIdReply>;
  /**
   * Returns the properties of a secret ID, given its accessor.
   * `POST /v1/auth/:path/role/:name/secret-id-accessor/lookup`. Fails with `malformed`,
   * `unknown_app_role`, `not_found`.
   */
  lookupSecretAccessor(
    input: LookupSecretAccessorInput,
    options?: CallOptions,
  ): Promise<LookupSecretAccessorReply>;
  /**
   * Deletes a secret ID.
   * `POST /v1/auth/:path/role/:name/secret-id/destroy`, `DELETE
   * /v1/auth/:path/role/:name/secret-id/destroy`. Fails with `malformed`, `unknown_app_role`.
   */
  destroySecretId(
    input: DestroySecretIdInput,
    options?: CallOptions,
  ): Promise<DestroySecretIdReply>;
  /**
   * Deletes a secret ID, given its accessor.
   * `POST /v1/auth/:path/role/:name/secret-id-accessor/destroy`, `DELETE
   * /v1/auth/:path/role/:name/secret-id-accessor/destroy`. Fails with `malformed`,
   * `unknown_app_role`.
   */
  destroySecretAccessor(
    input: DestroySecretAccessorInput,
    options?: CallOptions,
  ): Promise<DestroySecretAccessorReply>;
  /**
   * Removes expired secret IDs. A job also does this regularly.
   * `POST /v1/auth/:path/tidy/secret-id`.
   */
  tidySecretIds(input?: TidySecretIdsInput, options?: CallOptions): Promise<TidySecretIdsReply>;
  /**
   * Reads one field of a role.
   * `GET /v1/auth/:path/role/:name/:setting`. Fails with `not_found`.
   */
  readRoleSetting(
    input: ReadRoleSettingInput,
    options?: CallOptions,
  ): Promise<ReadRoleSettingReply>;
  /**
   * Updates one field of a role; `local_secret_ids` cannot be changed.
   * `POST /v1/auth/:path/role/:name/:setting`. Fails with `malformed`, `invalid_field`.
   */
  writeRoleSetting(
    input: WriteRoleSettingInput,
    options?: CallOptions,
  ): Promise<WriteRoleSettingReply>;
  /**
   * Resets one field of a role to its default; fails if that would change `local_secret_ids`.
   * `DELETE /v1/auth/:path/role/:name/:setting`. Fails with `malformed`.
   */
  deleteRoleSetting(
    input: DeleteRoleSettingInput,
    options?: CallOptions,
  ): Promise<DeleteRoleSettingReply>;
  /** Reads a role. `GET /v1/auth/:path/role/:name`. Fails with `not_found`. */
  readAppRole(input: ReadAppRoleInput, options?: CallOptions): Promise<ReadAppRoleReply>;
  /**
   * Creates a role, or updates the given fields of an existing one.
   * `POST /v1/auth/:path/role/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeAppRole(input: WriteAppRoleInput, options?: CallOptions): Promise<WriteAppRoleReply>;
  /**
   * Deletes a role and its secret IDs. Existing tokens stay valid until they expire, but cannot be
   * renewed.
   * `DELETE /v1/auth/:path/role/:name`.
   */
  deleteAppRole(input: DeleteAppRoleInput, options?: CallOptions): Promise<DeleteAppRoleReply>;
  /**
   * Logs in with the client certificate of the TLS connection.
   * `POST /v1/auth/:path/login`. Needs no token. Fails with `malformed`, `forbidden`, `busy`.
   */
  loginCert(input?: LoginCertInput, options?: CallOptions): Promise<LoginCertReply>;
  /** Lists the names of the roles. `LIST /v1/auth/:path/certs`. */
  listLoginCerts(input?: ListLoginCertsInput, options?: CallOptions): Promise<ListLoginCertsReply>;
  /** Reads a role. `GET /v1/auth/:path/certs/:name`. Fails with `not_found`. */
  readLoginCert(input: ReadLoginCertInput, options?: CallOptions): Promise<ReadLoginCertReply>;
  /**
   * Creates a role, or updates the given fields of an existing one.
   * `POST /v1/auth/:path/certs/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeLoginCert(input: WriteLoginCertInput, options?: CallOptions): Promise<WriteLoginCertReply>;
  /**
   * Deletes a role. Existing tokens stay valid until they expire, but cannot be renewed.
   * `DELETE /v1/auth/:path/certs/:name`.
   */
  deleteLoginCert(
    input: DeleteLoginCertInput,
    options?: CallOptions,
  ): Promise<DeleteLoginCertReply>;
  /**
   * Logs in with a JWT.
   * `POST /v1/auth/:path/login`. Needs no token. Fails with `malformed`, `forbidden`, `busy`.
   */
  loginJwt(input?: LoginJwtInput, options?: CallOptions): Promise<LoginJwtReply>;
  /**
   * Begins a login at the OpenID provider: returns the URL to open in a browser. The login expires
   * after 10 minutes and can be finished once.
   * `POST /v1/auth/:path/oidc/auth_url`. Needs no token. Fails with `malformed`, `busy`.
   */
  beginOidcLogin(input?: BeginOidcLoginInput, options?: CallOptions): Promise<BeginOidcLoginReply>;
  /**
   * Finishes a login at the OpenID provider: redeems the code and logs in the user of the ID token.
   * `GET /v1/auth/:path/oidc/callback`. Needs no token. Fails with `malformed`, `forbidden`,
   * `busy`.
   */
  finishOidcLogin(
    input?: FinishOidcLoginInput,
    options?: CallOptions,
  ): Promise<FinishOidcLoginReply>;
  /**
   * Receives the response that the OpenID provider posts in the response mode `form_post`, and
   * sends the browser to the redirect URI of the client (303), which finishes the login with `GET`.
   * `POST /v1/auth/:path/oidc/callback`. Needs no token. Fails with `malformed`.
   */
  receiveOidcCode(
    input?: ReceiveOidcCodeInput,
    options?: CallOptions,
  ): Promise<ReceiveOidcCodeReply>;
  /**
   * Returns how the method verifies tokens.
   * `GET /v1/auth/:path/config`. Fails with `not_found`.
   */
  readJwtConfig(input?: ReadJwtConfigInput, options?: CallOptions): Promise<ReadJwtConfigReply>;
  /**
   * Configures how the method verifies tokens. Keys behind a URL are fetched at once; if that
   * fails, nothing is stored.
   * `POST /v1/auth/:path/config`. Fails with `malformed`, `bad_key`.
   */
  writeJwtConfig(input?: WriteJwtConfigInput, options?: CallOptions): Promise<WriteJwtConfigReply>;
  /** Lists the names of the roles. `LIST /v1/auth/:path/role`. */
  listJwtRoles(input?: ListJwtRolesInput, options?: CallOptions): Promise<ListJwtRolesReply>;
  /** Reads a role. `GET /v1/auth/:path/role/:name`. Fails with `not_found`. */
  readJwtRole(input: ReadJwtRoleInput, options?: CallOptions): Promise<ReadJwtRoleReply>;
  /**
   * Creates a role, or updates the given fields of an existing one.
   * `POST /v1/auth/:path/role/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeJwtRole(input: WriteJwtRoleInput, options?: CallOptions): Promise<WriteJwtRoleReply>;
  /**
   * Deletes a role. Existing tokens stay valid until they expire, but cannot be renewed.
   * `DELETE /v1/auth/:path/role/:name`.
   */
  deleteJwtRole(input: DeleteJwtRoleInput, options?: CallOptions): Promise<DeleteJwtRoleReply>;
  /**
   * Logs in with a service account token.
   * `POST /v1/auth/:path/login`. Needs no token. Fails with `malformed`, `forbidden`, `busy`.
   */
  loginKubernetes(
    input?: LoginKubernetesInput,
    options?: CallOptions,
  ): Promise<LoginKubernetesReply>;
  /**
   * Returns the configuration of the login method, with which it verifies service account tokens.
   * `GET /v1/auth/:path/config`. Fails with `not_found`.
   */
  readKubernetesConfig(
    input?: ReadKubernetesConfigInput,
    options?: CallOptions,
  ): Promise<ReadKubernetesConfigReply>;
  /**
   * Configures how the method verifies service account tokens: with public keys, never with the
   * TokenReview API. Keys at a URL are fetched immediately; if that fails, nothing is stored.
   * `POST /v1/auth/:path/config`. Fails with `malformed`, `bad_key`.
   */
  writeKubernetesConfig(
    input?: WriteKubernetesConfigInput,
    options?: CallOptions,
  ): Promise<WriteKubernetesConfigReply>;
  /** Lists the names of the roles. `LIST /v1/auth/:path/role`. */
  listKubernetesRoles(
    input?: ListKubernetesRolesInput,
    options?: CallOptions,
  ): Promise<ListKubernetesRolesReply>;
  /** Reads a role. `GET /v1/auth/:path/role/:name`. Fails with `not_found`. */
  readKubernetesRole(
    input: ReadKubernetesRoleInput,
    options?: CallOptions,
  ): Promise<ReadKubernetesRoleReply>;
  /**
   * Creates a role, or updates the given fields of an existing one.
   * `POST /v1/auth/:path/role/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeKubernetesRole(
    input: WriteKubernetesRoleInput,
    options?: CallOptions,
  ): Promise<WriteKubernetesRoleReply>;
  /**
   * Deletes a role. Existing tokens stay valid until they expire, but cannot be renewed.
   * `DELETE /v1/auth/:path/role/:name`.
   */
  deleteKubernetesRole(
    input: DeleteKubernetesRoleInput,
    options?: CallOptions,
  ): Promise<DeleteKubernetesRoleReply>;
  /**
   * Logs in with a password; the token is returned in `auth`. Five failures in a row lock the user
   * for 15 minutes.
   * `POST /v1/auth/:path/login/:username`. Needs no token. Fails with `malformed`, `forbidden`,
   * `busy`.
   */
  loginUser(input: LoginUserInput, options?: CallOptions): Promise<LoginUserReply>;
  /** Lists the names of the users. `LIST /v1/auth/:path/users`. */
  listUsers(input?: ListUsersInput, options?: CallOptions): Promise<ListUsersReply>;
  /** Reads a user. `GET /v1/auth/:path/users/:username`. Fails with `not_found`. */
  readUser(input: ReadUserInput, options?: CallOptions): Promise<ReadUserReply>;
  /**
   * Creates a user, or updates the given fields of an existing one.
   * `POST /v1/auth/:path/users/:username`. Fails with `malformed`, `invalid_field`.
   */
  writeUser(input: WriteUserInput, options?: CallOptions): Promise<WriteUserReply>;
  /**
   * Deletes a user. Existing tokens stay valid until they expire, but cannot be renewed.
   * `DELETE /v1/auth/:path/users/:username`.
   */
  deleteLoginUser(
    input: DeleteLoginUserInput,
    options?: CallOptions,
  ): Promise<DeleteLoginUserReply>;
  /**
   * Sets the password of a user and unlocks the user.
   * `POST /v1/auth/:path/users/:username/password`. Fails with `malformed`.
   */
  writePassword(input: WritePasswordInput, options?: CallOptions): Promise<WritePasswordReply>;
  /**
   * Sets the policies of a user.
   * `POST /v1/auth/:path/users/:username/policies`. Fails with `malformed`.
   */
  writeUserPolicies(
    input: WriteUserPoliciesInput,
    options?: CallOptions,
  ): Promise<WriteUserPoliciesReply>;
}

export const loginAppRole: Endpoint<LoginsClient["loginAppRole"]> = "POST login open";
export const listAppRoles: Endpoint<LoginsClient["listAppRoles"]> = "LIST role";
export const readRoleId: Endpoint<LoginsClient["readRoleId"]> = "GET role/:name/role-id";
export const writeRoleId: Endpoint<LoginsClient["writeRoleId"]> = "POST role/:name/role-id";
export const makeSecretId: Endpoint<LoginsClient["makeSecretId"]> = "POST role/:name/secret-id";
export const makeCustomSecretId: Endpoint<LoginsClient["makeCustomSecretId"]> =
  "POST role/:name/custom-secret-id";
export const listSecretIds: Endpoint<LoginsClient["listSecretIds"]> = "LIST role/:name/secret-id";
export const lookupSecretId: Endpoint<LoginsClient["lookupSecretId"]> =
  "POST role/:name/secret-id/lookup";
export const lookupSecretAccessor: Endpoint<LoginsClient["lookupSecretAccessor"]> =
  "POST role/:name/secret-id-accessor/lookup";
export const destroySecretId: Endpoint<LoginsClient["destroySecretId"]> =
  "POST role/:name/secret-id/destroy";
export const destroySecretAccessor: Endpoint<LoginsClient["destroySecretAccessor"]> =
  "POST role/:name/secret-id-accessor/destroy";
export const tidySecretIds: Endpoint<LoginsClient["tidySecretIds"]> = "POST tidy/secret-id";
export const readRoleSetting: Endpoint<LoginsClient["readRoleSetting"]> = "GET role/:name/:setting";
export const writeRoleSetting: Endpoint<LoginsClient["writeRoleSetting"]> =
  "POST role/:name/:setting";
export const deleteRoleSetting: Endpoint<LoginsClient["deleteRoleSetting"]> =
  "DELETE role/:name/:setting";
export const readAppRole: Endpoint<LoginsClient["readAppRole"]> = "GET role/:name";
export const writeAppRole: Endpoint<LoginsClient["writeAppRole"]> = "POST role/:name";
export const deleteAppRole: Endpoint<LoginsClient["deleteAppRole"]> = "DELETE role/:name";
export const loginCert: Endpoint<LoginsClient["loginCert"]> = "POST login open";
export const listLoginCerts: Endpoint<LoginsClient["listLoginCerts"]> = "LIST certs";
export const readLoginCert: Endpoint<LoginsClient["readLoginCert"]> = "GET certs/:name";
export const writeLoginCert: Endpoint<LoginsClient["writeLoginCert"]> = "POST certs/:name";
export const deleteLoginCert: Endpoint<LoginsClient["deleteLoginCert"]> = "DELETE certs/:name";
export const loginJwt: Endpoint<LoginsClient["loginJwt"]> = "POST login open";
export const beginOidcLogin: Endpoint<LoginsClient["beginOidcLogin"]> = "POST oidc/auth_url open";
export const finishOidcLogin: Endpoint<LoginsClient["finishOidcLogin"]> = "GET oidc/callback open";
export const receiveOidcCode: Endpoint<LoginsClient["receiveOidcCode"]> = "POST oidc/callback open";
export const readJwtConfig: Endpoint<LoginsClient["readJwtConfig"]> = "GET config";
export const writeJwtConfig: Endpoint<LoginsClient["writeJwtConfig"]> = "POST config";
export const listJwtRoles: Endpoint<LoginsClient["listJwtRoles"]> = "LIST role";
export const readJwtRole: Endpoint<LoginsClient["readJwtRole"]> = "GET role/:name";
export const writeJwtRole: Endpoint<LoginsClient["writeJwtRole"]> = "POST role/:name";
export const deleteJwtRole: Endpoint<LoginsClient["deleteJwtRole"]> = "DELETE role/:name";
export const loginKubernetes: Endpoint<LoginsClient["loginKubernetes"]> = "POST login open";
export const readKubernetesConfig: Endpoint<LoginsClient["readKubernetesConfig"]> = "GET config";
export const writeKubernetesConfig: Endpoint<LoginsClient["writeKubernetesConfig"]> = "POST config";
export const listKubernetesRoles: Endpoint<LoginsClient["listKubernetesRoles"]> = "LIST role";
export const readKubernetesRole: Endpoint<LoginsClient["readKubernetesRole"]> = "GET role/:name";
export const writeKubernetesRole: Endpoint<LoginsClient["writeKubernetesRole"]> = "POST role/:name";
export const deleteKubernetesRole: Endpoint<LoginsClient["deleteKubernetesRole"]> =
  "DELETE role/:name";
export const loginUser: Endpoint<LoginsClient["loginUser"]> = "POST login/:username open";
export const listUsers: Endpoint<LoginsClient["listUsers"]> = "LIST users";
export const readUser: Endpoint<LoginsClient["readUser"]> = "GET users/:username";
export const writeUser: Endpoint<LoginsClient["writeUser"]> = "POST users/:username";
export const deleteLoginUser: Endpoint<LoginsClient["deleteLoginUser"]> = "DELETE users/:username";
export const writePassword: Endpoint<LoginsClient["writePassword"]> =
  "POST users/:username/password";
export const writeUserPolicies: Endpoint<LoginsClient["writeUserPolicies"]> =
  "POST users/:username/policies";
