import { attributeFault, invalid, type Fault } from "./fault.ts";
import { wellFormed } from "./rights.ts";
import type { Settings } from "./rows.ts";

type Sent = Readonly<Record<string, unknown>>;

/** `display-name` as `Display name`, the first word of a fault's sentence. */
const titleOf = (attribute: string): string => attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll("-", " ");

/** A name that paths are made of: letters, digits, `-` and `_`. Adds a fault and answers "" for another. */
export function readName(sent: Sent, longest: number, faults: Fault[]): string {
  const name = sent["name"];
  const fail = (why: string) => {
    faults.push(attributeFault("name", `Name ${why}`));
    return "";
  };
  if (typeof name !== "string" || name === "") return fail("can't be blank");
  if (name.length > longest) return fail(`is too long (maximum is ${longest} characters)`);
  return /^[\w-]+$/.test(name) ? name : fail("may only contain letters, numbers, dashes and underscores");
}
/** A text of at most 256 characters that is not blank, or nothing when it was not sent. Throws 422. */
export function readText(sent: Sent, attribute: string, longest = 256): string | undefined {
  const value = sent[attribute];
  if (value === undefined || value === null) return undefined;
  const fail = (why: string) => invalid([attributeFault(attribute, `${titleOf(attribute)} ${why}`)]);
  if (typeof value !== "string") throw fail("must be a string");
  if (value.trim() === "") throw fail("can't be blank");
  if (value.length > longest) throw fail(`is too long (maximum is ${longest} characters)`);
  if (!wellFormed(value)) throw fail("must be valid Unicode");
  return value;
}
/** One of several words, or nothing when it was not sent. Throws 422. */
export function readWord<const W extends string>(sent: Sent, attribute: string, words: readonly W[]): W | undefined {
  const value = sent[attribute];
  if (value === undefined || value === null) return undefined;
  const word = words.find((known) => known === value);
  if (word === undefined) throw invalid([attributeFault(attribute, `${titleOf(attribute)} is not included in the list`)]);
  return word;
}

/** Most characters of the settings of one resource, as JSON. */
const largestSettings = 64 * 1024;
/** Settings by name that are kept and shown as they came, with what is shown where none came. A value of another kind than its default is ignored; null is taken where the default is null or a list. */
export const settingsAfter = (defaults: Settings, held: Settings, sent: Sent): Settings => {
  const taken = Object.keys(defaults).filter((name) => sent[name] !== undefined && fits(defaults[name], sent[name]));
  const fault = taken.find((name) => !isUnicode(sent[name]));
  if (fault !== undefined) throw invalid([attributeFault(fault, `${titleOf(fault)} must be valid Unicode`)]);
  const settings = { ...held, ...Object.fromEntries(taken.map((name) => [name, sent[name]])) };
  if (JSON.stringify(settings).length > largestSettings)
    throw invalid([{ title: "invalid attribute", detail: "Settings are too long", source: { pointer: "/data/attributes" } }]);
  return settings;
};
/** False where a text or a name in it has no UTF-8: some readers of JSON refuse the whole document then. */
function isUnicode(value: unknown): boolean {
  if (typeof value === "string") return wellFormed(value);
  return typeof value !== "object" || value === null || Object.entries(value).every(([name, each]) => wellFormed(name) && isUnicode(each));
}
function fits(standard: unknown, value: unknown): boolean {
  if (standard === null) return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (Array.isArray(standard)) return Array.isArray(value) && value.every((item) => typeof item === "string");
  return typeof value === typeof standard && value !== null && !Array.isArray(value);
}
