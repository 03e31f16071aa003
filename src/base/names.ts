import { CaError } from "./errors.ts";
import { decodePunycode, encodePunycode } from "./punycode.ts";

const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
/** Maximum lengths of a label and a name in octets, in ASCII form (RFC 1035 section 2.3.4). */
const [maxLabelLength, maxNameLength] = [63, 253];
const overlongLabel = new RegExp(`[^.]{${maxLabelLength + 1}}`);

/**
 * Reports whether a name is a host name as in certificates: labels of letters, digits and inner
 * hyphens, with an optional prefix `*.` and an optional final dot.
 */
export function isHostName(name: string): boolean {
  const base = name.startsWith("*.") ? name.slice(2) : name;
  return (base.endsWith(".") ? base.slice(0, -1) : base)
    .split(".")
    .every((part) => label.test(part));
}

const plainLabels =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/**
 * Reports whether a name is a simple lower-case host name, whose last label begins with a letter
 * and which contains no `xn--`. This check is fast.
 */
export const isPlainHostName = (name: string): boolean =>
  name.length <= maxNameLength && plainLabels.test(name) && !name.includes("xn--");

/**
 * Reports whether the last label is a decimal, octal or hexadecimal number. Clients treat such a
 * name as an IPv4 address or reject it (URL Standard section 3.5, "ends in a number").
 */
export function endsInNumber(name: string): boolean {
  return /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$/i.test(name);
}

/** Reports whether a label begins with the ACE prefix `xn--` (RFC 5890 section 2.3.2.5). */
const isReserved = (text: string): boolean => /^xn--/i.test(text);

/**
 * Reports whether every label that begins with `xn--` can be decoded (RFC 3492). Other labels may
 * have hyphens in positions three and four.
 */
export function hasReadableLabels(name: string): boolean {
  if (!/xn--/i.test(name)) return true;
  return name
    .split(".")
    .every((text) => !isReserved(text) || decodePunycode(lowerAscii(text.slice(4))) !== undefined);
}

/**
 * Converts only ASCII letters to lower case, because Unicode case folding would map the Kelvin sign
 * to `k`.
 */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Reports whether a label contains exactly one `*`, at any position. */
export function isWildLabel(text: string): boolean {
  const [left = "", right, ...more] = text.split("*");
  return (
    right !== undefined &&
    more.length === 0 &&
    [left, right].every((part) => part === "" || label.test(part))
  );
}

/**
 * Reports whether a string contains control characters (C0, DEL or C1) or unpaired surrogates,
 * which must not occur in certificates.
 */
export function hasControlCharacter(text: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(text);
}

/**
 * Reports whether an ASCII DNS name has at most 253 octets, without a final dot, and labels of at
 * most 63 octets (RFC 1035 section 2.3.4).
 */
export function isWithinDnsLimits(name: string): boolean {
  const plain = name.endsWith(".") ? name.slice(0, -1) : name;
  return plain.length <= maxNameLength && !overlongLabel.test(plain);
}

/**
 * Maximum length of an email address in octets, which is that of an SMTP path without the angle
 * brackets (RFC 5321 section 4.5.3.1.3).
 */
const maxMailAddressLength = 254;
/** Reports whether the length of an ASCII email address is within the limit of RFC 5321. */
export const isWithinMailLimit = (address: string): boolean =>
  address.length <= maxMailAddressLength;

/**
 * Reports whether a string is an email address as certificates encode it: printable ASCII
 * characters around exactly one `@`, and at most 254 octets.
 */
export function isMailAddress(text: string): boolean {
  return isWithinMailLimit(text) && /^[!-?A-~]+@[!-?A-~]+$/.test(text);
}

/**
 * Converts each label with non-ASCII characters to its `xn--` form (RFC 3492), without case folding
 * or mapping. Leaves ASCII labels and a final dot unchanged. Throws `name_not_allowed` for empty
 * names and labels, labels longer than 63 and names longer than 253 octets, non-ASCII labels that
 * begin with `xn--`, and deceptive characters.
 */
export function toAscii(name: string): string {
  const rooted = name.endsWith(".");
  // each code point becomes at least one octet
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

/** Returns the ASCII form of a name, or undefined if it has none. */
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
  return new CaError("name_not_allowed", `idna: invalid label "${truncateForMessage(text)}"`);
}

/** Truncates a string for an error message. */
export function truncateForMessage(name: string): string {
  return name.length > 300 ? `${name.slice(0, 300)}…` : name;
}

/**
 * Characters that no host name contains: full stops of other scripts (RFC 3490 section 3.1),
 * blanks, controls, direction marks and unpaired surrogates.
 */
const deceptive =
  /[\u3002\uff0e\uff61\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\p{Z}\p{Cc}\p{Cs}]/u;

function uLabel(text: string): string {
  const points =
    text.length > 2 * maxLabelLength ? [] : Array.from(text, (char) => char.codePointAt(0) ?? 0);
  // each code point becomes at least one octet, so this limit also bounds the encoding time
  if (
    points.length === 0 ||
    points.length > maxLabelLength ||
    deceptive.test(text) ||
    isReserved(text)
  )
    throw invalidLabel(text);
  return `xn--${encodePunycode(points)}`;
}

/** Matches the names of issuers, keys and roles, which are short enough to be part of a row key. */
export const reference = /^\w(?:[\w.-]{0,253}\w)?$/;
/**
 * Reports whether a string can be the name of an issuer, key or role: letters, digits and `_`, and
 * also `.` and `-` except at the ends.
 */
export const isReference = (text: string): boolean => reference.test(text);
