import { wellFormed } from "../../base/code-point.ts";
import { titleOf } from "./attributes.ts";
import { isObject } from "./document.ts";
import { attributeFault, invalidError, type Fault } from "./fault.ts";

/** Settings that are stored and returned but have no effect. */
export type Settings = Readonly<Record<string, unknown>>;
/** Maximum length of a resource's settings as JSON, in characters. */
const maxSettingsBytes = 64 * 1024;
/**
 * Types of settings whose type does not follow from their default: a fixed set of words, or a
 * number. Other settings with the default null are strings.
 */
export type Choices = Readonly<Record<string, readonly string[] | "number">>;

/**
 * Returns the stored settings, updated with those in a request. Null counts as absent unless it is
 * the default. Throws 422 with a fault for each invalid value, or if all settings together are too
 * large.
 */
export function settingsAfter(
  defaults: Settings,
  current: Settings,
  sent: Settings,
  choices: Choices,
): Settings {
  const faults = settingFaults(defaults, sent, choices);
  if (faults.length) throw invalidError(faults);
  const settings = {
    ...current,
    ...Object.fromEntries(appliedNames(defaults, sent).map((name) => [name, sent[name]])),
  };
  if (JSON.stringify(settings).length > maxSettingsBytes)
    throw invalidError([
      {
        title: "invalid attribute",
        detail: "Settings are too large",
        source: { pointer: "/data/attributes" },
      },
    ]);
  return settings;
}
/** Returns a fault for each invalid setting in a request, in the order of the defaults. */
export const settingFaults = (defaults: Settings, sent: Settings, choices: Choices): Fault[] =>
  appliedNames(defaults, sent).flatMap((name) => {
    const [standard, value] = [defaults[name], sent[name]];
    const why =
      value === standard
        ? undefined
        : (unfit(standard, choices[name], value) ??
          (isUnicode(value) ? undefined : "must be valid Unicode"));
    return why === undefined ? [] : [attributeFault(name, `${titleOf(name)} ${why}`)];
  });
const appliedNames = (defaults: Settings, sent: Settings): readonly string[] =>
  Object.keys(defaults).filter(
    (name) => sent[name] !== undefined && (sent[name] !== null || defaults[name] === null),
  );
/**
 * Reports whether all strings and member names are valid Unicode. Otherwise some JSON parsers would
 * reject the whole document.
 */
function isUnicode(value: unknown): boolean {
  if (typeof value === "string") return wellFormed(value);
  return (
    typeof value !== "object" ||
    value === null ||
    Object.entries(value).every(([name, each]) => wellFormed(name) && isUnicode(each))
  );
}
/** Returns the reason why a value is not valid for a setting, or undefined if it is valid. */
function unfit(
  standard: unknown,
  choice: readonly string[] | "number" | undefined,
  value: unknown,
): string | undefined {
  const faultUnless = (isValid: boolean, why: string) => (isValid ? undefined : why);
  if (typeof choice === "object")
    return faultUnless(
      typeof value === "string" && choice.includes(value),
      "is not included in the list",
    );
  if (choice === "number") return faultUnless(typeof value === "number", "must be a number");
  if (typeof standard === "boolean")
    return faultUnless(typeof value === "boolean", "must be true or false");
  if (Array.isArray(standard))
    return faultUnless(
      Array.isArray(value) && value.every((item) => typeof item === "string"),
      "must be a list of strings",
    );
  if (typeof standard === "object" && standard !== null)
    return faultUnless(isFlags(value), "must be an object whose values are true or false");
  return faultUnless(typeof value === "string", "must be a string");
}
const isFlags = (value: unknown): boolean =>
  isObject(value) &&
  Object.values(value).every((each) => typeof each === "boolean" || each === null);
