import { seconds } from "./words.ts";

/** A setting as it stands in its field. */
export type Setting = string | boolean;
export type Settings = Readonly<Record<string, Setting>>;

/** How a setting is asked for. */
export interface SettingField {
  readonly name: string;
  readonly label: string;
  readonly kind: "duration" | "count" | "flag";
  readonly hint?: string;
  /** The flag without which it means nothing. */
  readonly with?: string;
}

/** How lists are made and answers given, in the order of the form. */
export const crlFields: readonly SettingField[] = [
  { name: "expiry", label: "CRL lifetime", kind: "duration" },
  { name: "auto_rebuild_grace_period", label: "Rebuild before expiry", kind: "duration" },
  {
    name: "delta_rebuild_interval",
    label: "Rebuild delta CRLs every",
    kind: "duration",
    with: "enable_delta",
  },
  { name: "ocsp_expiry", label: "OCSP answer lifetime", kind: "duration" },
  {
    name: "shards",
    label: "CRL shards (0 = none)",
    kind: "count",
    hint: "New certificates are spread over so many smaller CRLs. Those issued before keep theirs.",
  },
  { name: "max_crl_entries", label: "Most entries of a CRL (-1 = no limit)", kind: "count" },
  {
    name: "auto_rebuild",
    label: "rebuild on schedule, not after each revocation",
    kind: "flag",
  },
  {
    name: "enable_delta",
    label: "delta CRLs between complete ones",
    kind: "flag",
    hint: "Needs rebuilding on schedule.",
  },
  {
    name: "disable",
    label: "disable CRLs",
    kind: "flag",
    hint: "One empty list is signed; revocations are still recorded.",
  },
  { name: "ocsp_disable", label: "disable OCSP", kind: "flag" },
  {
    name: "allow_expired_cert_revocation",
    label: "expired certificates can be revoked",
    kind: "flag",
  },
];

/** What concerns several clusters: this deployment is one. */
export const clusterFields: readonly SettingField[] = [
  {
    name: "cross_cluster_revocation",
    label: "queue revocations of unknown serial numbers",
    kind: "flag",
    hint: "Needs rebuilding on schedule. The queue is under Requests.",
  },
  {
    name: "unified_crl",
    label: "unified CRLs and OCSP",
    kind: "flag",
    hint: "Needs rebuilding on schedule.",
  },
  {
    name: "unified_crl_on_existing_paths",
    label: "unified answers at the usual addresses",
    kind: "flag",
    hint: "Needs unified CRLs.",
  },
];

/** The settings of a record that the fields ask for, as they stand in them. */
export function settingsOf(
  record: Readonly<Record<string, unknown>>,
  fields: readonly SettingField[],
): Settings {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): (readonly [string, Setting])[] => {
      const value = record[name];
      if (kind === "flag") return typeof value === "boolean" ? [[name, value]] : [];
      return typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [];
    }),
  );
}

/** What was changed, as the API takes it. */
export function changedSettings(
  held: Settings,
  typed: Settings,
  fields: readonly SettingField[],
): Readonly<Record<string, Setting | number>> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): (readonly [string, Setting | number])[] => {
      const value = typed[name];
      if (value === undefined || value === held[name]) return [];
      if (typeof value === "boolean") return [[name, value]];
      return [[name, kind === "count" ? Number(value) : value.trim()]];
    }),
  );
}

/** What is wrong in a field, by its name. */
export type WrongSettings = Readonly<Record<string, string>>;

/** The API writes 1h30m0s too; only what is certainly wrong is refused here. */
const isDuration = (value: string): boolean =>
  seconds(value) !== undefined || /^-?(\d+(\.\d+)?[hms])+$/.test(value.trim());

/** What is wrong with the form of one value; empty where nothing is. */
export function wrongForm({ kind }: SettingField, value: Setting | undefined): string {
  if (typeof value !== "string") return "";
  if (kind === "duration" && !isDuration(value))
    return `${value || "Empty"}: not a duration. Write 72h or 30m`;
  if (kind === "count" && !/^-?\d+$/.test(value.trim()))
    return `${value || "Empty"}: not a whole number`;
  return "";
}

const span = (value: Setting | undefined): number => seconds(String(value ?? "")) ?? NaN;

/** Rules between the settings of lists: which field breaks one, when, and what is said there. */
const rules: readonly (readonly [name: string, broken: (of: Settings) => boolean, why: string])[] =
  [
    ["expiry", (of) => span(of["expiry"]) <= 0, "A CRL is valid for at least a second"],
    [
      "auto_rebuild_grace_period",
      (of) =>
        of["auto_rebuild"] === true && span(of["auto_rebuild_grace_period"]) >= span(of["expiry"]),
      "As long as a CRL is valid, or longer",
    ],
    [
      "delta_rebuild_interval",
      (of) =>
        of["enable_delta"] === true && span(of["delta_rebuild_interval"]) >= span(of["expiry"]),
      "As long as a CRL is valid, or longer",
    ],
    [
      "enable_delta",
      (of) => of["enable_delta"] === true && of["auto_rebuild"] === false,
      "Needs rebuilding on schedule: otherwise every revocation makes a complete CRL",
    ],
    [
      "shards",
      (of) => Number(of["shards"] ?? 0) < 0 || Number(of["shards"] ?? 0) > 256,
      "From 0 to 256",
    ],
    ["max_crl_entries", (of) => Number(of["max_crl_entries"] ?? 0) < -1, "-1 or more"],
    [
      "cross_cluster_revocation",
      (of) => of["cross_cluster_revocation"] === true && of["auto_rebuild"] === false,
      "Needs rebuilding on schedule",
    ],
    [
      "unified_crl",
      (of) => of["unified_crl"] === true && of["auto_rebuild"] === false,
      "Needs rebuilding on schedule",
    ],
    [
      "unified_crl_on_existing_paths",
      (of) => of["unified_crl_on_existing_paths"] === true && of["unified_crl"] === false,
      "Needs unified CRLs",
    ],
  ];

/** What is wrong in the form, as far as that is known before it is sent. */
export function wrongCrlSettings(typed: Settings): WrongSettings {
  const forms = [...crlFields, ...clusterFields].flatMap((field) => {
    const why = wrongForm(field, typed[field.name]);
    return why ? [[field.name, why] as const] : [];
  });
  const between = rules.flatMap(([name, broken, why]) =>
    broken(typed) ? [[name, why] as const] : [],
  );
  return Object.fromEntries([...between, ...forms]);
}

/** How refusals begin that do not name their field first. */
const refusals: readonly (readonly [begins: RegExp, name: string])[] = [
  [/^CRL auto-rebuilding grace period/, "auto_rebuild_grace_period"],
  [/^CRL delta rebuild window/, "delta_rebuild_interval"],
  [/^Delta CRLs cannot be enabled/, "enable_delta"],
  [/^Global, cross-cluster/, "cross_cluster_revocation"],
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
