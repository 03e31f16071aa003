import { fromBase64Url, toBase64Url } from "./bytes.ts";
import { instantSum, parseDuration, parseMilliseconds } from "./duration.ts";
import { parseSerial, serialKeyText, serialText } from "./ids.ts";
import { asciiOf, lowerAscii } from "./names.ts";

/** The normal form of a text, one for all its spellings; a text that has none stays as it is. */
export type TextForm = (text: string) => string;

/** Returns the form of a list from that of its items. */
export const listForm =
  (form: TextForm) =>
  (items: readonly string[]): readonly string[] =>
    items.map(form);
/** The form of a text with items between commas; empty ones do not count. */
export const commaListForm =
  (form: TextForm) =>
  (text: string): readonly string[] =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map(form);

/** Returns the form in which a value of a path parameter is compared; undefined: by the letter. */
export type ParameterForm = (value: string) => TextForm | undefined;

/** A text without the blanks around it. */
export const trimmedForm: TextForm = (text) => text.trim();
/** A text in lower case. */
export const caselessForm: TextForm = (text) => text.toLowerCase();
/** A text in lower case, without the blanks around it. */
export const lowerCaseForm: TextForm = (text) => text.trim().toLowerCase();
/**
 * Normalizes a host name: ASCII form, lower case, no final dot. A mail address or any other name:
 * lower case.
 */
export const hostForm: TextForm = (text) => {
  const name = text.trim();
  return lowerAscii(asciiOf(name) ?? name).replace(/\.$/, "");
};
/** A URI with its scheme and host in lower case (RFC 3986 section 6.2.2.1). */
export const uriForm: TextForm = (text) =>
  text
    .trim()
    .replace(
      /^([a-z][a-z0-9+.-]*:)(?:(\/\/(?:[^/?#@]*@)?)([^/?#]*))?/i,
      (_, scheme: string, before = "", host = "") =>
        `${scheme.toLowerCase()}${String(before)}${lowerAscii(String(host))}`,
    );
const withoutCase = /^(?:default|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** A reference to an issuer or a key: `default` and ids in lower case. */
export const referenceForm: TextForm = (text) => {
  const name = text.trim();
  return withoutCase.test(name) ? name.toLowerCase() : name;
};
/** Compares `default` and ids without case, and names by the letter. */
export const referenceParameter: ParameterForm = (value) =>
  withoutCase.test(value) ? caselessForm : undefined;
/** Compares any value without case. */
export const caselessParameter: ParameterForm = () => caselessForm;
/** A serial number: hexadecimal octets with colons. */
export const serialForm: TextForm = (text) => {
  const serial = parseSerial(text);
  return serial ? serialText(serial) : text.toLowerCase().replaceAll("-", ":");
};
/** Compares serial numbers, and the beginnings of them that patterns have. */
export const serialParameter: ParameterForm = () => (text) => {
  if (parseSerial(text)) return serialForm(text);
  const octets = text.toLowerCase().replaceAll("-", ":");
  return octets.includes(":") ? octets : serialKeyText(octets);
};
/** Hexadecimal digits in lower case without separators. */
export const hexForm: TextForm = (text) => text.replace(/[:\- ]/g, "").toLowerCase();
/** Removes repetitions of a character at the end, in linear time. */
function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
/** A path without the slashes around it. */
export const pathForm: TextForm = (text) => withoutEnd(text.trim(), "/").replace(/^\/+/, "");
/** Base64 of either alphabet, with or without padding. */
export const base64Form: TextForm = (text) => {
  const url = withoutEnd(text.trim().replaceAll("+", "-").replaceAll("/", "_"), "=");
  const bytes = fromBase64Url(url);
  return bytes ? toBase64Url(bytes) : text;
};
/** Seconds of a duration stored as text; a negative one stays text. */
export const durationForm = (text: string): unknown =>
  text.startsWith("-") ? text : parseDuration(text);
/** Milliseconds of a duration stored as text. */
export const pauseForm = (text: string): unknown => parseMilliseconds(text) ?? text;
/** Unix seconds of a time (RFC 3339), or of a text that reads like one; of no time, the text. */
export const instantForm = (text: string): unknown => instantSum(text) ?? text;
