import { policyNameForm } from "../../src/base/policy-name.ts";
import { duration, seconds } from "./durations.ts";

/** The value of a setting in a form field. */
export type Setting = string | boolean;
export type Settings = Readonly<Record<string, Setting>>;

/** A possible value of a setting and its label. */
export type Choice = readonly [value: string, text: string];
/** Returns the choices, with the current value added if it is not among them. */
export const withCurrent = (current: string, choices: readonly Choice[]): readonly Choice[] =>
  choices.some(([value]) => value === current) ? choices : [...choices, [current, current]];

/** The form field for a setting. */
export interface SettingField<Name extends string> {
  /** Name of the setting in the API: `keyof` the input of the endpoint. */
  readonly name: Name;
  readonly label: string;
  /**
   * The kind of value. `seconds` is a duration that is a number in the API, `list` has strings
   * without spaces, `lines` any strings, one per line, `policies` names that may contain spaces,
   * one per line, and `choice` one of `options`. `pem` and `pems` are one or several PEM blocks,
   * `pairs` lines of name=value, and `secret` and `secretpem` values that the API never returns.
   */
  readonly kind:
    | "duration"
    | "seconds"
    | "count"
    | "flag"
    | "text"
    | "list"
    | "lines"
    | "policies"
    | "choice"
    | "pem"
    | "pems"
    | "pairs"
    | "secret"
    | "secretpem";
  readonly hint?: string;
  /** The hint in the form for a new record, if it differs from `hint`. */
  readonly newHint?: string;
  readonly options?: readonly Choice[];
  /** Name of the flag that must be on for the setting to have an effect. */
  readonly with?: Name;
  /** The initial value in the form for a new record. The default is empty or off. */
  readonly blank?: Setting;
}

/** Returns the initial values of the fields for a new record. */
export const blankSettings = (fields: readonly SettingField<string>[]): Settings =>
  Object.fromEntries(
    fields.map(({ name, kind, blank = kind === "flag" ? false : "" }) => [name, blank]),
  );

/** Returns the settings that are not empty. */
export const withoutEmpty = (typed: Settings): Settings =>
  Object.fromEntries(
    Object.entries(typed).filter(([, value]) => typeof value !== "string" || value.trim() !== ""),
  );

/** Converts a record to values of the form fields. */
export function settingsOf(
  record: Readonly<Record<string, unknown>>,
  fields: readonly SettingField<string>[],
): Settings {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): (readonly [string, Setting])[] => {
      const value = record[name];
      if (kind === "flag") return typeof value === "boolean" ? [[name, value]] : [];
      if (kind === "seconds") return typeof value === "number" ? [[name, duration(value)]] : [];
      if (kind === "secret" || kind === "secretpem") return [[name, ""]];
      if (kind === "pairs") return [[name, pairLines(value)]];
      if (["list", "lines", "policies", "pems"].includes(kind) && value !== "")
        return Array.isArray(value) ? [[name, value.map(String).join("\n")]] : [];
      return typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [];
    }),
  );
}

type Value = string | readonly string[];
type SettingValue = Setting | number | readonly string[] | Readonly<Record<string, Value>>;

/**
 * Formats a map as lines of `name=value`. If a name has several values, they are separated by
 * commas.
 */
const pairLines = (value: unknown): string =>
  Object.entries(value ?? {})
    .map(([name, of]) => `${name}=${Array.isArray(of) ? of.join(",") : String(of)}`)
    .join("\n");

const pairsOf = (typed: string): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    typed
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [name = "", ...rest] = line.split("=");
        const values = rest
          .join("=")
          .split(",")
          .map((value) => value.trim());
        return [name.trim(), values.length > 1 ? values : (values[0] ?? "")];
      }),
  );

const pemsOf = (typed: string): readonly string[] =>
  typed.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? splitList(typed);

/** Splits a list at line breaks, commas and spaces. */
export const splitList = (value: string): readonly string[] =>
  value.split(/[\s,]+/).filter(Boolean);

/** Splits policy names, which may contain spaces, at line breaks and commas. */
export const namesIn = (value: string): readonly string[] =>
  value
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter(Boolean);

/** Reports whether a list of policies contains `root` in upper or lower case. */
export const includesRoot = (value: string): boolean =>
  namesIn(value).some((name) => policyNameForm(name) === "root");

/** Splits a list only at line breaks, because its items may contain spaces and commas. */
const lined = (value: string): readonly string[] =>
  value
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

