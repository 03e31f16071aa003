import type { LoginType } from "../../../src/auth/types/table.ts";
import type * as logins from "../../api/endpoints/logins.ts";
import { redirectUri } from "../../api/oidc-sign-in.ts";
import type { SettingField } from "../../lib/settings.ts";
import { names, tokenFields, words, type FieldOf } from "./token-fields.ts";
import {
  appRoles,
  jwtConfig,
  jwtRoles,
  kubernetesConfig,
  kubernetesRoles,
  loginCerts,
  users,
  type ConfigCalls,
  type PrincipalCalls,
  type TuneName,
} from "./login-calls.ts";

/** The settings that the console offers for a type of login method. */
export interface MethodFields {
  readonly title: string;
  /** The trust settings. Until they are set, nobody can log in. */
  readonly config?: MethodConfig;
  readonly principals: PrincipalCalls;
  /** The noun for a principal, in singular and plural. */
  readonly one: string;
  readonly many: string;
  readonly fields: readonly SettingField<string>[];
  /** A verb phrase that states how people sign in as a principal: `signs in with …`. */
  readonly signsIn?: string;
  /** Fields with fixed values, which are sent for every new principal. */
  readonly fixed?: object;
}

/** The trust settings of a login method type. */
export interface MethodConfig {
  readonly calls: ConfigCalls;
  readonly fields: readonly SettingField<string>[];
  /**
   * Names of settings without a form field. They are sent unchanged, because a write replaces the
   * whole configuration.
   */
  readonly unchanged: readonly string[];
  /** The redirect URI of this page, which the provider must allow. */
  readonly redirectUri?: string;
}

const userpassFields: readonly FieldOf<logins.WriteUserInput>[] = [
  {
    name: "password",
    label: "Password",
    kind: "secret",
    hint: "Not shown again. Leave empty to keep the current password.",
    newHint: "Not shown again.",
  },
  ...tokenFields,
];

const userpass: MethodFields = {
  title: "User name and password",
  principals: users,
  one: "user",
  many: "Users",
  signsIn: "signs in with this user name and the password",
  fields: userpassFields,
};

const approleFields: readonly FieldOf<logins.WriteAppRoleInput>[] = [
  ...tokenFields,
  {
    name: "secret_id_ttl",
    label: "Secret ID lifetime",
    kind: "seconds",
    blank: "90d",
    hint: "If empty, secret IDs never expire.",
  },
  {
    name: "secret_id_num_uses",
    label: "Secret ID uses",
    kind: "count",
    hint: "Maximum number of logins with a secret ID. If empty, unlimited.",
  },
  words("secret_id_bound_cidrs", "Networks allowed for secret IDs", "One CIDR block per line."),
  { name: "bind_secret_id", label: "Require a secret ID", kind: "flag", blank: true },
];

const approle: MethodFields = {
  title: "AppRole: an ID and a secret for programs",
  principals: appRoles,
  one: "role",
  many: "Roles",
  fields: approleFields,
};

type JwtConfigField = FieldOf<logins.WriteJwtConfigInput>;

/** The requirements for the URL of a provider. */
const reachable =
  "An https URL that this server can reach. A private address requires CA certificates below, or ACME_PRIVATE_NETWORKS of the server. Loopback and link-local addresses are never contacted.";

const discovery: readonly JwtConfigField[] = [
  {
    name: "oidc_discovery_ca_pem",
    label: "CA certificates for the discovery URL",
    kind: "pem",
    hint: "PEM. If empty, the system’s CAs are trusted.",
  },
  { name: "default_role", label: "Default role", kind: "text" },
  words(
    "jwt_supported_algs",
    "Algorithms",
    "Algorithms such as ES256, one per line. If empty, all supported algorithms are accepted.",
  ),
];

