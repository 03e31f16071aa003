import { wellFormed } from "../../base/code-point.ts";
import { attributeFault, invalidError, type Fault } from "./fault.ts";

type Sent = Readonly<Record<string, unknown>>;

/**
 * Converts an attribute name such as `display-name` to `Display name`, for the beginning of an
 * error message.
 */
export const titleOf = (attribute: string): string =>
  attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll("-", " ");

/**
 * Parses a name that can be part of a URL path: letters, digits, `-` and `_`. If it is invalid,
 * adds a fault and returns "".
 */
export function readName(sent: Sent, maxLength: number, faults: Fault[]): string {
  const name = sent["name"];
  const fail = (why: string) => {
    faults.push(attributeFault("name", `Name ${why}`));
    return "";
  };
  if (name === undefined || name === null || name === "") return fail("can't be blank");
  if (typeof name !== "string") return fail("must be a string");
  if (name.length > maxLength) return fail(`is too long (maximum is ${maxLength} characters)`);
  return /^[\w-]+$/.test(name)
    ? name
    : fail("may only contain letters, numbers, dashes and underscores");
}
/** Parses a name like `readName`. Returns undefined if it is absent. */
export const readSentName = (sent: Sent, maxLength: number, faults: Fault[]): string | undefined =>
  sent["name"] === undefined || sent["name"] === null
    ? undefined
    : readName(sent, maxLength, faults);
/**
 * Parses a string that is not blank and has at most `maxLength` characters. Returns undefined if it
 * is absent. Throws 422 if it is invalid.
 */
export function readText(sent: Sent, attribute: string, maxLength = 256): string | undefined {
  const value = sent[attribute];
  if (value === undefined || value === null) return undefined;
  const fail = (why: string) =>
    invalidError([attributeFault(attribute, `${titleOf(attribute)} ${why}`)]);
  if (typeof value !== "string") throw fail("must be a string");
  if (value.trim() === "") throw fail("can't be blank");
  if (value.length > maxLength) throw fail(`is too long (maximum is ${maxLength} characters)`);
  if (!wellFormed(value)) throw fail("must be valid Unicode");
  return value;
}
/**
 * Parses a value from a fixed set of words. Returns undefined if it is absent. Throws 422 for any
 * other value.
 */
export function readWord<const W extends string>(
  sent: Sent,
  attribute: string,
  allowed: readonly W[],
): W | undefined {
  const value = sent[attribute];
  if (value === undefined || value === null) return undefined;
  const match = allowed.find((one) => one === value);
  if (match === undefined)
    throw invalidError([
      attributeFault(attribute, `${titleOf(attribute)} is not included in the list`),
    ]);
  return match;
}

/**
 * Parses a boolean. Returns undefined if it is absent. Throws 422, with a pointer to `at`, for any
 * other value.
 */
export function readFlag(sent: Sent, attribute: string, at = attribute): boolean | undefined {
  const value = sent[attribute];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean")
    throw invalidError([attributeFault(at, `${titleOf(attribute)} must be true or false`)]);
  return value;
}
