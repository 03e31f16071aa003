import { CaError } from "../base/errors.ts";
import { parseIntegerText } from "../base/integer-text.ts";
import { parseBoolean } from "../base/parse-boolean.ts";

/** Reads a wire value, or throws `invalid_field` with a reason that names no field yet. */
export type ReadValue<T> = (raw: unknown) => T;
/** Refuses a value; the field that reads it adds its name. */
export const unfitValue = (why: string): never => {
  throw new CaError("invalid_field", why);
};

const typeName = (raw: unknown) =>
  raw === null ? "null" : Array.isArray(raw) ? "array" : typeof raw;
/**
 * What a text may say of a value that does not fit: lists and objects only by their kind, because
 * making text of them can fail.
 */
const told = (raw: unknown): string =>
  typeof raw === "string" || typeof raw === "number" ? String(raw).slice(0, 64) : typeName(raw);

/** A text; numbers and booleans become theirs. */
export const readText: ReadValue<string> = (raw) => {
  if (typeof raw === "string") return raw;
  if (typeof raw === "number") return String(raw);
  if (typeof raw === "boolean") return raw ? "1" : "0";
  if (raw === null) return "";
  return unfitValue(`expected type 'string', got unconvertible type '${typeName(raw)}'`);
};
/** A whole number, also as text in base 2, 8, 10 or 16. */
export const readInt: ReadValue<number> = (raw) => {
  const n =
    typeof raw === "string"
      ? parseIntegerText(raw.trim())
      : typeof raw === "boolean"
        ? Number(raw)
        : raw === null
          ? 0
          : raw;
  return typeof n === "number" && Number.isSafeInteger(n)
    ? n
    : unfitValue(`expected type 'int', got value '${told(raw)}'`);
};
/** A number, also as text. */
export const readNumber: ReadValue<number> = (raw) => {
  const n = typeof raw === "string" && raw.trim() !== "" ? Number(raw) : raw;
  return typeof n === "number" && Number.isFinite(n)
    ? n
    : unfitValue(`expected type 'float64', got value '${told(raw)}'`);
};
/** True or false, in the spellings that clients send. */
export const readFlag: ReadValue<boolean> = (raw) => {
  if (typeof raw === "boolean") return raw;
  if (raw === null) return false;
  const text = typeof raw === "number" ? String(raw) : raw;
  const value = text === "" ? false : typeof text === "string" ? parseBoolean(text) : undefined;
  return value ?? unfitValue(`cannot parse '${told(raw)}' as bool`);
};
/** A list of texts; a text is split at commas. */
export const readList: ReadValue<readonly string[]> = (raw) => {
  if (raw === null || raw === "") return [];
  if (Array.isArray(raw)) return raw.map((item: unknown) => readText(item).trim());
  if (typeof raw === "object") return unfitValue("expected a list");
  return readText(raw)
    .split(",")
    .map((item) => item.trim());
};

/** An object, copied. */
export const readMap = (raw: unknown): Readonly<Record<string, unknown>> =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw)
    ? { ...raw }
    : unfitValue("expected a map");

/** Values by the names before the first `=` of each text. */
export function readPairs(raw: string | readonly unknown[]): Readonly<Record<string, string>> {
  const texts: readonly unknown[] = typeof raw === "string" ? [raw] : raw;
  return Object.fromEntries(
    texts.map((one) => {
      const at = typeof one === "string" ? one.indexOf("=") : -1;
      return typeof one === "string" && at > 0
        ? [one.slice(0, at), one.slice(at + 1)]
        : unfitValue("expected a map, or texts like name=value");
    }),
  );
}