const jwtTrust: readonly JwtConfigField[] = [
  {
    name: "oidc_discovery_url",
    label: "Discovery URL",
    kind: "text",
    hint: `Set exactly one source of keys: this URL, the JWKS URL or public keys. ${reachable}`,
  },
  { name: "jwks_url", label: "JWKS URL", kind: "text" },
  {
    name: "jwks_ca_pem",
    label: "CA certificates for the JWKS URL",
    kind: "pem",
    hint: "PEM. If empty, the system’s CAs are trusted.",
  },
  { name: "jwt_validation_pubkeys", label: "Public keys", kind: "pems", hint: "PEM." },
  {
    name: "bound_issuer",
    label: "Issuer",
    kind: "text",
    hint: "The iss claim must equal this value.",
  },
  ...discovery,
];

const oidcTrust: readonly JwtConfigField[] = [
  {
    name: "oidc_discovery_url",
    label: "Issuer URL",
    kind: "text",
    hint: `The discovery URL of the provider, without /.well-known/openid-configuration. ${reachable}`,
  },
  { name: "oidc_client_id", label: "Client ID", kind: "text" },
  {
    name: "oidc_client_secret",
    label: "Client secret",
    kind: "secret",
    hint: "Not shown again. Leave empty to keep the current secret, or for a public client.",
  },
  {
    name: "oidc_response_mode",
    label: "Response mode",
    kind: "choice",
    options: [
      ["", "Default: in the redirect URL"],
      ["query", "In the query string of the redirect URL"],
      ["form_post", "In a POST request (form_post)"],
    ],
    blank: "",
  },
  ...discovery,
];

const jwtFields: readonly FieldOf<logins.WriteJwtRoleInput>[] = [
  {
    name: "user_claim",
    label: "Claim that names the user",
    kind: "text",
    blank: "sub",
  },
  names("bound_audiences", "Audiences", "The aud claim must contain one of these. One per line."),
  {
    name: "bound_subject",
    label: "Subject",
    kind: "text",
    hint: "The sub claim must equal this value.",
  },
  {
    name: "bound_claims",
    label: "Required claims",
    kind: "pairs",
    hint: "name=value, one per line. Separate alternative values with commas.",
  },
  {
    name: "bound_claims_type",
    label: "Compare claim values as",
    kind: "choice",
    options: [
      ["string", "Exact"],
      ["glob", "Patterns with *"],
    ],
    blank: "string",
  },
  {
    name: "claim_mappings",
    label: "Claims stored as metadata",
    kind: "pairs",
    hint: "claim=name, one per line.",
  },
  { name: "groups_claim", label: "Claim that names groups", kind: "text" },
  ...tokenFields,
];

const jwt: MethodFields = {
  title: "JWT",
  config: {
    calls: jwtConfig,
    fields: jwtTrust,
    unchanged: ["oidc_client_id", "oidc_response_mode", "oidc_response_types"],
  },
  principals: jwtRoles,
  one: "role",
  many: "Roles",
  fixed: { role_type: "jwt" },
  fields: jwtFields,
};

const oidcFields: readonly FieldOf<logins.WriteJwtRoleInput>[] = [
  {
    name: "allowed_redirect_uris",
    label: "Redirect URIs",
    kind: "list",
    blank: redirectUri(),
    hint: "One per line. Add the URL of this page to let users sign in here; sealwright login uses http://127.0.0.1:8250/oidc/callback. The client at the provider must also allow these URIs.",
  },
  words(
    "oidc_scopes",
    "Scopes",
    "Scopes in addition to openid, for example profile and email. One per line.",
  ),
  ...jwtFields,
];

const oidc: MethodFields = {
  title: "OpenID Connect: single sign-on",
  config: {
    calls: jwtConfig,
    fields: oidcTrust,
    unchanged: [
      "jwks_url",
      "jwks_ca_pem",
      "jwt_validation_pubkeys",
      "bound_issuer",
      "oidc_response_types",
    ],
    redirectUri: redirectUri(),
  },
  principals: jwtRoles,
  one: "role",
  many: "Roles",
  fixed: { role_type: "oidc" },
  fields: oidcFields,
};

