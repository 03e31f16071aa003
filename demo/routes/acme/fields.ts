import {
  splitList,
  wrongSettings,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
  type Choice,
  withHeld,
} from "../../lib/settings.ts";
import { seconds } from "../../lib/format.ts";
import type { AcmeSetting } from "./calls.ts";

/** The settings of ACME; the roles that the policy can name come with the mount. */
export const acmeFields = (
  roles: readonly string[],
  policy: string,
): readonly SettingField<AcmeSetting>[] => [
  {
    name: "default_directory_policy",
    label: "The directory without a role",
    kind: "choice",
    options: policies(roles, policy),
    hint: "How its orders are checked.",
  },
  ...others,
];

const others: readonly SettingField<AcmeSetting>[] = [
  {
    name: "eab_policy",
    label: "Account binding",
    kind: "choice",
    options: [
      ["not-required", "Anyone may make an account"],
      ["new-account-required", "A new account needs a key"],
      ["always-required", "Every account needs one, at any time"],
    ],
    hint: "A key is made by somebody with a token, and used once.",
  },
  {
    name: "allowed_roles",
    label: "Roles that may be used",
    kind: "list",
    hint: "One a line; * for all.",
  },
  {
    name: "allowed_issuers",
    label: "Issuers that a path may name",
    kind: "list",
    hint: "Names or ids, one a line; * for all. A role's own issuer may always be used.",
  },
  {
    name: "max_ttl",
    label: "Maximum lifetime of a certificate",
    kind: "seconds",
    hint: "A role may allow less. Certificates live as long where neither the role nor the mount sets a lifetime.",
  },
  {
    name: "dns_resolver",
    label: "DNS resolver",
    kind: "text",
    hint: "Address and port, such as 192.0.2.53:53. Empty is the server’s own.",
  },
  {
    name: "challenge_permitted_ip_ranges",
    label: "Addresses that challenges may reach",
    kind: "list",
    hint: "Ranges such as 10.0.0.0/8, one a line. With any, no others are asked; without, no loopback, link-local or metadata address is.",
  },
  {
    name: "challenge_excluded_ip_ranges",
    label: "Addresses that challenges never reach",
    kind: "list",
    hint: "Ranges, one a line. They override the permitted ones.",
  },
  {
    name: "challenge_timeout",
    label: "Time for a challenge to succeed",
    kind: "seconds",
    hint: "At most an hour. One that can no longer succeed fails at once.",
  },
  {
    name: "allow_role_ext_key_usage",
    label: "certificates have the extended key usages of their role",
    kind: "flag",
    hint: "Otherwise only server authentication.",
  },
];

/** The policies that can be chosen, and the one that is set. */
const policies = (roles: readonly string[], policy: string): readonly Choice[] =>
  withHeld(policy, [
    ["sign-verbatim", "Any name that is proven"],
    ["forbid", "Refuse orders"],
    ...roles.map((name) => [`role:${name}`, `Role ${name}`] as const),
  ]);

const range = /^(?:\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}|[0-9a-f:]*:[0-9a-f:.]*\/\d{1,3})$/i;
const lines = (of: Settings, name: string): readonly string[] => splitList(String(of[name] ?? ""));

/** Lists that are not empty, where `*` stands alone. */
const named = (name: string): readonly SettingRule[] => [
  [name, (of) => name in of && lines(of, name).length === 0, "Name at least one, or * for all"],
  [
    name,
    (of) => lines(of, name).length > 1 && lines(of, name).includes("*"),
    "* means all, so it stands alone",
  ],
];

const ranges = (name: string): SettingRule => [
  name,
  (of) => lines(of, name).some((line) => !range.test(line)),
  "A range has an address and a length: 10.0.0.0/8",
];

const roleOf = (of: Settings): string =>
  /^role:(.*)$/.exec(String(of["default_directory_policy"]))?.[1] ?? "";

const badTimeout: SettingRule[1] = (of) => {
  const length = seconds(String(of["challenge_timeout"] ?? "")) ?? 1;
  return length < 1 || length > 3600;
};

const rules: readonly SettingRule[] = [
  ...named("allowed_roles"),
  ...named("allowed_issuers"),
  ranges("challenge_permitted_ip_ranges"),
  ranges("challenge_excluded_ip_ranges"),
  ["challenge_timeout", badTimeout, "A second to an hour"],
  ["max_ttl", (of) => (seconds(String(of["max_ttl"] ?? "")) ?? 1) < 1, "A second or more"],
  [
    "dns_resolver",
    (of) => /^[a-z][\w.-]*(?::\d+)?$/i.test(String(of["dns_resolver"] ?? "").trim()),
    "An address and a port, no name",
  ],
  [
    "default_directory_policy",
    (of) =>
      roleOf(of) !== "" &&
      !lines(of, "allowed_roles").includes("*") &&
      !lines(of, "allowed_roles").includes(roleOf(of)),
    "This role is not among those that may be used",
  ],
];

/** Returns the errors of the form that can be found before it is sent. */
export const wrongAcme = (
  typed: Settings,
  fields: readonly SettingField<string>[],
): WrongSettings => wrongSettings(fields, rules, typed);
