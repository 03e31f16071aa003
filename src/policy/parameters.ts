import { parseDuration } from "../base/duration.ts";
import { parseIntegerText } from "../base/integer-text.ts";
import { deepEqual } from "../base/deep-equal.ts";
import { parseBoolean } from "../base/parse-boolean.ts";
import type { AccessRequest } from "../engine/ports.ts";
import type { Rule } from "./rule.ts";

/** The parameters of a request, by name. */
type RequestParameters = Readonly<Record<string, unknown>>;

/** The parameters that an endpoint declares, by name. */
type Declared = NonNullable<AccessRequest["declared"]>;
/** A value and its items, all in normal form. */
interface Formed {
  readonly whole: unknown;
  /**
   * The items of the value, or the items into which an endpoint may split a string. No item is an
   * empty string.
   */
  readonly items: readonly unknown[];
}
type Form = (value: unknown) => Formed;

/**
 * Reports whether a rule allows the parameters of a request (P 9.5.1). `declared` contains the
 * parameters that the endpoint declares. So that a rule cannot be bypassed with a different
 * spelling, it applies to all aliases of a parameter, and compares values in the form in which the
 * endpoint compares and stores them.
 */
export function admitsParameters(
  { required, denied, allowed }: Pick<Rule, "required" | "denied" | "allowed">,
  parameters: RequestParameters,
  declared: Declared = {},
): boolean {
  const names = namesIn(declared);
  const namesOf = (name: string): readonly string[] => names.get(name) ?? [name];
  // names are case-sensitive, because endpoints ignore names in other spellings
  const isSent = (name: string): boolean => Object.hasOwn(parameters, name);
  if (!required.every((name) => namesOf(name).some(isSent))) return false;
  const sent = Object.entries(parameters).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  if (sent.length === 0) return true;
  const refused = sent.some(([name, value]) =>
    namesOf(name).some((one) => isDenied(denied.get(one), value, formIn(declared, name))),
  );
  if (denied.has("*") || refused) return false;
  const others = allowed.size === 0 || allowed.get("*")?.length === 0;
  return sent.every(([name, value]) => {
    const listed = namesOf(name).flatMap((one) => {
      const values = allowed.get(one);
      return values ? [values] : [];
    });
    if (listed.length === 0) return others;
    return (
      listed.some((values) => values.length === 0) ||
      isAllowed(listed.flat(), value, formIn(declared, name))
    );
  });
}

const namesOfDeclared = new WeakMap<Declared, ReadonlyMap<string, readonly string[]>>();
/** Returns all names of each parameter that has aliases. */
function namesIn(declared: Declared): ReadonlyMap<string, readonly string[]> {
  const cached = namesOfDeclared.get(declared);
  if (cached) return cached;
  const names = new Map<string, readonly string[]>();
  for (const [name, { alias }] of Object.entries(declared)) {
    if (alias === undefined) continue;
    const all = [...(names.get(alias) ?? [alias]), name];
    for (const one of all) names.set(one, all);
  }
  namesOfDeclared.set(declared, names);
  return names;
}

/**
 * Maximum number of elements of a value that rules check. Values with more elements are rejected.
 */
const maxElements = 1000;
/** Maximum number of elements that are normalized. No rule allows more elements. */
const maxFormed = 4 * maxElements;
/**
 * Returns a function that normalizes values of a parameter, and returns invalid values unchanged.
 */
function formIn(declared: Declared, name: string): Form {
  const field = Object.hasOwn(declared, name) ? declared[name] : undefined;
  return (value) => {
    let whole = value;
    const sent = elementsOf(value);
    // the value will be rejected because of its length
    if (sent.length > maxFormed) return { whole, items: sent };
    try {
      // some field types do not accept null
      whole = field?.parse(value, name) ?? value;
      if (!field?.form) return { whole, items: elementsOf(whole) };
      whole = field.form(whole);
      if (!Array.isArray(whole) || whole.length === 0) return { whole, items: elementsOf(whole) };
      return { whole, items: whole };
    } catch {
      // the value is a pattern in a rule, or the endpoint rejects it
      return { whole, items: elementsOf(whole) };
    }
  };
}
/**
 * Returns a rule's value in the normal form of the values with which it is compared. For a list,
 * this is the normal form of the items.
 */
