import { CaError } from "./errors.ts";
import { decodePunycode, encodePunycode } from "./punycode.ts";

const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
/** RFC 1035 section 2.3.4, in octets of the ASCII form. */
const [maxLabelLength, maxNameLength] = [63, 253];

/**
 * Host names as certificates carry them: labels of letters, digits and inner hyphens, optionally
 * behind `*.`, optionally before one final dot.
 */
export function isHostName(name: string): boolean {
  const base = name.startsWith("*.") ? name.slice(2) : name;
  return (base.endsWith(".") ? base.slice(0, -1) : base)
    .split(".")
    .every((part) => label.test(part));
}

/**
 * Whether the last label is a number, decimal, octal or hexadecimal: readers take such a name for
 * an IPv4 address or for nothing, never for a host name (URL Standard section 3.5, "ends in a
 * number").
 */
export function endsInNumber(name: string): boolean {
  return /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$/i.test(name);
}

/** Whether a label says that it is an A-label (RFC 5890 section 2.3.2.1). */
const isReserved = (text: string): boolean => /^xn--/i.test(text);

/**
 * Whether every label `xn--…` of a name decodes (RFC 3492); other labels with hyphens in positions
 * three and four are free.
 */
export function hasReadableLabels(name: string): boolean {
  if (!/xn--/i.test(name)) return true;
  return name
    .split(".")
    .every((text) => !isReserved(text) || decodePunycode(lowerAscii(text.slice(4))) !== undefined);
}

/**
 * ASCII letters in lower case and all else as it is: folding of other scripts takes the Kelvin sign
 * for a `k`.
 */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A label with exactly one `*`: alone, or at the start, the end or inside of a label. */
export function isWildLabel(text: string): boolean {
  const [left = "", right, ...more] = text.split("*");
  return (
    right !== undefined &&
    more.length === 0 &&
    [left, right].every((part) => part === "" || label.test(part))
  );
}

/**
 * Says whether a control character is in the text: C0, DEL or C1; or half of a surrogate pair,
 * which no certificate can hold. No name may hold one.
 */
export function hasControlCharacter(text: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(text);
}

/**
 * Whether a DNS name in ASCII has at most 253 octets, one final dot aside, and labels of at most 63
 * (RFC 1035 section 2.3.4).
 */
export function fitsDns(name: string): boolean {
  const plain = name.endsWith(".") ? name.slice(0, -1) : name;
  return (
    plain.length <= maxNameLength && plain.split(".").every((part) => part.length <= maxLabelLength)
  );
}

/** Octets of a mail address: those of a path without its brackets (RFC 5321 section 4.5.3.1.3). */
const maxMailAddressLength = 254;
/** Whether a mail address in ASCII has at most 254 octets. */
export const fitsMail = (address: string): boolean => address.length <= maxMailAddressLength;

/**
 * A mail address as RFC 822 names in certificates can hold it: printable ASCII without blanks
 * around exactly one `@`, at most 254 octets.
 */
export function isMailAddress(text: string): boolean {
  return fitsMail(text) && /^[!-?A-~]+@[!-?A-~]+$/.test(text);
}

/**
 * Turns every label with non-ASCII characters into its `xn--` form (RFC 3492), without case folding
 * or mapping; ASCII labels stay as they are. Empty names and labels, labels above 63 and names
 * above 253 octets, labels `xn--…` that are not ASCII, and characters that only pretend to be
 * something are refused as `name_not_allowed`. One final dot is kept.
 */
export function toAscii(name: string): string {
  const rooted = name.endsWith(".");
  // each code point takes an octet at least, and a dot besides
  if (name.length > 2 * maxNameLength + 1) throw invalidLabel(name);
  const labels = (rooted ? name.slice(0, -1) : name).split(".");
  if (labels.includes("")) throw invalidLabel(name);
  let ascii = "";
  for (const text of labels) {
    ascii += (ascii === "" ? "" : ".") + asciiLabel(text);
    if (ascii.length > maxNameLength) throw invalidLabel(name);
  }
  return rooted ? `${ascii}.` : ascii;
}

/** The ASCII form, or nothing when the name has none. */
export function asciiOf(name: string): string | undefined {
  try {
    return toAscii(name);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}

function asciiLabel(text: string): string {
  const ascii = isAscii(text) ? text : uLabel(text);
  if (ascii.length > maxLabelLength) throw invalidLabel(text);
  return ascii;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

function invalidLabel(text: string): CaError {
  return new CaError("name_not_allowed", `idna: invalid label "${excerpt(text)}"`);
}

/** A name as it may stand in a message: cut where it is longer than any real name. */
export function excerpt(name: string): string {
  return name.length > 300 ? `${name.slice(0, 300)}…` : name;
}

/**
 * Full stops of other scripts (RFC 3490 section 3.1), blanks, controls, marks of text direction and
 * halves of surrogate pairs: no host name means them.
 */
const deceptive =
  /[\u3002\uff0e\uff61\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\p{Z}\p{Cc}\p{Cs}]/u;

function uLabel(text: string): string {
  const points =
    text.length > 2 * maxLabelLength ? [] : Array.from(text, (char) => char.codePointAt(0) ?? 0);
  // Each code point takes an octet at least, so this also bounds the time of encoding.
  if (
    points.length === 0 ||
    points.length > maxLabelLength ||
    deceptive.test(text) ||
    isReserved(text)
  )
    throw invalidLabel(text);
  return `xn--${encodePunycode(points)}`;
}
