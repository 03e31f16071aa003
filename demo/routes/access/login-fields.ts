import type { LoginType } from "../../../src/auth/types/table.ts";
import type * as logins from "../../api/endpoints/logins.ts";
import type { SettingField } from "../../lib/settings.ts";
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

/** The settings of a type of login method. */
export interface MethodFields {
  readonly title: string;
  /** The trust settings that it needs before anybody can log in. */
  readonly config?: MethodConfig;
  readonly principals: PrincipalCalls;
  /** The noun for a principal, singular and plural. */
  readonly one: string;
  readonly many: string;
  readonly fields: readonly SettingField<string>[];
  /** Sent with every new one. */
  readonly fixed?: object;
}

/** The trust settings of a type of login method. */
export interface MethodConfig {
  readonly calls: ConfigCalls;
  readonly fields: readonly SettingField<string>[];
  /** Members without a field, which are sent back unchanged because a write replaces the record. */
  readonly unchanged: readonly string[];
}

/** A field of the record that an endpoint of a login method writes. */
type FieldOf<Input> = SettingField<Exclude<Extract<keyof Input, string>, "name" | "username">>;

/** The token settings of every role and user. */
const tokenFields: readonly FieldOf<logins.TokenFields>[] = [
  { name: "token_policies", label: "Policies", kind: "names", hint: "One a line." },
  {
    name: "token_ttl",
    label: "Lifetime of a token",
    kind: "seconds",
    hint: "0s is the system’s default.",
  },
  {
    name: "token_max_ttl",
    label: "Maximum lifetime",
    kind: "seconds",
    hint: "Renewals do not go beyond it.",
  },
  { name: "token_num_uses", label: "Uses of a token", kind: "count", hint: "0 is unlimited." },
  {
    name: "token_bound_cidrs",
    label: "Only from",
    kind: "list",
    hint: "Networks such as 10.0.0.0/8, one a line.",
  },
  {
    name: "token_period",
    label: "Period",
    kind: "seconds",
    hint: "Each renewal lasts that long, without a maximum lifetime.",
  },
  {
    name: "token_type",
    label: "Kind of token",
    kind: "choice",
    options: [
      ["default", "As the method says"],
      ["service", "Service: stored, can be revoked"],
      ["batch", "Batch: stored nowhere"],
    ],
    blank: "default",
  },
  { name: "token_no_default_policy", label: "Without the policy default", kind: "flag" },
];

/** A name may have spaces: cut there, `Build *` would let everybody in. */
const names = <Name extends string>(
  name: Name,
  label: string,
  hint = "One a line; * stands for any text.",
): SettingField<Name> => ({ name, label, kind: "lines", hint });

const words = <Name extends string>(
  name: Name,
  label: string,
  hint: string,
): SettingField<Name> => ({
  name,
  label,
  kind: "list",
  hint,
});

const userpassFields: readonly FieldOf<logins.WriteUserInput>[] = [
  {
    name: "password",
    label: "Password",
    kind: "secret",
    hint: "It is never shown again. Left empty, the one that is stored stays.",
  },
  ...tokenFields,
];

const userpass: MethodFields = {
  title: "User name and password",
  principals: users,
  one: "user",
  many: "Users",
  fields: userpassFields,
};

const approleFields: readonly FieldOf<logins.WriteAppRoleInput>[] = [
  ...tokenFields,
  { name: "secret_id_ttl", label: "Lifetime of a secret id", kind: "seconds" },
  { name: "secret_id_num_uses", label: "Uses of a secret id", kind: "count" },
  words("secret_id_bound_cidrs", "Secret ids only from", "Networks, one a line."),
  { name: "bind_secret_id", label: "A secret id is needed", kind: "flag", blank: true },
];

const approle: MethodFields = {
  title: "AppRole: an id and a secret for programs",
  principals: appRoles,
  one: "role",
  many: "Roles",
  fields: approleFields,
};

const jwtTrust: readonly FieldOf<logins.WriteJwtConfigInput>[] = [
  {
    name: "oidc_discovery_url",
    label: "Discovery address",
    kind: "text",
    hint: "One source of keys only: this, key set or keys.",
  },
  { name: "jwks_url", label: "Address of the key set", kind: "text" },
  {
    name: "jwks_ca_pem",
    label: "CA of that address",
    kind: "pem",
    hint: "PEM. Empty: the usual ones.",
  },
  {
    name: "oidc_discovery_ca_pem",
    label: "CA of the discovery address",
    kind: "pem",
    hint: "PEM. Empty: the usual ones.",
  },
  { name: "jwt_validation_pubkeys", label: "Public keys", kind: "pems", hint: "PEM." },
  { name: "bound_issuer", label: "Issuer", kind: "text", hint: "The claim iss has to be this." },
  { name: "default_role", label: "Default role", kind: "text" },
  words("jwt_supported_algs", "Algorithms", "Such as ES256, one a line. Empty: all that verify."),
];

