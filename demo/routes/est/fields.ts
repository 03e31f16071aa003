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
import type { EstSetting } from "./calls.ts";

/**
 * Returns the fields for the EST settings. The choices for policies include the roles of the mount.
 */
export const estFields = (
  roles: readonly string[],
  policy: string,
): readonly SettingField<EstSetting>[] => [
  {
    name: "default_path_policy",
    label: "Paths without a label",
    kind: "choice",
    options: policies(roles, policy),
    hint: "The policy for certificates requested through these paths.",
  },
  {
    name: "label_to_path_policy",
    label: "Labels",
    kind: "pairs",
    hint: "label=role:web or label=sign-verbatim, one per line. A label can be used in only one mount.",
  },
  {
    name: "csr_attributes",
    label: "CSR attributes",
    kind: "list",
    hint: "Requested from clients in CSRs. OIDs such as 1.2.840.113549.1.9.7, one per line.",
  },
  {
    name: "audit_fields",
    label: "Audited fields",
    kind: "list",
    hint: "CSR fields to record in audit events, such as common_name, one per line. Names are hashed.",
  },
  {
    name: "enabled",
    label: "Answer EST requests",
    kind: "flag",
    hint: "If off, the EST paths do not exist.",
  },
  {
    name: "default_mount",
    label: "Use /.well-known/est without a label",
    kind: "flag",
    hint: "Only one mount per server can use this path.",
  },
];

/** Returns the choices for a policy, including the current one. */
const policies = (roles: readonly string[], policy: string): readonly Choice[] =>
  withCurrent(policy, [
    ["", "None: requests are rejected"],
    ["sign-verbatim", "As requested, without a role"],
    ...roles.map((name) => [`role:${name}`, `Role ${name}`] as const),
  ]);

const lines = (of: Settings, name: string): readonly string[] =>
  String(of[name] ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

const rules: readonly SettingRule[] = [
  [
    "label_to_path_policy",
    (of) =>
      lines(of, "label_to_path_policy").some(
        (line) => !/^[\w.-]+\s*=\s*(?:sign-verbatim|role:\S+)$/.test(line),
      ),
    "Each line must be label=role:NAME or label=sign-verbatim",
  ],
  [
    "label_to_path_policy",
    (of) => {
      const labels = lines(of, "label_to_path_policy").map((line) =>
        (line.split("=")[0] ?? "").trim().toLowerCase(),
      );
      return new Set(labels).size < labels.length;
    },
    "Duplicate label",
  ],
  [
    "default_path_policy",
    (of) => of["default_mount"] === true && of["default_path_policy"] === "",
    "Paths without a label need a policy",
  ],
  [
    "csr_attributes",
    (of) =>
      splitList(String(of["csr_attributes"] ?? "")).some(
        (one) => !/^\d+(?:\.\d+)+(?:=\d+(?:\.\d+)+(?:\+\d+(?:\.\d+)+)*)?$/.test(one),
      ),
    "Use dotted-decimal notation, such as 1.2.840.113549.1.9.7",
  ],
];

/** Returns the validation errors that can be detected before the form is submitted. */
export const wrongEst = (typed: Settings, fields: readonly SettingField<string>[]): WrongSettings =>
  wrongSettings(fields, rules, typed);
