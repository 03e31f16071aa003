import { toHex, utf8 } from "../../base/bytes.ts";
import { alphanumeric, randomText, type RandomBytes } from "../../base/random-text.ts";

/** The 58 digits and letters without the look-alikes 0, O, I and l. */
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Prefixes of IDs. */
type Prefix = "var" | "ws" | "org" | "prj" | "team" | "tws" | "user" | "at";
const shape = /^(?:var|ws|org|prj|team|tws|user|at)-[1-9A-HJ-NP-Za-km-z]{16}$/;

/** Generates an ID with 93 random bits, such as `var-EavQ1LztoRTQHSNT`. */
export const newId = (prefix: Prefix, random: RandomBytes): string =>
  `${prefix}-${randomText(random, base58, 16)}`;
/** Reports whether a string has the form of an ID with the given prefix. */
export const isId = (prefix: Prefix, text: string): boolean =>
  text.startsWith(`${prefix}-`) && shape.test(text);

/**
 * Generates a token: 14 alphanumeric characters, `.atlasv1.`, and 67 alphanumeric characters with
 * 398 random bits.
 */
export const generateToken = (random: RandomBytes): string =>
  `${randomText(random, alphanumeric, 14)}.atlasv1.${randomText(random, alphanumeric, 67)}`;
/** Generates a version ID: 64 hexadecimal digits. */
export const newVersion = (random: RandomBytes): string => toHex(random(32));

/** Returns the SHA-256 of a string in hexadecimal, the form in which a token is stored. */
export const hashOf = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));

/**
 * Maximum length of an encoded string in a row key. Row keys have at most 512 characters, of which
 * the prefix and IDs need about 100.
 */
const readable = 400;
/**
 * Encodes a string as part of a row key. Percent-encodes it, or hashes it if the result would be
 * too long. Different strings have different encodings.
 */
export async function keyPart(text: string): Promise<string> {
  const encoded = encodeURIComponent(text).replaceAll("~", "%7E");
  return encoded.length <= readable ? encoded : `~${await hashOf(text)}`;
}
