import { fromBase64Url, toBase64Url } from "./bytes.ts";
import { instantSum, parseDuration, parseMilliseconds } from "./duration.ts";
import { parseSerial, serialKeyText, serialText } from "./ids.ts";
import { asciiOf, lowerAscii } from "./names.ts";

/**
 * A function that converts all spellings of a value to the same normal form. A string without a
 * normal form is returned unchanged.
 */
export type TextForm = (text: string) => string;

/** Returns a function that normalizes a list by normalizing its items with `form`. */
export const listForm =
  (form: TextForm) =>
  (items: readonly string[]): readonly string[] =>
    items.map(form);
/** Returns a function that normalizes a comma-separated list. It drops empty items. */
export const commaListForm =
  (form: TextForm) =>
  (text: string): readonly string[] =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map(form);

/**
 * A function that returns the normalization under which policies compare a value of a path
 * parameter, or undefined if they compare it exactly.
 */
export type ParameterForm = (value: string) => TextForm | undefined;

/** Removes surrounding white space. */
export const trimmedForm: TextForm = (text) => text.trim();
/** Converts a string to lower case. */
export const caselessForm: TextForm = (text) => text.toLowerCase();
/** Converts a string to lower case and removes surrounding white space. */
export const lowerCaseForm: TextForm = (text) => text.trim().toLowerCase();
/**
 * Normalizes a host name: converts it to its ASCII form in lower case, and removes a final dot.
 * Converts email addresses and other names to lower case.
 */
export const hostForm: TextForm = (text) => {
  const name = text.trim();
  return lowerAscii(asciiOf(name) ?? name).replace(/\.$/, "");
};
/** Converts the scheme and host of a URI to lower case (RFC 3986 section 6.2.2.1). */
export const uriForm: TextForm = (text) =>
  text
    .trim()
    .replace(
      /^([a-z][a-z0-9+.-]*:)(?:(\/\/(?:[^/?#@]*@)?)([^/?#]*))?/i,
      (_, scheme: string, before = "", host = "") =>
        `${scheme.toLowerCase()}${String(before)}${lowerAscii(String(host))}`,
    );
const withoutCase = /^(?:default|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** Normalizes a reference to an issuer or key: converts `default` and IDs to lower case. */
export const referenceForm: TextForm = (text) => {
  const name = text.trim();
  return withoutCase.test(name) ? name.toLowerCase() : name;
};
/**
 * Returns the normalization of a reference: case-insensitive for `default` and IDs, exact for
 * names.
 */
export const referenceParameter: ParameterForm = (value) =>
  withoutCase.test(value) ? caselessForm : undefined;
/** Returns the normalization under which any value is compared case-insensitively. */
export const caselessParameter: ParameterForm = () => caselessForm;
/** Normalizes a serial number to hexadecimal octets separated by colons. */
export const serialForm: TextForm = (text) => {
  const serial = parseSerial(text);
  return serial ? serialText(serial) : text.toLowerCase().replaceAll("-", ":");
};
/** Returns the function that normalizes serial numbers, and serial number prefixes in patterns. */
export const serialParameter: ParameterForm = () => (text) => {
  if (parseSerial(text)) return serialForm(text);
  const octets = text.toLowerCase().replaceAll("-", ":");
  return octets.includes(":") ? octets : serialKeyText(octets);
};
/** Normalizes hexadecimal digits: converts them to lower case, and removes separators. */
export const hexForm: TextForm = (text) => text.replace(/[:\- ]/g, "").toLowerCase();
/** Removes all trailing occurrences of a character, in linear time. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
/** Removes surrounding white space and slashes from a path. */
export const pathForm: TextForm = (text) => withoutEnd(text.trim(), "/").replace(/^\/+/, "");
/** Normalizes base64 of either alphabet, with or without padding. */
export const base64Form: TextForm = (text) => {
  const url = withoutEnd(text.trim().replaceAll("+", "-").replaceAll("/", "_"), "=");
  const bytes = fromBase64Url(url);
  return bytes ? toBase64Url(bytes) : text;
};
/**
 * Returns the seconds of a duration that is stored as a string. Returns a negative duration
 * unchanged.
 */
export const durationForm = (text: string): unknown =>
  text.startsWith("-") ? text : parseDuration(text);
/**
 * Returns the milliseconds of a duration that is stored as a string. Returns other strings
 * unchanged.
 */
export const pauseForm = (text: string): unknown => parseMilliseconds(text) ?? text;
/**
 * Returns the Unix seconds of an RFC 3339 time, even if its fields are out of range. Returns other
 * strings unchanged.
 */
export const instantForm = (text: string): unknown => instantSum(text) ?? text;
