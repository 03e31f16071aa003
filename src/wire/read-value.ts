import { CaError } from "../base/errors.ts";
import { parseIntegerText } from "../base/integer-text.ts";
import { parseBoolean } from "../base/parse-boolean.ts";

/** Parses a raw value, or throws `invalid_field` with a reason that names no field yet. */
export type ReadValue<T> = (raw: unknown) => T;
/** Rejects a value; the field adds its name. */
export const unfitValue = (why: string): never => {
  throw new CaError("invalid_field", why);
};

const typeName = (raw: unknown) =>
  raw === null ? "null" : Array.isArray(raw) ? "array" : typeof raw;
/**
 * Returns a value for an error message; lists and objects only by their kind, because converting
 * them to text may fail.
 */
const told = (raw: unknown): string =>
  typeof raw === "string" || typeof raw === "number" ? String(raw).slice(0, 64) : typeName(raw);

/** Parses a text; numbers and booleans are converted. */
export const readText: ReadValue<string> = (raw) => {
  if (typeof raw === "string") return raw;
  if (typeof raw === "number") return String(raw);
  if (typeof raw === "boolean") return raw ? "1" : "0";
  if (raw === null) return "";
  return unfitValue(`expected type 'string', got unconvertible type '${typeName(raw)}'`);
};
/** Parses a whole number, also as text in base 2, 8, 10 or 16. */
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
/** Parses a number, also as text. */
export const readNumber: ReadValue<number> = (raw) => {
  const n = typeof raw === "string" && raw.trim() !== "" ? Number(raw) : raw;
  return typeof n === "number" && Number.isFinite(n)
    ? n
    : unfitValue(`expected type 'float64', got value '${told(raw)}'`);
};
/** Parses a boolean in any form that clients send. */
export const readFlag: ReadValue<boolean> = (raw) => {
  if (typeof raw === "boolean") return raw;
  if (raw === null) return false;
  const text = typeof raw === "number" ? String(raw) : raw;
  const value = text === "" ? false : typeof text === "string" ? parseBoolean(text) : undefined;
  return value ?? unfitValue(`cannot parse '${told(raw)}' as bool`);
};
/** Parses a list of texts; a text is split at commas. */
export const readList: ReadValue<readonly string[]> = (raw) => {
  if (raw === null || raw === "") return [];
  if (Array.isArray(raw)) return raw.map((item: unknown) => readText(item).trim());
  if (typeof raw === "object") return unfitValue("expected a list");
  return readText(raw)
    .split(",")
    .map((item) => item.trim());
};

/** Parses an object and copies it. */
export const readMap = (raw: unknown): Readonly<Record<string, unknown>> =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw)
    ? { ...raw }
    : unfitValue("expected a map");

/** Parses texts of the form `name=value`. */
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
