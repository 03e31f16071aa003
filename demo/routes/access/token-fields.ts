import type * as logins from "../../api/endpoints/logins.ts";
import type { SettingField } from "../../lib/settings.ts";

/** A form field for a setting that an endpoint of a login method writes. */
export type FieldOf<Input> = SettingField<
  Exclude<Extract<keyof Input, string>, "name" | "username">
>;

/** The token settings of every role and user. */
export const tokenFields: readonly FieldOf<logins.TokenFields>[] = [
  { name: "token_policies", label: "Policies", kind: "policies" },
  {
    name: "token_ttl",
    label: "Token lifetime",
    kind: "seconds",
    hint: "0s means the system default.",
  },
  {
    name: "token_max_ttl",
    label: "Maximum lifetime",
    kind: "seconds",
    hint: "Renewals cannot exceed this lifetime.",
  },
  { name: "token_num_uses", label: "Token uses", kind: "count", hint: "0 means unlimited." },
  {
    name: "token_bound_cidrs",
    label: "Allowed networks",
    kind: "list",
    hint: "Networks such as 10.0.0.0/8, one per line.",
  },
  {
    name: "token_period",
    label: "Period",
    kind: "seconds",
    hint: "Each renewal sets the remaining lifetime to this period, with no limit unless you set one.",
  },
  {
    name: "token_type",
    label: "Token type",
    kind: "choice",
    options: [
      ["default", "Set by the login method"],
      ["service", "Service: stored and revocable"],
      ["batch", "Batch: not stored"],
    ],
    blank: "default",
  },
  { name: "token_no_default_policy", label: "Without the “default” policy", kind: "flag" },
];

/**
 * Returns a field for names, which may contain spaces. Splitting `Build *` at the space would admit
 * anyone.
 */
export const names = <Name extends string>(
  name: Name,
  label: string,
  hint = "One per line; * matches any text.",
): SettingField<Name> => ({ name, label, kind: "lines", hint });

/** Returns a field for strings without spaces. */
export const words = <Name extends string>(
  name: Name,
  label: string,
  hint: string,
): SettingField<Name> => ({
  name,
  label,
  kind: "list",
  hint,
});