const jwtFields: readonly FieldOf<logins.WriteJwtRoleInput>[] = [
  {
    name: "user_claim",
    label: "Claim that names the user",
    kind: "text",
    blank: "sub",
  },
  names("bound_audiences", "Audiences", "One of these has to be in aud. One a line."),
  {
    name: "bound_subject",
    label: "Subject",
    kind: "text",
    hint: "The claim sub has to be this.",
  },
  {
    name: "bound_claims",
    label: "Required claims",
    kind: "pairs",
    hint: "name=value, one a line; commas between values that will do.",
  },
  {
    name: "bound_claims_type",
    label: "Values of claims are",
    kind: "choice",
    options: [
      ["string", "Exact"],
      ["glob", "Patterns with *"],
    ],
    blank: "string",
  },
  {
    name: "claim_mappings",
    label: "Claims kept as metadata",
    kind: "pairs",
    hint: "claim=name, one a line.",
  },
  { name: "groups_claim", label: "Claim that names groups", kind: "text" },
  ...tokenFields,
];

const jwt: MethodFields = {
  title: "JWT",
  config: { calls: jwtConfig, fields: jwtTrust, unchanged: ["oidc_client_id"] },
  principals: jwtRoles,
  one: "role",
  many: "Roles",
  fixed: { role_type: "jwt" },
  fields: jwtFields,
};

const kubernetesTrust: readonly FieldOf<logins.WriteKubernetesConfigInput>[] = [
  { name: "kubernetes_host", label: "Address of the cluster", kind: "text" },
  { name: "pem_keys", label: "Public keys of the cluster", kind: "pems", hint: "PEM." },
  { name: "jwks_url", label: "Address of the key set", kind: "text" },
  {
    name: "jwks_ca_pem",
    label: "CA of that address",
    kind: "pem",
    hint: "PEM. Empty: the usual ones.",
  },
  { name: "kubernetes_ca_cert", label: "CA of the cluster", kind: "pem", hint: "PEM." },
  {
    name: "issuer",
    label: "Issuer",
    kind: "text",
    hint: "Empty: kubernetes/serviceaccount.",
  },
  {
    name: "disable_iss_validation",
    label: "Skip the check of the issuer",
    kind: "flag",
    blank: true,
  },
];

const kubernetesFields: readonly FieldOf<logins.WriteKubernetesRoleInput>[] = [
  words("bound_service_account_names", "Service accounts", "One a line; * for all."),
  words("bound_service_account_namespaces", "Namespaces", "One a line; * for all."),
  { name: "audience", label: "Audience", kind: "text" },
  {
    name: "alias_name_source",
    label: "Known by",
    kind: "choice",
    options: [
      ["serviceaccount_uid", "The account's uid"],
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
    hint: "PEM: who is signed by it, or is it, may sign in.",
  },
  names("allowed_names", "Names of any kind"),
  names("allowed_common_names", "Common names"),
  names("allowed_dns_sans", "DNS names"),
  names("allowed_email_sans", "E-mail addresses"),
  names("allowed_uri_sans", "URIs"),
  names("allowed_organizational_units", "Organizational units"),
  names(
    "required_extensions",
    "Required extensions",
    "All of them: oid:text or hex:oid:value, one a line.",
  ),
  { name: "display_name", label: "Name in lists", kind: "text" },
  ...tokenFields,
];

const cert: MethodFields = {
  title: "Client certificates",
  principals: loginCerts,
  one: "trusted certificate",
  many: "Trusted certificates",
  fields: certFields,
};

/** A type of login method that has a form; others are listed and can be disabled. */
export type KnownType = Exclude<LoginType, "oidc">;
const methods: Readonly<Record<KnownType, MethodFields>> = {
  userpass,
  approle,
  jwt,
  kubernetes,
  cert,
};
const isKnownType = (type: string): type is KnownType => Object.hasOwn(methods, type);

/** The types that have a form, with their titles. */
export const knownTypes: readonly (readonly [type: KnownType, title: string])[] = Object.keys(
  methods,
)
  .filter(isKnownType)
  .map((type) => [type, methods[type].title]);

/** Returns the settings of a type; undefined for a type without a form. */
export const findMethodFields = (type: string): MethodFields | undefined =>
  isKnownType(type) ? methods[type] : undefined;

/** The settings of every login method. */
export const offerFields: readonly SettingField<TuneName>[] = [
  {
    name: "listing_visibility",
    label: "Shown before sign-in",
    kind: "choice",
    options: [
      ["", "To nobody: who signs in types its path"],
      ["unauth", "To everybody who can reach this authority"],
      ["hidden", "To nobody, nor in lists of mounts"],
    ],
    blank: "",
  },
  {
    name: "token_type",
    label: "Kind of token",
    kind: "choice",
    options: [
      ["default-service", "Service, unless a role says otherwise"],
      ["default-batch", "Batch, unless a role says otherwise"],
      ["service", "Service, whatever a role says"],
      ["batch", "Batch, whatever a role says"],
    ],
    blank: "default-service",
    hint: "Batch tokens are stored nowhere. EST needs a method that makes them.",
  },
  { name: "description", label: "Description", kind: "text" },
];
