import { duration, seconds } from "./words.ts";

/** A setting as it stands in its field. */
export type Setting = string | boolean;
export type Settings = Readonly<Record<string, Setting>>;

/** How a setting is asked for. */
export interface SettingField {
  /** As the API names it. */
  readonly name: string;
  readonly label: string;
  /**
   * `seconds`: a duration that the API writes as a number. `list`: texts, a line each. `choice`:
   * one of `options`.
   */
  readonly kind: "duration" | "seconds" | "count" | "flag" | "text" | "list" | "choice";
  readonly hint?: string;
  readonly options?: readonly (readonly [value: string, text: string])[];
  /** The flag without which it means nothing. */
  readonly with?: string;
}

/** The settings of a record that the fields ask for, as they stand in them. */
export function settingsOf(
  record: Readonly<Record<string, unknown>>,
  fields: readonly SettingField[],
): Settings {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): (readonly [string, Setting])[] => {
      const value = record[name];
      if (kind === "flag") return typeof value === "boolean" ? [[name, value]] : [];
      if (kind === "seconds") return typeof value === "number" ? [[name, duration(value)]] : [];
      if (kind === "list")
        return Array.isArray(value) ? [[name, value.map(String).join("\n")]] : [];
      return typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [];
    }),
  );
}

type Sent = Setting | number | readonly string[];

/** The texts of a list, as they were typed: by lines, commas or spaces. */
export const listed = (value: string): readonly string[] => value.split(/[\s,]+/).filter(Boolean);

const sentAs = (kind: SettingField["kind"], value: string): Sent =>
  kind === "count"
    ? Number(value)
    : kind === "seconds"
      ? (seconds(value) ?? value.trim())
      : kind === "list"
        ? listed(value)
        : value.trim();

/** What was changed, as the API takes it. */
export function changedSettings(
  held: Settings,
  typed: Settings,
  fields: readonly SettingField[],
): Readonly<Record<string, Sent>> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): (readonly [string, Sent])[] => {
      const value = typed[name];
      if (value === undefined || value === held[name]) return [];
      if (typeof value === "boolean") return [[name, value]];
      return [[name, sentAs(kind, value)]];
    }),
  );
}

/** What is wrong in a field, by its name. */
export type WrongSettings = Readonly<Record<string, string>>;

/** The API writes 1h30m0s too; only what is certainly wrong is refused here. */
const isDuration = (value: string): boolean =>
  seconds(value) !== undefined || /^-?(\d+(\.\d+)?(ms|[hms]))+$/.test(value.trim());

/** What is wrong with the form of one value; empty where nothing is. */
export function wrongForm({ kind }: SettingField, value: Setting | undefined): string {
  if (typeof value !== "string") return "";
  if ((kind === "duration" || kind === "seconds") && !isDuration(value))
    return `${value || "Empty"}: not a duration. Write 72h or 30m`;
  if (kind === "count" && !/^-?\d+$/.test(value.trim()))
    return `${value || "Empty"}: not a whole number`;
  return "";
}

/** What is wrong with the forms of the values, by field. */
export const wrongForms = (fields: readonly SettingField[], typed: Settings): WrongSettings =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const why = wrongForm(field, typed[field.name]);
      return why ? [[field.name, why]] : [];
    }),
  );

/** A rule between settings: which field breaks it, when, and what is said there. */
export type SettingRule = readonly [name: string, broken: (of: Settings) => boolean, why: string];

/** What is wrong in a form, as far as that is known before it is sent. */
export const wrongSettings = (
  fields: readonly SettingField[],
  rules: readonly SettingRule[],
  typed: Settings,
): WrongSettings => ({
  ...Object.fromEntries(
    rules.flatMap(([name, broken, why]) => (broken(typed) ? [[name, why] as const] : [])),
  ),
  ...wrongForms(fields, typed),
});

/** How refusals begin that do not name their field first. */
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
];

/** The field that a refusal of the authority is about; empty where it names none of them. */
export function refusedSetting(text: string, fields: readonly SettingField[]): string {
  const known = refusals.find(([begins]) => begins.test(text))?.[1];
  const named = fields
    .map(({ name }) => ({ name, at: text.search(new RegExp(`\\b${name}\\b`)) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at || b.name.length - a.name.length)[0]?.name;
  return known ?? named ?? "";
}