const kubernetesTrust: readonly FieldOf<logins.WriteKubernetesConfigInput>[] = [
  { name: "kubernetes_host", label: "Cluster URL", kind: "text" },
  { name: "pem_keys", label: "Public keys for service account tokens", kind: "pems", hint: "PEM." },
  { name: "jwks_url", label: "JWKS URL", kind: "text" },
  {
    name: "jwks_ca_pem",
    label: "CA certificates for the JWKS URL",
    kind: "pem",
    hint: "PEM. If empty, the system’s CAs are trusted.",
  },
  { name: "kubernetes_ca_cert", label: "Cluster CA", kind: "pem", hint: "PEM." },
  {
    name: "issuer",
    label: "Issuer",
    kind: "text",
    hint: "Default: kubernetes/serviceaccount.",
  },
  {
    name: "disable_iss_validation",
    label: "Skip issuer validation",
    kind: "flag",
    blank: true,
  },
];

const kubernetesFields: readonly FieldOf<logins.WriteKubernetesRoleInput>[] = [
  words("bound_service_account_names", "Service accounts", "One per line; * allows all."),
  words("bound_service_account_namespaces", "Namespaces", "One per line; * allows all."),
  { name: "audience", label: "Audience", kind: "text" },
  {
    name: "alias_name_source",
    label: "Alias name",
    kind: "choice",
    options: [
      ["serviceaccount_uid", "The account’s UID"],
      ["serviceaccount_name", "Namespace and name"],
    ],
    blank: "serviceaccount_uid",
  },
  ...tokenFields,
];

const kubernetes: MethodFields = {
  title: "Kubernetes service accounts",
  config: { calls: kubernetesConfig, fields: kubernetesTrust, unchanged: ["disable_local_ca_jwt"] },
  principals: kubernetesRoles,
  one: "role",
  many: "Roles",
  fields: kubernetesFields,
};

const certFields: readonly FieldOf<logins.WriteLoginCertInput>[] = [
  {
    name: "certificate",
    label: "Authority or certificate",
    kind: "pem",
    hint: "PEM. Certificates issued by this CA, or this certificate itself, can log in.",
  },
  names("allowed_names", "Names of any type"),
  names("allowed_common_names", "Common names"),
  names("allowed_dns_sans", "DNS names"),
  names("allowed_email_sans", "Email addresses"),
  names("allowed_uri_sans", "URIs"),
  names("allowed_organizational_units", "Organizational units"),
  names(
    "required_extensions",
    "Required extensions",
    "oid:text or hex:oid:value, one per line. The certificate must have all of them.",
  ),
  { name: "display_name", label: "Display name", kind: "text" },
  ...tokenFields,
];

const cert: MethodFields = {
  title: "Client certificates",
  principals: loginCerts,
  one: "trusted certificate",
  many: "Trusted certificates",
  fields: certFields,
};

const methods: Readonly<Record<LoginType, MethodFields>> = {
  userpass,
  oidc,
  approle,
  jwt,
  kubernetes,
  cert,
};
const hasForm = (type: string): type is LoginType => Object.hasOwn(methods, type);

/** The types of login methods that have a form, and their titles. */
export const supportedTypes: readonly (readonly [type: LoginType, title: string])[] = Object.keys(
  methods,
)
  .filter(hasForm)
  .map((type) => [type, methods[type].title]);

/**
 * Returns the settings for a type of login method, or undefined if there is no form for the type.
 */
export const findMethodFields = (type: string): MethodFields | undefined =>
  hasForm(type) ? methods[type] : undefined;

/** The settings common to all login methods. */
export const offerFields: readonly SettingField<TuneName>[] = [
  {
    name: "listing_visibility",
    label: "Shown before sign-in",
    kind: "choice",
    options: [
      ["", "No: users enter the path"],
      ["unauth", "Yes: to anyone who can reach this server"],
      ["hidden", "No, and hidden in mount lists"],
    ],
    blank: "",
  },
  {
    name: "token_type",
    label: "Token type",
    kind: "choice",
    options: [
      ["default-service", "Service, or as in the role"],
      ["default-batch", "Batch, or as in the role"],
      ["service", "Service, always"],
      ["batch", "Batch, always"],
    ],
    blank: "default-service",
    hint: "Batch tokens are not stored. EST requires a method that creates batch tokens.",
  },
  { name: "description", label: "Description", kind: "text" },
];
