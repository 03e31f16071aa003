import type { LoginType } from "../../../src/auth/types/table.ts";
import type { SettingField } from "../../lib/settings.ts";

/** The settings of a type of login method. */
export interface MethodFields {
  readonly title: string;
  /** The trust settings that it needs before anybody can log in; empty for none. */
  readonly config: readonly SettingField[];
  /** Other members of it, which are sent back as they are: what is left out would be unset. */
  readonly kept?: readonly string[];
  /** The API's name for its principals. */
  readonly kind: string;
  /** The same in words: one, and several. */
  readonly one: string;
  readonly many: string;
  readonly fields: readonly SettingField[];
  /** Sent with every new one. */
  readonly fixed?: object;
}

/** The token settings of every role and user. */
export const tokenFields: readonly SettingField[] = [
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
const names = (
  name: string,
  label: string,
  hint = "One a line; * stands for any text.",
): SettingField => ({ name, label, kind: "lines", hint });

const words = (name: string, label: string, hint: string): SettingField => ({
  name,
  label,
  kind: "list",
  hint,
});

const userpass: MethodFields = {
  title: "User name and password",
  config: [],
  kind: "users",
  one: "user",
  many: "Users",
  fields: [
    {
      name: "password",
      label: "Password",
      kind: "secret",
      hint: "It is never shown again. Left empty, the one that is stored stays.",
    },
    ...tokenFields,
  ],
};

const approle: MethodFields = {
  title: "AppRole: an id and a secret for programs",
  config: [],
  kind: "role",
  one: "role",
  many: "Roles",
  fields: [
    ...tokenFields,
    { name: "secret_id_ttl", label: "Lifetime of a secret id", kind: "seconds" },
    { name: "secret_id_num_uses", label: "Uses of a secret id", kind: "count" },
    words("secret_id_bound_cidrs", "Secret ids only from", "Networks, one a line."),
    { name: "bind_secret_id", label: "A secret id is needed", kind: "flag", blank: true },
  ],
};

const jwt: MethodFields = {
  title: "JWT",
  kept: ["oidc_client_id"],
  config: [
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
  ],
  kind: "role",
  one: "role",
  many: "Roles",
  fixed: { role_type: "jwt" },
  fields: [
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
  ],
};

const kubernetes: MethodFields = {
  title: "Kubernetes service accounts",
  kept: ["disable_local_ca_jwt"],
  config: [
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
  ],
  kind: "role",
  one: "role",
  many: "Roles",
  fields: [
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
  ],
};

const cert: MethodFields = {
  title: "Client certificates",
  config: [],
  kind: "certs",
  one: "trusted certificate",
  many: "Trusted certificates",
  fields: [
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
  ],
};

/** The types of login methods that this page knows; others are listed and can be disabled. */
export const methodFields: Readonly<Record<string, MethodFields>> = {
  userpass,
  approle,
  jwt,
  kubernetes,
  cert,
} satisfies Readonly<Record<Exclude<LoginType, "oidc">, MethodFields>>;

/** The settings of every login method. */
export const offerFields: readonly SettingField[] = [
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
