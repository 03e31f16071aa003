// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, DerSource, Warned, Warnings } from "../../../src/client/call.ts";
import type { Endpoint } from "../endpoint.ts";

/** Settings of the tokens that a login method issues. */
export type TokenReply = {
  /** First lifetime of its tokens; 0: that of the method. Seconds. */
  readonly token_ttl: number;
  /** Longest lifetime of its tokens with renewals; 0: that of the method. Seconds. */
  readonly token_max_ttl: number;
  /** Longest lifetime that renewals cannot pass either; 0: none. Seconds. */
  readonly token_explicit_max_ttl: number;
  /** Makes tokens periodic: each renewal gives them this lifetime. Seconds. */
  readonly token_period: number;
  /** Policies of its tokens. */
  readonly token_policies: readonly string[];
  /** Address ranges (CIDR) from which to log in and use its tokens. */
  readonly token_bound_cidrs: readonly string[];
  /** Leave the policy `default` out. */
  readonly token_no_default_policy: boolean;
  /** How often a token may be used; 0: any number of times. */
  readonly token_num_uses: number;
  /** Type of its tokens; `default`: that of the method. */
  readonly token_type: "default" | "default-service" | "default-batch" | "service" | "batch";
  /** Metadata that logins give the alias of the entity, texts by name. */
  readonly alias_metadata: Readonly<Record<string, string>>;
};
/** Settings of the tokens that a login method issues. */
export type TokenFields = {
  /** First lifetime of its tokens; 0: that of the method. Seconds, or a duration such as `72h`. */
  readonly token_ttl?: number | string | undefined;
  /**
   * Longest lifetime of its tokens with renewals; 0: that of the method. Seconds, or a duration
   * such as `72h`.
   */
  readonly token_max_ttl?: number | string | undefined;
  /**
   * Longest lifetime that renewals cannot pass either; 0: none. Seconds, or a duration such as
   * `72h`.
   */
  readonly token_explicit_max_ttl?: number | string | undefined;
  /**
   * Makes tokens periodic: each renewal gives them this lifetime. Seconds, or a duration such as
   * `72h`.
   */
  readonly token_period?: number | string | undefined;
  /** Policies of its tokens. */
  readonly token_policies?: string | readonly string[] | undefined;
  /** Address ranges (CIDR) from which to log in and use its tokens. */
  readonly token_bound_cidrs?: string | readonly string[] | undefined;
  /** Leave the policy `default` out. */
  readonly token_no_default_policy?: boolean | undefined;
  /** How often a token may be used; 0: any number of times. */
  readonly token_num_uses?: number | undefined;
  /** Type of its tokens; `default`: that of the method. */
  readonly token_type?:
    | "default"
    | "default-service"
    | "default-batch"
    | "service"
    | "batch"
    | undefined;
  /** Metadata that logins give the alias of the entity, texts by name. */
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
  /** Role id of the role. */
  readonly role_id: string;
  /** A secret id of the role, where the role needs one. */
  readonly secret_id?: string | undefined;
};
export type LoginAppRoleReply = Warned | undefined;
export type ListAppRolesInput = {};
export type ListAppRolesReply = {
  /** Names, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type ReadRoleIdInput = {
  /** Name of the role. */
  readonly name: string;
};
export type ReadRoleIdReply = {
  /** What stands for the role in a login. */
  readonly role_id: string;
} & Warnings;
export type WriteRoleIdInput = {
  /** Name of the role. */
  readonly name: string;
  /** The new role id. */
  readonly role_id: string;
};
export type WriteRoleIdReply = LoginAppRoleReply;
export type MakeSecretIdInput = {
  /** Name of the role. */
  readonly name: string;
  /** JSON object of texts that logins with it carry on. */
  readonly metadata?: string | undefined;
  /** Address ranges (CIDR) from which it may be used. */
  readonly cidr_list?: string | readonly string[] | undefined;
  /** Address ranges (CIDR) from which its tokens may be used. */
  readonly token_bound_cidrs?: string | readonly string[] | undefined;
  /** How often it may be used; 0: any number of times. The role's unless sent. */
  readonly num_uses?: number | undefined;
  /** Its lifetime; 0: without end. The role's unless sent. Seconds, or a duration such as `72h`. */
  readonly ttl?: number | string | undefined;
};
export type MakeSecretIdReply = {
  /** The secret id, which is told only here. */
  readonly secret_id: string;
  /** Names the secret id where it must not stand itself. */
  readonly secret_id_accessor: string;
  /** Its lifetime, seconds; 0: without end. */
  readonly secret_id_ttl: number;
  /** How often it may be used; 0: any number of times. */
  readonly secret_id_num_uses: number;
} & Warnings;
export type MakeCustomSecretIdInput = {
  /** Name of the role. */
  readonly name: string;
  /** JSON object of texts that logins with it carry on. */
  readonly metadata?: string | undefined;
  /** Address ranges (CIDR) from which it may be used. */
  readonly cidr_list?: string | readonly string[] | undefined;
  /** Address ranges (CIDR) from which its tokens may be used. */
  readonly token_bound_cidrs?: string | readonly string[] | undefined;
  /** How often it may be used; 0: any number of times. The role's unless sent. */
  readonly num_uses?: number | undefined;
  /** Its lifetime; 0: without end. The role's unless sent. Seconds, or a duration such as `72h`. */
  readonly ttl?: number | string | undefined;
  /** The secret id. */
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
  /** The secret id. */
  readonly secret_id: string;
};
export type LookupSecretIdReply = {
  /** Names the secret id where it must not stand itself. */
  readonly secret_id_accessor: string;
  /** What logins with it carry on. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Address ranges (CIDR) from which it may be used. */
  readonly cidr_list: readonly string[];
  /** Address ranges (CIDR) from which its tokens may be used. */
  readonly token_bound_cidrs: readonly string[];
  /** Uses that are left; 0: any number. */
  readonly secret_id_num_uses: number;
  /** Lifetime that it was given, seconds; 0: without end. */
  readonly secret_id_ttl: number;
  /** When it was made, RFC 3339. */
  readonly creation_time: string;
  /** When it was last used or made, RFC 3339. */
  readonly last_updated_time: string;
  /** When it ends, RFC 3339; year 1 where it does not. */
  readonly expiration_time: string;
} & Warnings;
export type LookupSecretAccessorInput = {
  /** Name of the role. */
  readonly name: string;
  /** Accessor of the secret id. */
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
  /** The one field of the role that is meant, with hyphens for underscores. */
  readonly setting: string;
};
export type ReadRoleSettingReply = Readonly<Record<string, unknown>>;
export type WriteRoleSettingInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /** The one field of the role that is meant, with hyphens for underscores. */
  readonly setting: string;
  /** Whether a login needs a secret id. */
  readonly bind_secret_id?: boolean | undefined;
  /** Address ranges (CIDR) from which secret ids may be used. */
  readonly secret_id_bound_cidrs?: string | readonly string[] | undefined;
  /** Same as `secret_id_bound_cidrs`. */
  readonly bound_cidr_list?: string | readonly string[] | undefined;
  /** How often a secret id may be used; 0: any number of times. */
  readonly secret_id_num_uses?: number | undefined;
  /** Lifetime of secret ids; 0: without end. Seconds, or a duration such as `72h`. */
  readonly secret_id_ttl?: number | string | undefined;
  /** Set when a role is created, and not changed afterwards; no effect. */
  readonly local_secret_ids?: boolean | undefined;
};
export type WriteRoleSettingReply = LoginAppRoleReply;
export type DeleteRoleSettingInput = ReadRoleSettingInput;
export type DeleteRoleSettingReply = LoginAppRoleReply;
export type ReadAppRoleInput = ReadRoleIdInput;
export type ReadAppRoleReply = TokenReply & {
  /** Whether a login needs a secret id. */
  readonly bind_secret_id: boolean;
  /** Address ranges (CIDR) from which secret ids may be used. */
  readonly secret_id_bound_cidrs: readonly string[];
  /** How often a secret id may be used; 0: any number of times. */
  readonly secret_id_num_uses: number;
  /** Lifetime of secret ids; 0: without end. Seconds. */
  readonly secret_id_ttl: number;
  /** As set; no effect. */
  readonly local_secret_ids: boolean;
} & Warnings;
export type WriteAppRoleInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /** Whether a login needs a secret id. */
  readonly bind_secret_id?: boolean | undefined;
  /** Address ranges (CIDR) from which secret ids may be used. */
  readonly secret_id_bound_cidrs?: string | readonly string[] | undefined;
  /** Same as `secret_id_bound_cidrs`. */
  readonly bound_cidr_list?: string | readonly string[] | undefined;
  /** How often a secret id may be used; 0: any number of times. */
  readonly secret_id_num_uses?: number | undefined;
  /** Lifetime of secret ids; 0: without end. Seconds, or a duration such as `72h`. */
  readonly secret_id_ttl?: number | string | undefined;
  /** Set when a role is created, and not changed afterwards; no effect. */
  readonly local_secret_ids?: boolean | undefined;
  /** Id of the role; generated if not sent. */
  readonly role_id?: string | undefined;
};
export type WriteAppRoleReply = LoginAppRoleReply;
export type DeleteAppRoleInput = ReadRoleIdInput;
export type DeleteAppRoleReply = LoginAppRoleReply;
export type LoginCertInput = {
  /** Name of the role; the first that fits unless sent. */
  readonly name?: string | undefined;
};
export type LoginCertReply = LoginAppRoleReply;
export type ListLoginCertsInput = ListAppRolesInput;
export type ListLoginCertsReply = ListAppRolesReply;
export type ReadLoginCertInput = {
  /** Name of what is trusted. */
  readonly name: string;
};
export type ReadLoginCertReply = TokenReply & {
  /** CAs whose clients are let in, or the very certificate of one client, PEM. */
  readonly certificate: string;
  /** Name of its tokens in lists; that of the role unless set. */
  readonly display_name: string;
  /**
   * Common names, DNS names and e-mail addresses, one of which must be there. `*` stands for any
   * text.
   */
  readonly allowed_names: readonly string[];
  /** Common names, one of which must be there. `*` stands for any text. */
  readonly allowed_common_names: readonly string[];
  /** DNS names, one of which must be there. `*` stands for any text. */
  readonly allowed_dns_sans: readonly string[];
  /** E-mail addresses, one of which must be there. `*` stands for any text. */
  readonly allowed_email_sans: readonly string[];
  /** URIs, one of which must be there. `*` stands for any text. */
  readonly allowed_uri_sans: readonly string[];
  /** Organizational units, one of which must be there. `*` stands for any text. */
  readonly allowed_organizational_units: readonly string[];
  /**
   * Extensions that must be there: `<oid>:<text>`, or `hex:<oid>:<value in hexadecimal digits>`.
   */
  readonly required_extensions: readonly string[];
  /**
   * Whether responders of OCSP must call a client's certificate good, besides what was revoked
   * here.
   */
  readonly ocsp_enabled: boolean;
  /** Whether clients are let in of whom no responder says anything. */
  readonly ocsp_fail_open: boolean;
  /** Whether all responders must agree; else the first that knows decides. */
  readonly ocsp_query_all_servers: boolean;
  /** URLs of responders, asked in the place of those of the certificate. */
  readonly ocsp_servers_override: readonly string[];
  /**
   * Certificates of responders that are believed beside the issuer and those it named: PEM, or
   * base64 of PEM or of one certificate in DER.
   */
  readonly ocsp_ca_certificates: string;
  /** Most seconds since an answer was brought up to date; 0: any. */
  readonly ocsp_this_update_max_age: number;
  /** How often a responder that does not answer is asked again, 10 times at most. */
  readonly ocsp_max_retries: number;
} & Warnings;
export type WriteLoginCertInput = TokenFields & {
  /** Name of what is trusted. */
  readonly name: string;
  /** CAs whose clients are let in, or the very certificate of one client, PEM. */
  readonly certificate?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** Name of its tokens in lists; that of the role unless set. */
  readonly display_name?: string | undefined;
  /**
   * Common names, DNS names and e-mail addresses, one of which must be there. `*` stands for any
   * text.
   */
  readonly allowed_names?: string | readonly string[] | undefined;
  /** Common names, one of which must be there. `*` stands for any text. */
  readonly allowed_common_names?: string | readonly string[] | undefined;
  /** DNS names, one of which must be there. `*` stands for any text. */
  readonly allowed_dns_sans?: string | readonly string[] | undefined;
  /** E-mail addresses, one of which must be there. `*` stands for any text. */
  readonly allowed_email_sans?: string | readonly string[] | undefined;
  /** URIs, one of which must be there. `*` stands for any text. */
  readonly allowed_uri_sans?: string | readonly string[] | undefined;
  /** Organizational units, one of which must be there. `*` stands for any text. */
  readonly allowed_organizational_units?: string | readonly string[] | undefined;
  /**
   * Extensions that must be there: `<oid>:<text>`, or `hex:<oid>:<value in hexadecimal digits>`.
   */
  readonly required_extensions?: string | readonly string[] | undefined;
  /**
   * Whether responders of OCSP must call a client's certificate good, besides what was revoked
   * here.
   */
  readonly ocsp_enabled?: boolean | undefined;
  /** Whether clients are let in of whom no responder says anything. */
  readonly ocsp_fail_open?: boolean | undefined;
  /** Whether all responders must agree; else the first that knows decides. */
  readonly ocsp_query_all_servers?: boolean | undefined;
  /** URLs of responders, asked in the place of those of the certificate. */
  readonly ocsp_servers_override?: string | readonly string[] | undefined;
  /**
   * Certificates of responders that are believed beside the issuer and those it named: PEM, or
   * base64 of PEM or of one certificate in DER.
   */
  readonly ocsp_ca_certificates?: string | undefined;
  /**
   * Most seconds since an answer was brought up to date; 0: any. Seconds, or a duration such as
   * `72h`.
   */
  readonly ocsp_this_update_max_age?: number | string | undefined;
  /** How often a responder that does not answer is asked again, 10 times at most. */
  readonly ocsp_max_retries?: number | undefined;
};
export type WriteLoginCertReply = LoginAppRoleReply;
export type DeleteLoginCertInput = ReadLoginCertInput;
export type DeleteLoginCertReply = LoginAppRoleReply;
export type LoginJwtInput = {
  /** Name of the role; `default_role` of the configuration unless sent. */
  readonly role?: string | undefined;
  /** The signed token. */
  readonly jwt?: string | undefined;
};
export type LoginJwtReply = LoginAppRoleReply;
export type ReadJwtConfigInput = ListAppRolesInput;
export type ReadJwtConfigReply = {
  /** Issuer that tells its keys by OpenID Connect Discovery. */
  readonly oidc_discovery_url: string;
  /** CA that its server is trusted by, PEM. */
  readonly oidc_discovery_ca_pem: string;
  /** As set; no effect. */
  readonly oidc_client_id: string;
  /** URL of a set of keys. */
  readonly jwks_url: string;
  /** CA that its server is trusted by, PEM. */
  readonly jwks_ca_pem: string;
  /** Pinned keys, PEM. */
  readonly jwt_validation_pubkeys: readonly string[];
  /** Algorithms that are taken; empty: all that verify. */
  readonly jwt_supported_algs: readonly string[];
  /** Issuer that tokens must name. */
  readonly bound_issuer: string;
  /** Role of logins that name none. */
  readonly default_role: string;
  /** Of the browser flow, which is not offered; no effect. */
  readonly oidc_response_mode: string;
  /** Of the browser flow, which is not offered; no effect. */
  readonly oidc_response_types: readonly string[];
  /** Of the browser flow, which is not offered; no effect. */
  readonly provider_config?: Readonly<Record<string, unknown>>;
  /** Of the browser flow, which is not offered; no effect. */
  readonly namespace_in_state: boolean;
} & Warnings;
export type WriteJwtConfigInput = {
  /**
   * Issuer, https, that tells its keys by OpenID Connect Discovery; tokens must name it unless
   * `bound_issuer` says otherwise.
   */
  readonly oidc_discovery_url?: string | undefined;
  /**
   * CA, PEM, that its server is trusted by, which may then have a private address; empty: those of
   * the platform.
   */
  readonly oidc_discovery_ca_pem?: string | undefined;
  /** Stored and returned; no effect. */
  readonly oidc_client_id?: string | undefined;
  /** Of the browser flow, which is not offered: not stored. */
  readonly oidc_client_secret?: string | undefined;
  /** URL, https, of a set of keys (JWKS). */
  readonly jwks_url?: string | undefined;
  /**
   * CA, PEM, that its server is trusted by, which may then have a private address; empty: those of
   * the platform.
   */
  readonly jwks_ca_pem?: string | undefined;
  /** Keys, each a PEM block PUBLIC KEY or CERTIFICATE, that need no server. */
  readonly jwt_validation_pubkeys?: string | readonly string[] | undefined;
  /** Algorithms that are taken; empty: all that verify. */
  readonly jwt_supported_algs?: string | readonly string[] | undefined;
  /** Issuer (`iss`) that tokens must name. */
  readonly bound_issuer?: string | undefined;
  /** Role of logins that name none. */
  readonly default_role?: string | undefined;
  /** Of the browser flow, which is not offered; no effect. */
  readonly oidc_response_mode?: string | undefined;
  /** Of the browser flow, which is not offered; no effect. */
  readonly oidc_response_types?: string | readonly string[] | undefined;
  /** Of the browser flow, which is not offered; no effect. */
  readonly provider_config?: Readonly<Record<string, unknown>> | undefined;
  /** Of the browser flow, which is not offered; no effect. Default: `true`. */
  readonly namespace_in_state?: boolean | undefined;
};
export type WriteJwtConfigReply = LoginAppRoleReply;
export type ListJwtRolesInput = ListAppRolesInput;
export type ListJwtRolesReply = ListAppRolesReply;
export type ReadJwtRoleInput = ReadRoleIdInput;
export type ReadJwtRoleReply = TokenReply & {
  /** Always `jwt`: the browser flow of `oidc` is not offered. */
  readonly role_type: "jwt";
  /** Claim that names the user. */
  readonly user_claim: string;
  /** Whether `user_claim` is a JSON pointer. */
  readonly user_claim_json_pointer: boolean;
  /** Audiences, one of which a token must be for where it names any. */
  readonly bound_audiences: readonly string[];
  /** Subject (`sub`) that tokens must have. */
  readonly bound_subject: string;
  /**
   * Claims, by name or JSON pointer, that tokens must have: a value, or a list of values one of
   * which will do.
   */
  readonly bound_claims: Readonly<Record<string, unknown>>;
  /** `string`, or `glob`: texts of `bound_claims` may hold `*`. */
  readonly bound_claims_type: "string" | "glob";
  /** Claim, by name or JSON pointer, that lists the names of groups. */
  readonly groups_claim: string;
  /** Claims, by name or JSON pointer, and the metadata that they become. */
  readonly claim_mappings: Readonly<Record<string, unknown>>;
  /** Lifetime of tokens without `exp`; 0: 150 seconds, below 0: none. */
  readonly expiration_leeway: number;
  /**
   * How long before `exp` a token without `nbf` and `iat` becomes valid; 0: 150 seconds, below 0:
   * at `exp`.
   */
  readonly not_before_leeway: number;
  /** How far clocks may differ; 0: 60 seconds, below 0: not at all. */
  readonly clock_skew_leeway: number;
  /** Longest time since `auth_time`; 0: any, also without that claim. Seconds. */
  readonly max_age: number;
  /** As set; no effect. */
  readonly oidc_scopes: readonly string[];
  /** As set; no effect. */
  readonly allowed_redirect_uris: readonly string[];
  /** As set; no effect. */
  readonly verbose_oidc_logging: boolean;
} & Warnings;
export type WriteJwtRoleInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /** Always `jwt`: the browser flow of `oidc` is not offered. */
  readonly role_type?: "jwt" | undefined;
  /** Claim that names the user. */
  readonly user_claim?: string | undefined;
  /** Whether `user_claim` is a JSON pointer. */
  readonly user_claim_json_pointer?: boolean | undefined;
  /** Audiences, one of which a token must be for where it names any. */
  readonly bound_audiences?: string | readonly string[] | undefined;
  /** Subject (`sub`) that tokens must have. */
  readonly bound_subject?: string | undefined;
  /**
   * Claims, by name or JSON pointer, that tokens must have: a value, or a list of values one of
   * which will do.
   */
  readonly bound_claims?: Readonly<Record<string, unknown>> | undefined;
  /** `string`, or `glob`: texts of `bound_claims` may hold `*`. */
  readonly bound_claims_type?: "string" | "glob" | undefined;
  /** Claim, by name or JSON pointer, that lists the names of groups. */
  readonly groups_claim?: string | undefined;
  /** Claims, by name or JSON pointer, and the metadata that they become. */
  readonly claim_mappings?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Lifetime of tokens without `exp`; 0: 150 seconds, below 0: none. Seconds, or a duration such as
   * `72h`.
   */
  readonly expiration_leeway?: number | string | undefined;
  /**
   * How long before `exp` a token without `nbf` and `iat` becomes valid; 0: 150 seconds, below 0:
   * at `exp`. Seconds, or a duration such as `72h`.
   */
  readonly not_before_leeway?: number | string | undefined;
  /**
   * How far clocks may differ; 0: 60 seconds, below 0: not at all. Seconds, or a duration such as
   * `72h`.
   */
  readonly clock_skew_leeway?: number | string | undefined;
  /**
   * Longest time since `auth_time`; 0: any, also without that claim. Seconds, or a duration such as
   * `72h`.
   */
  readonly max_age?: number | string | undefined;
  /** As set; no effect. */
  readonly oidc_scopes?: string | readonly string[] | undefined;
  /** As set; no effect. */
  readonly allowed_redirect_uris?: string | readonly string[] | undefined;
  /** As set; no effect. */
  readonly verbose_oidc_logging?: boolean | undefined;
};
export type WriteJwtRoleReply = LoginAppRoleReply;
export type DeleteJwtRoleInput = ReadRoleIdInput;
export type DeleteJwtRoleReply = LoginAppRoleReply;
export type LoginKubernetesInput = {
  /** Name of the role. */
  readonly role?: string | undefined;
  /** Token of the service account. */
  readonly jwt?: string | undefined;
};
export type LoginKubernetesReply = LoginAppRoleReply;
export type ReadKubernetesConfigInput = ListAppRolesInput;
export type ReadKubernetesConfigReply = {
  /** Address of the cluster's API server. */
  readonly kubernetes_host: string;
  /** CA that it is trusted by, PEM. */
  readonly kubernetes_ca_cert: string;
  /** Pinned keys, PEM. */
  readonly pem_keys: readonly string[];
  /** URL of a set of keys. */
  readonly jwks_url: string;
  /** CA that its server is trusted by, PEM. */
  readonly jwks_ca_pem: string;
  /** Issuer that tokens must name; empty: `kubernetes/serviceaccount`. */
  readonly issuer: string;
  /** Whether the issuer of tokens is left unjudged. */
  readonly disable_iss_validation: boolean;
  /** As set; no effect. */
  readonly disable_local_ca_jwt: boolean;
  /** Always false. */
  readonly token_reviewer_jwt_set: boolean;
  /** Always false. */
  readonly use_annotations_as_alias_metadata: boolean;
} & Warnings;
export type WriteKubernetesConfigInput = {
  /**
   * Address, https, of the cluster's API server, which is asked for its keys unless they are set
   * otherwise.
   */
  readonly kubernetes_host?: string | undefined;
  /**
   * CA, PEM, that the API server is trusted by, which may then have a private address; empty: those
   * of the platform.
   */
  readonly kubernetes_ca_cert?: string | undefined;
  /** Keys, each a PEM block PUBLIC KEY or CERTIFICATE. */
  readonly pem_keys?: string | readonly string[] | undefined;
  /** URL, https, of a set of keys (JWKS). */
  readonly jwks_url?: string | undefined;
  /** CA, PEM, that the server of `jwks_url` is trusted by. */
  readonly jwks_ca_pem?: string | undefined;
  /**
   * Issuer that tokens must name where `disable_iss_validation` is false; empty:
   * `kubernetes/serviceaccount`.
   */
  readonly issuer?: string | undefined;
  /** Leave the issuer of tokens unjudged. Default: `true`. */
  readonly disable_iss_validation?: boolean | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly disable_local_ca_jwt?: boolean | undefined;
  /** Not stored: tokens are verified by keys. */
  readonly token_reviewer_jwt?: string | undefined;
  /** Not offered. Default: `false`. */
  readonly use_annotations_as_alias_metadata?: boolean | undefined;
};
export type WriteKubernetesConfigReply = LoginAppRoleReply;
export type ListKubernetesRolesInput = ListAppRolesInput;
export type ListKubernetesRolesReply = ListAppRolesReply;
export type ReadKubernetesRoleInput = ReadRoleIdInput;
export type ReadKubernetesRoleReply = TokenReply & {
  /** Names of service accounts; `*` stands for any characters. */
  readonly bound_service_account_names: readonly string[];
  /** Namespaces of service accounts; `*` stands for any characters. */
  readonly bound_service_account_namespaces: readonly string[];
  /** Not offered: tokens do not tell the labels of namespaces. */
  readonly bound_service_account_namespace_selector: string;
  /** Audience that tokens must be for; empty: any. */
  readonly audience: string;
  /** What names the entity: `serviceaccount_uid`, or `serviceaccount_name` with its namespace. */
  readonly alias_name_source: "serviceaccount_uid" | "serviceaccount_name";
} & Warnings;
export type WriteKubernetesRoleInput = TokenFields & {
  /** Name of the role. */
  readonly name: string;
  /** Names of service accounts; `*` stands for any characters. */
  readonly bound_service_account_names?: string | readonly string[] | undefined;
  /** Namespaces of service accounts; `*` stands for any characters. */
  readonly bound_service_account_namespaces?: string | readonly string[] | undefined;
  /** Not offered: tokens do not tell the labels of namespaces. */
  readonly bound_service_account_namespace_selector?: string | undefined;
  /** Audience that tokens must be for; empty: any. */
  readonly audience?: string | undefined;
  /** What names the entity: `serviceaccount_uid`, or `serviceaccount_name` with its namespace. */
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
export type ListUsersReply = ListAppRolesReply;
export type ReadUserInput = {
  /** Name of the user. */
  readonly username: string;
};
export type ReadUserReply = TokenReply & Warnings;
export type WriteUserInput = TokenFields & {
  /** Name of the user. */
  readonly username: string;
  /** The password; a new user needs it or `password_hash`. */
  readonly password?: string | undefined;
  /**
   * A bcrypt hash of the password instead: `$2a$`, `$2b$` or `$2y$`, cost 4 to 10. The first login
   * replaces it by a hash of our own.
   */
  readonly password_hash?: string | undefined;
};
export type WriteUserReply = LoginAppRoleReply;
export type DeleteLoginUserInput = ReadUserInput;
export type DeleteLoginUserReply = LoginAppRoleReply;
export type WritePasswordInput = {
  /** Name of the user. */
  readonly username: string;
  /** The password; or send `password_hash`. */
  readonly password?: string | undefined;
  /**
   * A bcrypt hash of the password instead: `$2a$`, `$2b$` or `$2y$`, cost 4 to 10. The first login
   * replaces it by a hash of our own.
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
   * Logs in with a role id and a secret id; the token stands in `auth`.
   * `POST /v1/auth/:path/login`. Needs no token. Fails with `malformed`, `forbidden`.
   */
  loginAppRole(input: LoginAppRoleInput, options?: CallOptions): Promise<LoginAppRoleReply>;
  /** Lists the names of the roles. `LIST /v1/auth/:path/role`. */
  listAppRoles(input?: ListAppRolesInput, options?: CallOptions): Promise<ListAppRolesReply>;
  /**
   * Reads the role id of a role.
   * `GET /v1/auth/:path/role/:name/role-id`. Fails with `not_found`.
   */
  readRoleId(input: ReadRoleIdInput, options?: CallOptions): Promise<ReadRoleIdReply>;
  /**
   * Replaces the role id of a role.
   * `POST /v1/auth/:path/role/:name/role-id`. Fails with `malformed`.
   */
  writeRoleId(input: WriteRoleIdInput, options?: CallOptions): Promise<WriteRoleIdReply>;
  /**
   * Makes a secret id for a role.
   * `POST /v1/auth/:path/role/:name/secret-id`. Fails with `malformed`, `invalid_field`.
   */
  makeSecretId(input: MakeSecretIdInput, options?: CallOptions): Promise<MakeSecretIdReply>;
  /**
   * Gives a role a secret id whose text is chosen.
   * `POST /v1/auth/:path/role/:name/custom-secret-id`. Fails with `malformed`, `invalid_field`.
   */
  makeCustomSecretId(
    input: MakeCustomSecretIdInput,
    options?: CallOptions,
  ): Promise<MakeCustomSecretIdReply>;
  /**
   * Lists the accessors of a role's secret ids.
   * `LIST /v1/auth/:path/role/:name/secret-id`. Fails with `malformed`.
   */
  listSecretIds(input: ListSecretIdsInput, options?: CallOptions): Promise<ListSecretIdsReply>;
  /**
   * Returns the properties of a secret id.
   * `POST /v1/auth/:path/role/:name/secret-id/lookup`. Fails with `malformed`, `unknown_app_role`.
   */
  lookupSecretId(input: LookupSecretIdInput, options?: CallOptions): Promise<LookupSecretIdReply>;
  /**
   * Returns the properties of the secret id that an accessor names.
   * `POST /v1/auth/:path/role/:name/secret-id-accessor/lookup`. Fails with `malformed`,
   * `unknown_app_role`, `not_found`.
   */
  lookupSecretAccessor(
    input: LookupSecretAccessorInput,
    options?: CallOptions,
  ): Promise<LookupSecretAccessorReply>;
  /**
   * Removes a secret id.
   * `POST /v1/auth/:path/role/:name/secret-id/destroy`, `DELETE
   * /v1/auth/:path/role/:name/secret-id/destroy`. Fails with `malformed`, `unknown_app_role`.
   */
  destroySecretId(
    input: DestroySecretIdInput,
    options?: CallOptions,
  ): Promise<DestroySecretIdReply>;
  /**
   * Removes the secret id that an accessor names.
   * `POST /v1/auth/:path/role/:name/secret-id-accessor/destroy`, `DELETE
   * /v1/auth/:path/role/:name/secret-id-accessor/destroy`. Fails with `malformed`,
   * `unknown_app_role`.
   */
  destroySecretAccessor(
    input: DestroySecretAccessorInput,
    options?: CallOptions,
  ): Promise<DestroySecretAccessorReply>;
  /**
   * Removes secret ids that have ended, which a job does of itself too.
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
   * Changes one field of a role; `local_secret_ids` keeps the value that the role was created with.
   * `POST /v1/auth/:path/role/:name/:setting`. Fails with `malformed`, `invalid_field`.
   */
  writeRoleSetting(
    input: WriteRoleSettingInput,
    options?: CallOptions,
  ): Promise<WriteRoleSettingReply>;
  /**
   * Gives one field of a role its default; refused where that would change `local_secret_ids`.
   * `DELETE /v1/auth/:path/role/:name/:setting`. Fails with `malformed`.
   */
  deleteRoleSetting(
    input: DeleteRoleSettingInput,
    options?: CallOptions,
  ): Promise<DeleteRoleSettingReply>;
  /** Reads a role. `GET /v1/auth/:path/role/:name`. Fails with `not_found`. */
  readAppRole(input: ReadAppRoleInput, options?: CallOptions): Promise<ReadAppRoleReply>;
  /**
   * Creates a role, or changes the fields of one that are sent.
   * `POST /v1/auth/:path/role/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeAppRole(input: WriteAppRoleInput, options?: CallOptions): Promise<WriteAppRoleReply>;
  /**
   * Deletes a role with its secret ids. Tokens that were made by it live until they end, and are
   * not renewed.
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
   * Creates a role, or changes the fields of one that are sent.
   * `POST /v1/auth/:path/certs/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeLoginCert(input: WriteLoginCertInput, options?: CallOptions): Promise<WriteLoginCertReply>;
  /**
   * Deletes a role. Tokens that were made by it live until they end, and are not renewed.
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
   * Returns how the method knows those who sign tokens.
   * `GET /v1/auth/:path/config`. Fails with `not_found`.
   */
  readJwtConfig(input?: ReadJwtConfigInput, options?: CallOptions): Promise<ReadJwtConfigReply>;
  /**
   * Sets how the method knows those who sign tokens. Keys by URL are asked for at once; where they
   * cannot be read, nothing is stored.
   * `POST /v1/auth/:path/config`. Fails with `malformed`, `bad_key`.
   */
  writeJwtConfig(input?: WriteJwtConfigInput, options?: CallOptions): Promise<WriteJwtConfigReply>;
  /** Lists the names of the roles. `LIST /v1/auth/:path/role`. */
  listJwtRoles(input?: ListJwtRolesInput, options?: CallOptions): Promise<ListJwtRolesReply>;
  /** Reads a role. `GET /v1/auth/:path/role/:name`. Fails with `not_found`. */
  readJwtRole(input: ReadJwtRoleInput, options?: CallOptions): Promise<ReadJwtRoleReply>;
  /**
   * Creates a role, or changes the fields of one that are sent.
   * `POST /v1/auth/:path/role/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeJwtRole(input: WriteJwtRoleInput, options?: CallOptions): Promise<WriteJwtRoleReply>;
  /**
   * Deletes a role. Tokens that were made by it live until they end, and are not renewed.
   * `DELETE /v1/auth/:path/role/:name`.
   */
  deleteJwtRole(input: DeleteJwtRoleInput, options?: CallOptions): Promise<DeleteJwtRoleReply>;
  /**
   * Logs in with the token of a service account.
   * `POST /v1/auth/:path/login`. Needs no token. Fails with `malformed`, `forbidden`, `busy`.
   */
  loginKubernetes(
    input?: LoginKubernetesInput,
    options?: CallOptions,
  ): Promise<LoginKubernetesReply>;
  /**
   * Returns how the method knows the tokens of a cluster's service accounts.
   * `GET /v1/auth/:path/config`. Fails with `not_found`.
   */
  readKubernetesConfig(
    input?: ReadKubernetesConfigInput,
    options?: CallOptions,
  ): Promise<ReadKubernetesConfigReply>;
  /**
   * Sets how the method knows the tokens of a cluster's service accounts: by keys, never by review.
   * Keys by URL are asked for at once; where they cannot be read, nothing is stored.
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
   * Creates a role, or changes the fields of one that are sent.
   * `POST /v1/auth/:path/role/:name`. Fails with `malformed`, `invalid_field`.
   */
  writeKubernetesRole(
    input: WriteKubernetesRoleInput,
    options?: CallOptions,
  ): Promise<WriteKubernetesRoleReply>;
  /**
   * Deletes a role. Tokens that were made by it live until they end, and are not renewed.
   * `DELETE /v1/auth/:path/role/:name`.
   */
  deleteKubernetesRole(
    input: DeleteKubernetesRoleInput,
    options?: CallOptions,
  ): Promise<DeleteKubernetesRoleReply>;
  /**
   * Logs in with a password; the token stands in `auth`. Five failures in a row lock a user for 15
   * minutes.
   * `POST /v1/auth/:path/login/:username`. Needs no token. Fails with `malformed`, `forbidden`,
   * `busy`.
   */
  loginUser(input: LoginUserInput, options?: CallOptions): Promise<LoginUserReply>;
  /** Lists the names of the users. `LIST /v1/auth/:path/users`. */
  listUsers(input?: ListUsersInput, options?: CallOptions): Promise<ListUsersReply>;
  /** Reads a user. `GET /v1/auth/:path/users/:username`. Fails with `not_found`. */
  readUser(input: ReadUserInput, options?: CallOptions): Promise<ReadUserReply>;
  /**
   * Creates a user, or changes the fields of one that are sent.
   * `POST /v1/auth/:path/users/:username`. Fails with `malformed`, `invalid_field`.
   */
  writeUser(input: WriteUserInput, options?: CallOptions): Promise<WriteUserReply>;
  /**
   * Deletes a user. Tokens that the user has live until they end, and are not renewed.
   * `DELETE /v1/auth/:path/users/:username`.
   */
  deleteLoginUser(
    input: DeleteLoginUserInput,
    options?: CallOptions,
  ): Promise<DeleteLoginUserReply>;
  /**
   * Sets the password of a user, and unlocks the user.
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

export const loginAppRole: Endpoint<LoginsClient["loginAppRole"]> = "POST login";
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
export const loginCert: Endpoint<LoginsClient["loginCert"]> = "POST login";
export const listLoginCerts: Endpoint<LoginsClient["listLoginCerts"]> = "LIST certs";
export const readLoginCert: Endpoint<LoginsClient["readLoginCert"]> = "GET certs/:name";
export const writeLoginCert: Endpoint<LoginsClient["writeLoginCert"]> = "POST certs/:name";
export const deleteLoginCert: Endpoint<LoginsClient["deleteLoginCert"]> = "DELETE certs/:name";
export const loginJwt: Endpoint<LoginsClient["loginJwt"]> = "POST login";
export const readJwtConfig: Endpoint<LoginsClient["readJwtConfig"]> = "GET config";
export const writeJwtConfig: Endpoint<LoginsClient["writeJwtConfig"]> = "POST config";
export const listJwtRoles: Endpoint<LoginsClient["listJwtRoles"]> = "LIST role";
export const readJwtRole: Endpoint<LoginsClient["readJwtRole"]> = "GET role/:name";
export const writeJwtRole: Endpoint<LoginsClient["writeJwtRole"]> = "POST role/:name";
export const deleteJwtRole: Endpoint<LoginsClient["deleteJwtRole"]> = "DELETE role/:name";
export const loginKubernetes: Endpoint<LoginsClient["loginKubernetes"]> = "POST login";
export const readKubernetesConfig: Endpoint<LoginsClient["readKubernetesConfig"]> = "GET config";
export const writeKubernetesConfig: Endpoint<LoginsClient["writeKubernetesConfig"]> = "POST config";
export const listKubernetesRoles: Endpoint<LoginsClient["listKubernetesRoles"]> = "LIST role";
export const readKubernetesRole: Endpoint<LoginsClient["readKubernetesRole"]> = "GET role/:name";
export const writeKubernetesRole: Endpoint<LoginsClient["writeKubernetesRole"]> = "POST role/:name";
export const deleteKubernetesRole: Endpoint<LoginsClient["deleteKubernetesRole"]> =
  "DELETE role/:name";
export const loginUser: Endpoint<LoginsClient["loginUser"]> = "POST login/:username";
export const listUsers: Endpoint<LoginsClient["listUsers"]> = "LIST users";
export const readUser: Endpoint<LoginsClient["readUser"]> = "GET users/:username";
export const writeUser: Endpoint<LoginsClient["writeUser"]> = "POST users/:username";
export const deleteLoginUser: Endpoint<LoginsClient["deleteLoginUser"]> = "DELETE users/:username";
export const writePassword: Endpoint<LoginsClient["writePassword"]> =
  "POST users/:username/password";
export const writeUserPolicies: Endpoint<LoginsClient["writeUserPolicies"]> =
  "POST users/:username/policies";
