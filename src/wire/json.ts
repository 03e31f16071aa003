import { CaError } from "../base/errors.ts";
import { fromUtf8 } from "../base/bytes.ts";

const maxDepth = 64;

/**
 * The members of a JSON object or of a form. An empty body has none. Objects nested deeper than 64, numbers above 2^53 and repeated keys of the outermost
 * object are refused: what a policy or a log reads must be what a handler reads (decisions.md section 3).
 */
export function readJson(body: Uint8Array, type: string | null): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  const text = decode(body);
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) return {};
  if (first !== "{" && first !== "[" && type?.toLowerCase().startsWith("application/x-www-form-urlencoded")) return formMembers(text);
  checkShape(text);
  let value: unknown;
  try {
    value = JSON.parse(text, (_, v: unknown) => (typeof v === "number" && Number.isInteger(v) && !Number.isSafeInteger(v) ? failed("a number is larger than 2^53") : v));
  } catch (error) {
    if (error instanceof CaError) throw error;
    failed("the text is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return failed("the body must be a JSON object");
  // JSON.parse makes `__proto__` an own member, so a plain cast is safe here and every reader asks by declared name only
  return value as Readonly<Record<string, unknown>>;
}
const failed = (why: string): never => {
  throw new CaError("malformed", `failed to decode JSON input: ${why}`);
};
function decode(body: Uint8Array): string {
  try {
    return fromUtf8(body);
  } catch {
    return failed("the text is not valid UTF-8");
  }
}
function formMembers(text: string): Record<string, unknown> {
  const form = new URLSearchParams(text.trim());
  return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name).length > 1 ? form.getAll(name) : form.get(name)]));
}

/** Walks the text once, outside strings, for depth and for repeated members of the outermost object. */
function checkShape(text: string): void {
  const seen = new Set<string>();
  let depth = 0;
  let expectKey = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      const end = stringEnd(text, i);
      if (expectKey) seen.add(newKey(text.slice(i, end + 1), seen));
      expectKey = false;
      i = end;
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxDepth) failed(`nested deeper than ${maxDepth}`);
      expectKey = depth === 1 && c === 0x7b;
    } else if (c === 0x7d || c === 0x5d) depth--;
    else if (c === 0x2c) expectKey = depth === 1;
  }
}
/** The key without its quotes; escapes are resolved, so that two spellings of one key count as one. */
function newKey(quoted: string, seen: ReadonlySet<string>): string {
  let key = quoted.slice(1, -1);
  if (key.includes("\\")) {
    try {
      key = String(JSON.parse(quoted));
    } catch {
      failed("the text is not valid JSON");
    }
  }
  return seen.has(key) ? failed(`the member ${key.slice(0, 64)} is there twice`) : key;
}
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x5c) i++;
    else if (c === 0x22) return i;
  }
  return text.length;
}
