import { fromUtf8 } from "./bytes.ts";
import { CaError } from "./errors.ts";

const maxDepth = 64;
/** Default maximum number of members and list items in a body. */
const maxMembers = 20_000;

/**
 * Parses a body that is a JSON object or a form. An empty body has no members. So that policies and
 * logs see the same values as handlers, rejects (D 3):
 *
 * - values nested more than 64 levels deep,
 * - more than `max` members and list items,
 * - numbers beyond 2^53,
 * - duplicate members.
 *
 * `engine` is set for clients of `/v1`. Integers written with a decimal point or an exponent then
 * become strings, which integer fields reject (A 1.5), and a body `null` has no members.
 */
export function readJson(
  body: Uint8Array,
  type: string | null,
  engine = false,
  max = maxMembers,
): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  const text = decode(body);
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) return {};
  if (
    first !== "{" &&
    first !== "[" &&
    type?.toLowerCase().startsWith("application/x-www-form-urlencoded")
  ) {
    if (hasMoreThan(text, "&", max - 1)) tooMany(max);
    return pairMembers(new URLSearchParams(text.trim()));
  }
  const odd = checkShape(text, max);
  let value: unknown;
  try {
    value = engine && odd ? JSON.parse(text, asWritten) : JSON.parse(text);
  } catch {
    failed("the text is not valid JSON");
  }
  if (value === null && engine) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return failed("the body must be a JSON object");
  // JSON.parse creates `__proto__` as an own member, so this cast is safe; only declared names are
  // read
  return value as Readonly<Record<string, unknown>>;
}
const failed = (why: string): never => {
  throw new CaError("malformed", `failed to decode JSON input: ${why}`);
};
const tooMany = (max: number): never => failed(`more than ${max} members and list items`);
/** Reports whether a character occurs more than `max` times in a string. */
function hasMoreThan(text: string, mark: string, max: number): boolean {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0 && count <= max; at = text.indexOf(mark, at + 1))
    count++;
  return count > max;
}
function decode(body: Uint8Array): string {
  try {
    return fromUtf8(body);
  } catch {
    return failed("the text is not valid UTF-8");
  }
}

/** Returns the members of a form or query. The values of a repeated name become a list. */
export function pairMembers(pairs: URLSearchParams): Record<string, unknown> {
  // a single pass, because a lookup for each name would take quadratic time
  const members = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = members.get(name);
    if (values) values.push(value);
    else members.set(name, [value]);
  }
  return Object.fromEntries(
    [...members].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
}

const [quote, comma, minus, backslash] = [0x22, 0x2c, 0x2d, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Reviver that returns integers written with a decimal point or an exponent as strings, if the
 * JavaScript engine provides the source text.
 */
function asWritten(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" && Number.isInteger(value) && /[.eE]/.test(context?.source ?? "")
    ? context?.source
    : value;
}

/**
 * Checks the nesting depth, the number of members, duplicates and large numbers in a JSON document.
 * Returns whether a number has a decimal point or an exponent. Leaves syntax errors to the parser.
 */
function checkShape(text: string, max: number): boolean {
  /** The keys read so far of each open object, or undefined for an open list. */
  const open: (Set<string> | undefined)[] = [];
  let keyNext = false;
  let odd = false;
  let [members, scalars] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === quote) {
      scalars++;
      const end = stringEnd(text, i);
      if (keyNext) {
        members++;
        addKey(text.slice(i, end + 1), open.at(-1));
      }
      keyNext = false;
      i = end;
    } else if (c === openBrace || c === openBracket) {
      open.push(c === openBrace ? new Set() : undefined);
      if (open.length > maxDepth) failed(`nested more than ${maxDepth} levels deep`);
      keyNext = c === openBrace;
      if (!keyNext) members++;
    } else if (c === closeBrace || c === closeBracket) open.pop();
    else if (c === comma) {
      keyNext = open.at(-1) !== undefined;
      if (!keyNext) members++;
    } else if ((c >= 0x30 && c <= 0x39) || c === minus) {
      scalars++;
      const end = numberEnd(text, i);
      odd ||= /[.eE]/.test(text.slice(i, end));
      i = end - 1;
    }
    if (members > max) tooMany(max);
    // a member has at most two scalars, its key and its value; if there are more, commas are
    // missing
    if (scalars > 2 * max) failed("the text is not valid JSON");
  }
  return odd;
}
/** Adds a key to the keys of an object. Rejects a duplicate, even if its escapes differ. */
function addKey(quoted: string, keys: Set<string> | undefined): void {
  let key = quoted.slice(1, -1);
  if (key.includes("\\")) {
    try {
      key = String(JSON.parse(quoted));
    } catch {
      failed("the text is not valid JSON");
    }
  }
  if (keys?.has(key)) failed(`duplicate member ${key.slice(0, 64)}`);
  keys?.add(key);
}
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === backslash) i++;
    else if (c === quote) return i;
  }
  return text.length;
}
const numberText = /-?[0-9.eE+-]*/y;
/**
 * Returns the offset after a number. Rejects a number whose magnitude exceeds 2^53 - 1, because
 * parsers may round it.
 */
function numberEnd(text: string, start: number): number {
  numberText.lastIndex = start;
  const [digits = ""] = numberText.exec(text) ?? [];
  const value = Number(digits);
  // NaN means a syntax error, which the parser reports
  if (!Number.isNaN(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    failed("a number exceeds 2^53");
  return start + digits.length;
}
