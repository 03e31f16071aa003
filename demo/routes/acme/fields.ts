import {
  splitList,
  wrongSettings,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
  type Choice,
  withCurrent,
} from "../../lib/settings.ts";
import { challengeTypesText } from "../../lib/challenge-types.ts";
import { seconds } from "../../lib/durations.ts";
import type { AcmeSetting } from "./calls.ts";

/**
 * Returns the fields for the ACME settings. The choices for the default directory include the roles
 * of the mount.
 */
export const acmeFields = (
  roles: readonly string[],
  policy: string,
): readonly SettingField<AcmeSetting>[] => [
  {
    name: "default_directory_policy",
    label: "Default directory",
    kind: "choice",
    options: directoryPolicies(roles, policy),
    hint: "The policy for orders in this directory.",
  },
  ...others,
];

/** The external account binding policies. */
export const accountPolicies: readonly Choice[] = [
  ["not-required", "Anyone can create an account"],
  ["new-account-required", "New accounts require external account binding"],
  ["always-required", "All accounts require external account binding"],
];

const others: readonly SettingField<AcmeSetting>[] = [
  {
    name: "eab_policy",
    label: "Account binding",
    kind: "choice",
    options: accountPolicies,
    hint: "EAB keys are created in the console or with the API. By default, each can be used once.",
  },
  {
    name: "allowed_roles",
    label: "Allowed roles",
    kind: "list",
    hint: "One per line; * allows all.",
  },
  {
    name: "allowed_issuers",
    label: "Allowed issuers",
    kind: "list",
    hint: "Names or IDs, one per line; * allows all. A role’s own issuer is always allowed.",
  },
  {
    name: "max_ttl",
    label: "Maximum certificate lifetime",
    kind: "seconds",
    hint: "A role can set a lower maximum. Also the default lifetime if neither the role nor the mount sets one.",
  },
  {
    name: "dns_resolver",
    label: "DNS resolver",
    kind: "text",
    hint: "Address and port, such as 192.0.2.53:53. If empty, the server’s own resolver is used.",
  },
  {
    name: "challenge_permitted_ip_ranges",
    label: "Allowed challenge addresses",
    kind: "list",
    hint: "Ranges such as 10.0.0.0/8, one per line. If set, the server contacts only these. If empty, it contacts any address except loopback, link-local and cloud metadata addresses.",
  },
  {
    name: "challenge_excluded_ip_ranges",
    label: "Excluded challenge addresses",
    kind: "list",
    hint: "Ranges, one per line. They override the allowed addresses.",
  },
  {
    name: "challenge_types",
    label: "Challenge types",
    kind: "list",
    hint: `One per line: ${challengeTypesText()}.`,
  },
  {
    name: "issuer_domain_names",
    label: "Domain names of this CA",
    kind: "list",
    hint: "They identify this CA in DNS records for dns-persist-01. If empty, the host name in the mount’s URL is used.",
  },
  {
    name: "attestation_apple_roots",
    label: "Apple attestation roots",
    kind: "pem",
    hint: "PEM: the Apple Enterprise Attestation Root CA. If empty, no Apple device can attest.",
  },
  {
    name: "attestation_tpm_roots",
    label: "TPM roots",
    kind: "pem",
    hint: "PEM, for device-attest-01: the CAs that issue certificates for attestation keys. If empty, no TPM can attest.",
  },
  {
    name: "attestation_crls",
    label: "CRLs for attestations",
    kind: "pem",
    hint: "PEM CRLs of the CAs below these roots. If empty, revocation is not checked.",
  },
  {
    name: "attestation_devices",
    label: "Devices that may attest",
    kind: "lines",
    hint: "Identifiers, one per line; * matches any text. If empty, any device may attest. Roles must also allow the device.",
  },
  {
    name: "attestation_names",
    label: "Certificate fields for the device identifier",
    kind: "list",
    hint: "One per line: san, common_name, serial_number. If empty, the certificate does not name the device.",
  },
  {
    name: "challenge_timeout",
    label: "Challenge timeout",
    kind: "seconds",
    hint: "At most one hour. A challenge that cannot succeed fails at once.",
  },
  {
    name: "persistent_subdomains",
    label: "DNS records authorize subdomains",
    kind: "flag",
    hint: "With dns-persist-01, a record of a parent domain with policy=wildcard then authorizes all names under it.",
  },
  {
    name: "allow_role_ext_key_usage",
    label: "Use the role’s extended key usages",
    kind: "flag",
    hint: "If off, certificates are for server authentication only.",
  },
];

/** Returns the choices for the policy of the default directory, including the current one. */
export const directoryPolicies = (roles: readonly string[], policy: string): readonly Choice[] =>
  withCurrent(policy, [
    ["sign-verbatim", "Any validated name"],
    ["forbid", "Reject orders"],
    ...roles.map((name) => [`role:${name}`, `Role ${name}`] as const),
  ]);

const range = /^(?:\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}|[0-9a-f:]*:[0-9a-f:.]*\/\d{1,3})$/i;
const lines = (of: Settings, name: string): readonly string[] => splitList(String(of[name] ?? ""));

/**
 * Returns the validation rules for a list that must neither be empty nor combine `*` with other
 * entries.
 */
const listRules = (name: string): readonly SettingRule[] => [
  [name, (of) => name in of && lines(of, name).length === 0, "Enter at least one, or * for all"],
  [
    name,
    (of) => lines(of, name).length > 1 && lines(of, name).includes("*"),
    "* means all, so it must be the only entry",
  ],
];

const ranges = (name: string): SettingRule => [
  name,
  (of) => lines(of, name).some((line) => !range.test(line)),
  "Use an address and a prefix length, such as 10.0.0.0/8",
];

const roleOf = (of: Settings): string =>
  /^role:(.*)$/.exec(String(of["default_directory_policy"]))?.[1] ?? "";

const badTimeout: SettingRule[1] = (of) => {
  const length = seconds(String(of["challenge_timeout"] ?? "")) ?? 1;
  return length < 1 || length > 3600;
};

const rules: readonly SettingRule[] = [
  ...listRules("allowed_roles"),
  ...listRules("allowed_issuers"),
  ranges("challenge_permitted_ip_ranges"),
  ranges("challenge_excluded_ip_ranges"),
  ["challenge_timeout", badTimeout, "Must be between 1s and 1h"],
  ["max_ttl", (of) => (seconds(String(of["max_ttl"] ?? "")) ?? 1) < 1, "Must be at least 1s"],
  [
    "dns_resolver",
    (of) => /^[a-z][\w.-]*(?::\d+)?$/i.test(String(of["dns_resolver"] ?? "").trim()),
    "Enter an IP address and a port, not a name",
  ],
  [
    "default_directory_policy",
    (of) =>
      roleOf(of) !== "" &&
      !lines(of, "allowed_roles").includes("*") &&
      !lines(of, "allowed_roles").includes(roleOf(of)),
    "This role is not among the allowed roles",
  ],
];

/** Returns the validation errors that can be detected before the form is submitted. */
export const wrongAcme = (
  typed: Settings,
  fields: readonly SettingField<string>[],
): WrongSettings => wrongSettings(fields, rules, typed);
