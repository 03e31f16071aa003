import { wellFormed } from "../../base/code-point.ts";
import { titleOf } from "./attributes.ts";
import { isObject } from "./document.ts";
import { attributeFault, invalidError, type Fault } from "./fault.ts";

/** Settings that clients send and want to read back. */
export type Settings = Readonly<Record<string, unknown>>;
/** Most characters of the settings of one resource, as JSON. */
const maxSettingsBytes = 64 * 1024;
/**
 * What a setting takes where its default does not tell: one of several words, or a number. Where
 * null is the default and nothing stands here, it takes a text.
 */
export type Choices = Readonly<Record<string, readonly string[] | "number">>;

/**
 * Settings by name that are kept and shown as they came, with what is shown where none came. Null
 * counts as not sent where it is not the default. Throws 422 with a fault for each value of another
 * kind.
 */
export function settingsAfter(
  defaults: Settings,
  held: Settings,
  sent: Settings,
  choices: Choices,
): Settings {
  const faults = settingFaults(defaults, sent, choices);
  if (faults.length) throw invalidError(faults);
  const settings = {
    ...held,
    ...Object.fromEntries(takenOf(defaults, sent).map((name) => [name, sent[name]])),
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
/** A fault for each setting that was sent and is unfit, in the order of the defaults. */
export const settingFaults = (defaults: Settings, sent: Settings, choices: Choices): Fault[] =>
  takenOf(defaults, sent).flatMap((name) => {
    const [standard, value] = [defaults[name], sent[name]];
    const why =
      value === standard
        ? undefined
        : (unfit(standard, choices[name], value) ??
          (isUnicode(value) ? undefined : "must be valid Unicode"));
    return why === undefined ? [] : [attributeFault(name, `${titleOf(name)} ${why}`)];
  });
const takenOf = (defaults: Settings, sent: Settings): readonly string[] =>
  Object.keys(defaults).filter(
    (name) => sent[name] !== undefined && (sent[name] !== null || defaults[name] === null),
  );
/**
 * False where a text or a name in it has no UTF-8: some readers of JSON refuse the whole document
 * then.
 */
function isUnicode(value: unknown): boolean {
  if (typeof value === "string") return wellFormed(value);
  return (
    typeof value !== "object" ||
    value === null ||
    Object.entries(value).every(([name, each]) => wellFormed(name) && isUnicode(each))
  );
}
/** Why a value cannot stand for a setting. */
function unfit(
  standard: unknown,
  choice: readonly string[] | "number" | undefined,
  value: unknown,
): string | undefined {
  const demand = (fits: boolean, why: string) => (fits ? undefined : why);
  if (typeof choice === "object")
    return demand(
      typeof value === "string" && choice.includes(value),
      "is not included in the list",
    );
  if (choice === "number") return demand(typeof value === "number", "must be a number");
  if (typeof standard === "boolean")
    return demand(typeof value === "boolean", "must be true or false");
  if (Array.isArray(standard))
    return demand(
      Array.isArray(value) && value.every((item) => typeof item === "string"),
      "must be a list of strings",
    );
  if (typeof standard === "object" && standard !== null)
    return demand(isFlags(value), "must be an object whose values are true or false");
  return demand(typeof value === "string", "must be a string");
}
const isFlags = (value: unknown): boolean =>
  isObject(value) &&
  Object.values(value).every((each) => typeof each === "boolean" || each === null);
