import type { Role } from "../../lib/role.ts";
import { keyAlgorithms } from "../../../src/algorithms/table.ts";
import { parseInstant } from "../../../src/base/duration.ts";
import { requestedKeyText } from "../../lib/key-label.ts";
import { groups, type Control, type Option, type RoleField } from "./fields.ts";
import { duration, roleSeconds, seconds } from "../../lib/durations.ts";
import { toText } from "../../lib/to-text.ts";

/** The fields of a role as values of the form controls. */
export type Values = Readonly<Record<string, string | boolean>>;

/** All fields of a role. */
const fields: readonly RoleField[] = groups.flatMap((group) => group.fields);

/** Converts a role to values of the form controls. */
export function valuesOf(role: Role): Values {
  const joined = (value: unknown, by: string): string =>
    Array.isArray(value) ? value.map(String).join(by) : toText(value);
  const controlValue = (name: string, control: Control): string | boolean => {
    if (control === "flag") return role[name] === true;
    if (control === "duration") return duration(roleSeconds(role[name]));
    return joined(role[name], typeof control === "object" ? ", " : "\n");
  };
  return Object.fromEntries(fields.map(([name, , control]) => [name, controlValue(name, control)]));
}

/** Converts values of the form controls to a role. */
export function roleOf(values: Values): Role {
  const apiValue = ([name, , control]: RoleField): unknown => {
    const value = values[name];
    if (typeof value !== "string") return value === true;
    const sent = typeof control === "object" ? control.sent : control;
    if (sent === "number" || sent === "bits") return Number(value) || 0;
    if (sent === "list") return value.split(/[\s,]+/).filter(Boolean);
    if (control === "lines") return value.split("\n").flatMap((line) => line.trim() || []);
    if (control === "duration") return value.trim() === "" ? 0 : (seconds(value) ?? value);
    return value.trim();
  };
  return Object.fromEntries(fields.map((field) => [field[0], apiValue(field)]));
}

/** Returns the fields that the user has changed. */
export function changesOf(values: Values, role: Role): Role {
  const saved = valuesOf(role);
  return Object.fromEntries(
    Object.entries(roleOf(values)).filter(([name]) => values[name] !== saved[name]),
  );
}

const bitsOf = (text: unknown): number => Number(text) || 0;

/**
 * Returns the size options of a key type, beginning with 0 for the default. A type with a fixed
 * size has only this option.
 */
export function sizesOf(type: string, now: string): readonly Option[] {
  const all = keyAlgorithms.filter((algorithm) => algorithm.type === type);
  const sizes = all.flatMap((algorithm) => algorithm.sizes).toSorted((a, b) => a - b);
  const usual: Option = [
    "0",
    all.length > 0 ? `Default (${requestedKeyText(type, 0)})` : "Any size",
  ];
  const options = [
    usual,
    ...sizes.map((bits): Option => [String(bits), requestedKeyText(type, bits)]),
  ];
  return options.some(([value]) => value === now)
    ? options
    : [...options, [now, `${now}: not a size for this key type`]];
}

/** Returns the initial size for a newly selected key type. */
const usualSize = (type: string): number =>
  keyAlgorithms.find((algorithm) => algorithm.type === type && algorithm.usualSize)?.usualSize ?? 0;

/**
 * Changes a value. If the value is the key type, also sets a valid size: the size in the saved
 * `role` if the role has this type, or else the usual size.
 */
export function withValue(
  values: Values,
  name: string,
  value: string | boolean,
  role: Role,
): Values {
  const next = { ...values, [name]: value };
  if (name !== "key_type") return next;
  const saved = valuesOf(role);
  return {
    ...next,
    key_bits:
      value === saved["key_type"] ? (saved["key_bits"] ?? "0") : String(usualSize(String(value))),
  };
}

/**
 * Returns the values after a role has been saved as `sent`: the values from the server, except for
 * fields that the user has edited since.
 */
export function valuesAfter(values: Values, sent: Values, saved: Role): Values {
  return Object.fromEntries(
    Object.entries(valuesOf(saved)).map(([name, value]) => [
      name,
      values[name] === sent[name] ? value : (values[name] ?? value),
    ]),
  );
}

/** The options for the latest expiry other than a fixed time. */
export const latestRules: readonly Option[] = [
  ["permit", "Any, up to the issuer’s expiry"],
  ["ttl-limited", "Up to the maximum lifetime"],
  ["forbid", "Requests cannot set it"],
];
const rules: ReadonlySet<string> = new Set(latestRules.map(([value]) => value));

function isMoment(text: string): boolean {
  try {
    parseInstant(text);
    return true;
  } catch {
    return false;
  }
}

/** Replaces values with those of a preset. */
export const withPreset = (values: Values, preset: Role): Values => ({
  ...values,
  ...picked(valuesOf(preset), preset),
});

/** Reports whether the values equal those of a preset. */
export const isPreset = (values: Values, preset: Role): boolean =>
  Object.entries(picked(valuesOf(preset), preset)).every(([name, value]) => values[name] === value);

const picked = (values: Values, of: Role): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in of));

/** Returns the validation errors of the values, by field. */
export function wrongRole(values: Values): Readonly<Record<string, string>> {
  const wrongOnes: Record<string, string> = {};
  for (const [name, , control] of fields) {
    const value = String(values[name] ?? "").trim();
    if (control === "duration" && value !== "" && seconds(value) === undefined)
      wrongOnes[name] = `${value}: not a duration. Enter 90d, 72h, 1h30m or seconds`;
    const momentary =
      (control === "moment" && value !== "") || (control === "latest" && !rules.has(value));
    if (name in values && momentary && !isMoment(value))
      wrongOnes[name] = `${value || "Empty"}: not a time. Enter 2027-01-31T00:00:00Z`;
  }
  const [kind, bits] = [String(values["key_type"] ?? ""), bitsOf(values["key_bits"])];
  const last = sizesOf(kind, String(bits)).at(-1);
  if (bits > 0 && last?.[1].includes("not a size")) wrongOnes["key_bits"] = last[1];
  const [ttl, maxTtl] = [
    seconds(String(values["ttl"] ?? "")) ?? 0,
    seconds(String(values["max_ttl"] ?? "")) ?? 0,
  ];
  if (maxTtl > 0 && ttl > maxTtl)
    wrongOnes["ttl"] = `The default exceeds the maximum (${String(values["max_ttl"]).trim()})`;
  return wrongOnes;
}
