import { parseDuration } from "../base/duration.ts";
import { integerText } from "../base/integer-text.ts";
import { sameValue } from "../base/same.ts";
import { truths } from "../base/truth.ts";
import type { AskedOfPolicy } from "../engine/ports.ts";
import type { ParameterValues, Rule } from "./policy.ts";

/** What is judged beside the path. */
export type Parameters = Readonly<Record<string, unknown>>;

/**
 * Whether a rule lets a request with these parameters pass (P 9.5.1). `names`: all names of each
 * parameter that has several, of which rules may tell by any.
 */
export function admitsParameters(
  { required, denied, allowed }: Pick<Rule, "required" | "denied" | "allowed">,
  parameters: Parameters,
  names?: AskedOfPolicy["names"],
): boolean {
  const namesOf = (name: string): readonly string[] => names?.get(name) ?? [name];
  // as endpoints read them: what is spelled otherwise has no effect there
  const isSent = (name: string): boolean => Object.hasOwn(parameters, name);
  if (!required.every((name) => namesOf(name).some(isSent))) return false;
  const sent = Object.entries(parameters).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  if (sent.length === 0) return true;
  const refused = sent.some(([name, value]) =>
    namesOf(name).some((one) => isDenied(denied, one, value)),
  );
  if (denied.has("*") || refused) return false;
  const others = allowed.size === 0 || allowed.get("*")?.length === 0;
  return sent.every(([name, value]) => {
    const listed = namesOf(name).flatMap((one) => {
      const values = allowed.get(one);
      return values ? [values] : [];
    });
    if (listed.length === 0) return others;
    return listed.some((values) => values.length === 0) || isAllowed(listed.flat(), value);
  });
}

/** Most elements of a value that rules judge one by one: one with more is refused. */
const mostElements = 1000;
function isAllowed(values: readonly unknown[], sent: unknown): boolean {
  if (values.some((value) => sameValue(value, sent))) return true;
  if (!Array.isArray(sent) && isScalar(sent) && values.some((value) => value === textOf(sent)))
    return true;
  const elements = elementsOf(sent);
  return (
    elements.length <= mostElements &&
    elements.every((element) => values.some((value) => matches(value, element)))
  );
}
function isDenied(denied: ParameterValues, name: string, sent: unknown): boolean {
  const values = denied.get(name);
  if (values === undefined) return false;
  if (values.length === 0) return true;
  // whatever an endpoint could read the value as
  const readings = [sent].concat(elementsOf(sent), itemsIn(sent)).flatMap(trimmed);
  if (readings.length > 4 * mostElements) return true;
  const meant = new Set(values.flatMap(meaningsOf));
  return readings.some(
    (reading) =>
      values.some((value) => matches(value, reading)) ||
      meaningsOf(reading).some((meaning) => meant.has(meaning)),
  );
}

type Scalar = string | number | boolean | null;
const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);
const textOf = (value: Scalar): string => (value === null ? "" : String(value));

/** The elements of a list, and of texts that endpoints split at commas; none is an empty text. */
function elementsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.length === 0 ? [""] : value.flatMap(elementsOf);
  return typeof value === "string" && value.includes(",")
    ? value.split(",").map((element) => element.trim())
    : [value];
}
/** The items of the list that a text of JSON holds, as far as they are no lists themselves. */
function itemsIn(value: unknown): readonly unknown[] {
  if (typeof value !== "string" || !/^\s*\[/.test(value)) return [];
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.filter(isScalar) : [];
  } catch {
    return [];
  }
}

/** A value as it came, and without the blanks around it, which endpoints overlook in lists. */
function trimmed(value: unknown): readonly unknown[] {
  const text = typeof value === "string" ? value.trim() : value;
  return text === value ? [value] : [value, text];
}

/** Equality of what is weakly typed, or a star before or behind a text. */
function matches(value: unknown, sent: unknown): boolean {
  if (!isScalar(value) || !isScalar(sent)) return sameValue(value, sent);
  const [pattern, text] = [textOf(value), textOf(sent)];
  if (typeof value !== "string") return pattern === text;
  const [before, behind] = [pattern.startsWith("*"), pattern.endsWith("*")];
  if (pattern === "*") return true;
  if (before && behind) return text.includes(pattern.slice(1, -1));
  if (before) return text.endsWith(pattern.slice(1));
  return behind ? text.startsWith(pattern.slice(0, -1)) : pattern === text;
}

/**
 * The flag, whole number and duration that a value may be read as: a denied value must not pass in
 * another spelling.
 */
function meaningsOf(value: unknown): readonly (number | boolean)[] {
  const text = isScalar(value) ? textOf(value).trim() : undefined;
  if (text === undefined || text.length > 128) return [];
  const flag = text === "" ? false : Object.hasOwn(truths, text) ? truths[text] : undefined;
  const numbers = [integerText(text), Number(text), secondsIn(text)];
  return [...(flag === undefined ? [] : [flag]), ...numbers.filter((one) => !Number.isNaN(one))];
}
function secondsIn(text: string): number {
  try {
    return parseDuration(text) ?? NaN;
  } catch {
    return NaN;
  }
}