function sentAs(kind: SettingField<string>["kind"], value: string): SettingValue {
  if (kind === "count") return Number(value);
  if (kind === "seconds") return seconds(value) ?? value.trim();
  if (kind === "list") return splitList(value);
  if (kind === "lines") return lined(value);
  if (kind === "policies") return namesIn(value);
  if (kind === "pems") return pemsOf(value);
  if (kind === "pairs") return pairsOf(value);
  return kind === "secret" ? value : value.trim();
}

/** The changed settings by name, with the types of the API. */
export type SettingChanges<Name extends string> = Readonly<Partial<Record<Name, SettingValue>>>;

/** Returns the settings that have changed, with the types of the API. */
export function changedSettings<Name extends string>(
  current: Settings,
  typed: Settings,
  fields: readonly SettingField<Name>[],
): SettingChanges<Name> {
  const changes: Partial<Record<Name, SettingValue>> = {};
  for (const { name, kind } of fields) {
    const value = typed[name];
    if (value === undefined || value === current[name]) continue;
    changes[name] = typeof value === "boolean" ? value : sentAs(kind, value);
  }
  return changes;
}

/** Errors by field name. */
export type WrongSettings = Readonly<Record<string, string>>;

/**
 * Reports whether a string can be a duration. It accepts forms such as 1h30m0s, which the API
 * returns, and rejects only strings that are clearly invalid.
 */
const isDuration = (value: string): boolean =>
  seconds(value) !== undefined || /^-?(\d+(\.\d+)?(ms|[hms]))+$/.test(value.trim());

/** Returns the format error of a value, or an empty string if the format is valid. */
function wrongForm({ kind }: SettingField<string>, value: Setting | undefined): string {
  if (typeof value !== "string") return "";
  if ((kind === "duration" || kind === "seconds") && !isDuration(value))
    return `${value || "Empty"}: not a duration. Enter 72h or 30m`;
  if (
    kind === "pairs" &&
    value.split("\n").some((line) => line.trim() !== "" && !/^[^=]+=/.test(line))
  )
    return "Enter one name=value pair per line";
  if (kind === "count" && !/^-?\d+$/.test(value.trim()))
    return `${value || "Empty"}: not a whole number`;
  return "";
}

/** Returns the format errors of all values, by field. */
export const wrongForms = (
  fields: readonly SettingField<string>[],
  typed: Settings,
): WrongSettings =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const why = wrongForm(field, typed[field.name]);
      return why ? [[field.name, why]] : [];
    }),
  );

/**
 * A rule about several settings: the field at which its error appears, a function that reports
 * whether the rule is broken, and the error.
 */
export type SettingRule = readonly [name: string, broken: (of: Settings) => boolean, why: string];

/** Returns the validation errors that can be detected before the form is submitted. */
export const wrongSettings = (
  fields: readonly SettingField<string>[],
  rules: readonly SettingRule[],
  typed: Settings,
): WrongSettings => ({
  ...Object.fromEntries(
    rules.flatMap(([name, broken, why]) => (broken(typed) ? [[name, why] as const] : [])),
  ),
  ...wrongForms(fields, typed),
});

/**
 * Patterns of server errors that do not contain the name of a field, each with the field that the
 * error is about.
 */
const refusals: readonly (readonly [begins: RegExp, name: string])[] = [
  [/^CRL auto-rebuilding grace period/, "auto_rebuild_grace_period"],
  [/^CRL delta rebuild window/, "delta_rebuild_interval"],
  [/^Delta CRLs cannot be enabled/, "enable_delta"],
  [/^Global, cross-cluster/, "cross_cluster_revocation"],
  [/^Auto-tidy enabled but/, "enabled"],
  [/^Can not publish/, "publish_stored_certificate_count_metrics"],
  [
    /^(?:default directory policy|no role specified by policy)|Default Directory Policy/,
    "default_directory_policy",
  ],
  [/^allowed_role /, "allowed_roles"],
  [/^failed to parse DNS resolver/, "dns_resolver"],
  [/^invalid eab policy/, "eab_policy"],
  [/^this name is an alias of a group/, "alias"],
];

/** Returns the field that a server error is about, or an empty string. */
export function refusedSetting(text: string, fields: readonly SettingField<string>[]): string {
  const message = refusals.find(([begins]) => begins.test(text))?.[1];
  const named = fields
    .map(({ name }) => ({ name, at: text.search(new RegExp(`\\b${name}\\b`)) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at || b.name.length - a.name.length)[0]?.name;
  return message ?? named ?? "";
}