function formOfRule(value: unknown, form: Form): unknown {
  const { whole } = form(value);
  if (Array.isArray(value) || !Array.isArray(whole)) return whole;
  const [item, ...more]: readonly unknown[] = whole;
  if (item === undefined) return value;
  return more.length > 0 ? whole : item;
}

function isAllowed(rules: readonly unknown[], value: unknown, form: Form): boolean {
  const [{ whole, items }, values] = [form(value), rules.map((one) => formOfRule(one, form))];
  if (values.some((one) => deepEqual(one, whole))) return true;
  if (isScalar(whole) && values.some((one) => one === textOf(whole))) return true;
  return (
    items.length <= maxElements &&
    items.every((element) => values.some((one) => matches(one, element)))
  );
}
function isDenied(rules: readonly unknown[] | undefined, value: unknown, form: Form): boolean {
  if (rules === undefined) return false;
  if (rules.length === 0) return true;
  // compare every form in which an endpoint could read the value
  const { whole, items } = form(value);
  const readings = [value, ...elementsOf(value), ...itemsIn(value), whole, ...items].flatMap(
    trimmed,
  );
  if (readings.length > 2 * maxFormed) return true;
  const values = rules.flatMap((one) => [one, formOfRule(one, form)]);
  const meanings = new Set(values.flatMap(meaningsOf));
  return readings.some(
    (reading) =>
      values.some((one) => matches(one, reading)) ||
      meaningsOf(reading).some((meaning) => meanings.has(meaning)),
  );
}

type Scalar = string | number | boolean | null;
const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);
const textOf = (value: Scalar): string => (value === null ? "" : String(value));

/**
 * Returns the elements of a list, or of a string that endpoints split at commas. An empty list is
 * treated as a list of one empty string.
 */
function elementsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.length === 0 ? [""] : value.flatMap(elementsOf);
  return typeof value === "string" && value.includes(",")
    ? value.split(",").map((element) => element.trim())
    : [value];
}
/**
 * Parses a string that contains a JSON list, and returns the items that are not lists themselves.
 */
function itemsIn(value: unknown): readonly unknown[] {
  if (typeof value !== "string" || !/^\s*\[/.test(value)) return [];
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.filter(isScalar) : [];
  } catch {
    return [];
  }
}

/**
 * Returns a value both with and without surrounding white space, because endpoints ignore it in
 * lists.
 */
function trimmed(value: unknown): readonly unknown[] {
  const text = typeof value === "string" ? value.trim() : value;
  return text === value ? [value] : [value, text];
}

/**
 * Reports whether a sent value matches a rule's value, ignoring differences in type. A string in a
 * rule may begin or end with a star, which is a wildcard.
 */
function matches(value: unknown, sent: unknown): boolean {
  if (!isScalar(value) || !isScalar(sent)) return deepEqual(value, sent);
  const [pattern, text] = [textOf(value), textOf(sent)];
  if (typeof value !== "string") return pattern === text;
  const [before, behind] = [pattern.startsWith("*"), pattern.endsWith("*")];
  if (pattern === "*") return true;
  if (before && behind) return text.includes(pattern.slice(1, -1));
  if (before) return text.endsWith(pattern.slice(1));
  return behind ? text.startsWith(pattern.slice(0, -1)) : pattern === text;
}

/**
 * Returns the boolean, the integer and the duration that a value may represent, so that a denied
 * value cannot be sent in a different spelling.
 */
function meaningsOf(value: unknown): readonly (number | boolean)[] {
  const text = isScalar(value) ? textOf(value).trim() : undefined;
  if (text === undefined || text.length > 128) return [];
  const flag = text === "" ? false : parseBoolean(text);
  const numbers = [parseIntegerText(text), Number(text), secondsIn(text)];
  return [...(flag === undefined ? [] : [flag]), ...numbers.filter((one) => !Number.isNaN(one))];
}
function secondsIn(text: string): number {
  try {
    return parseDuration(text) ?? NaN;
  } catch {
    return NaN;
  }
}
