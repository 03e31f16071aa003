import {
  settingsOf,
  wrongSettings,
  type SettingChanges,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
} from "../../lib/settings.ts";
import { seconds } from "../../lib/durations.ts";
import type { AutoTidy, AutoTidySetting, TidySetting } from "./tidy-calls.ts";

/** The fields that select the sweeps of a run. */
const sweeps: readonly SettingField<TidySetting>[] = [
  { name: "tidy_cert_store", label: "expired certificates", kind: "flag" },
  {
    name: "tidy_revoked_certs",
    label: "revoked certificates that have expired",
    kind: "flag",
    hint: "Also removes them from the CRL.",
  },
  {
    name: "tidy_revocation_queue",
    label: "stale revocation requests",
    kind: "flag",
  },
  {
    name: "tidy_expired_issuers",
    label: "expired authorities",
    kind: "flag",
    hint: "The default issuer and all keys are kept.",
  },
  {
    name: "tidy_acme",
    label: "ACME orders, accounts and external account binding keys",
    kind: "flag",
    hint: "Orders with expired certificates, and unused accounts and keys.",
  },
  {
    name: "tidy_cert_metadata",
    label: "metadata of expired certificates",
    kind: "flag",
  },
  {
    name: "tidy_invalid_certs",
    label: "unreadable stored certificates",
    kind: "flag",
  },
  {
    name: "tidy_revoked_cert_issuer_associations",
    label: "find the issuers of revoked certificates",
    kind: "flag",
    hint: "Deletes nothing.",
  },
];

/** The fields for the safety buffers of the sweeps. */
const buffers: readonly SettingField<TidySetting>[] = [
  { name: "safety_buffer", label: "Certificates expired for at least", kind: "seconds" },
  {
    name: "revoked_safety_buffer",
    label: "Revoked certificates expired for at least",
    kind: "seconds",
    with: "tidy_revoked_certs",
  },
  {
    name: "issuer_safety_buffer",
    label: "Authorities expired for at least",
    kind: "seconds",
    with: "tidy_expired_issuers",
  },
  {
    name: "acme_account_safety_buffer",
    label: "ACME accounts and keys unused for at least",
    kind: "seconds",
    with: "tidy_acme",
  },
  {
    name: "revocation_queue_safety_buffer",
    label: "Requests pending for at least",
    kind: "seconds",
    with: "tidy_revocation_queue",
  },
];

/** The fields for the pace of a run. */
export const pace: readonly SettingField<TidySetting>[] = [
  {
    name: "page_size",
    label: "Entries per step",
    kind: "count",
    hint: "At least 5; values above 500 are treated as 500.",
  },
  { name: "pause_duration", label: "Pause between steps", kind: "duration" },
];

/** All fields for the settings of a run. */
export const runFields: readonly SettingField<TidySetting>[] = [...sweeps, ...buffers];

/** The fields for the schedule of automatic runs and for certificate counts. */
export const autoFields: readonly SettingField<AutoTidySetting>[] = [
  { name: "enabled", label: "run automatically", kind: "flag" },
  {
    name: "interval_duration",
    label: "Time between runs",
    kind: "seconds",
    with: "enabled",
  },
  ...runFields,
];

/** The rarely used fields for automatic runs. */
export const autoMore: readonly SettingField<AutoTidySetting>[] = [
  {
    name: "min_startup_backoff_duration",
    label: "Minimum delay after server startup",
    kind: "seconds",
  },
  {
    name: "max_startup_backoff_duration",
    label: "Maximum delay after server startup",
    kind: "seconds",
  },
  ...pace,
  {
    name: "maintain_stored_certificate_counts",
    label: "maintain counts of stored certificates",
    kind: "flag",
  },
  {
    name: "publish_stored_certificate_count_metrics",
    label: "log the counts",
    kind: "flag",
    hint: "Requires “maintain counts of stored certificates”.",
  },
];

const span = (of: Settings, name: string): number => seconds(String(of[name] ?? "")) ?? NaN;

const chosen = (of: Settings): boolean => sweeps.some(({ name }) => of[name] === true);

const rules: readonly SettingRule[] = [
  ...buffers
    .filter(({ name }) => name !== "revocation_queue_safety_buffer")
    .map(({ name }): SettingRule => [name, (of) => span(of, name) < 1, "Must be at least 1s"]),
  [
    "page_size",
    (of) => of["page_size"] !== undefined && Number(of["page_size"]) < 5,
    "Must be at least 5",
  ],
  ["enabled", (of) => of["enabled"] === true && !chosen(of), "Choose at least one"],
  [
    "max_startup_backoff_duration",
    (of) => span(of, "max_startup_backoff_duration") < span(of, "min_startup_backoff_duration"),
    "Must not be shorter than the minimum delay",
  ],
  [
    "publish_stored_certificate_count_metrics",
    (of) =>
      of["publish_stored_certificate_count_metrics"] === true &&
      of["maintain_stored_certificate_counts"] === false,
    "Requires “maintain counts of stored certificates”",
  ],
];

/** Returns the validation errors of the form for automatic runs. */
export const wrongAuto = (typed: Settings): WrongSettings =>
  wrongSettings([...autoFields, ...autoMore], rules, typed);

/** Returns the validation errors of the form for a run. */
export const wrongRun = (typed: Settings): WrongSettings =>
  wrongSettings([...runFields, ...pace], rules, typed);

/** Reports whether at least one sweep is chosen. */
export const doesSomething = chosen;

/**
 * Returns the initial settings of a run: those of automatic runs. If they select no sweep, selects
 * expired certificates, including revoked ones.
 */
export function runSettings(auto: Readonly<Record<string, unknown>>): Settings {
  const initial = settingsOf(auto, [...runFields, ...pace]);
  if (chosen(initial)) return initial;
  const usual = ["tidy_cert_store", "tidy_revoked_certs"].filter((name) => name in initial);
  return { ...initial, ...Object.fromEntries(usual.map((name) => [name, true])) };
}

/** The sweep that deletes nothing. */
const repairSweep = "tidy_revoked_cert_issuer_associations";

/** Returns descriptions of the objects that a run deletes. */
export function tidied(of: Settings): readonly string[] {
  return sweeps.flatMap(({ name, label }) =>
    of[name] === true && name !== repairSweep ? [label] : [],
  );
}

/** Lowercases the first letter of a label, unless it begins with an abbreviation. */
const inSentence = (label: string): string =>
  /^[A-Z]{2}/.test(label) ? label : `${label[0]?.toLowerCase()}${label.slice(1)}`;

/** Returns descriptions of the safety buffers for a run's sweeps. */
export function bufferTexts(of: Settings): readonly string[] {
  const byExpiry = ["tidy_cert_store", "tidy_cert_metadata", "tidy_acme"].some(
    (name) => of[name] === true,
  );
  return buffers.flatMap(({ name, label, with: needs }) =>
    (needs === undefined ? byExpiry : of[needs] === true)
      ? [`${inSentence(label)} ${String(of[name])}`]
      : [],
  );
}

/**
 * Returns the settings to send after a change. Adds the shown buffer for revoked certificates,
 * because the server would otherwise change it together with `safety_buffer`.
 */
export function asShown(
  changes: SettingChanges<AutoTidySetting>,
  auto: AutoTidy,
): SettingChanges<AutoTidySetting> {
  const shown = (changes.tidy_revoked_certs ?? auto.tidy_revoked_certs) === true;
  const { revoked_safety_buffer } = auto;
  return shown && "safety_buffer" in changes && revoked_safety_buffer !== undefined
    ? { revoked_safety_buffer, ...changes }
    : changes;
}
