import { toHex, utf8 } from "../../base/bytes.ts";
import { alphanumeric, randomText, type RandomBytes } from "../../base/random-text.ts";

/** 58 characters: digits and letters without the look-alikes 0, O, I and l. */
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** The prefixes of IDs. */
type Prefix = "var" | "ws" | "org" | "prj" | "team" | "tws" | "user" | "at";
const shape = /^(?:var|ws|org|prj|team|tws|user|at)-[1-9A-HJ-NP-Za-km-z]{16}$/;

/** Generates an id such as `var-EavQ1LztoRTQHSNT`: 93 random bits. */
export const newId = (prefix: Prefix, random: RandomBytes): string =>
  `${prefix}-${randomText(random, base58, 16)}`;
/** Reports whether a text has the form of an ID of this kind; other texts match nothing. */
export const isId = (prefix: Prefix, text: string): boolean =>
  text.startsWith(`${prefix}-`) && shape.test(text);

/**
 * Generates a token: 14 alphanumeric characters, `.atlasv1.`, 67 more; 398 random bits in the
 * second part.
 */
export const generateToken = (random: RandomBytes): string =>
  `${randomText(random, alphanumeric, 14)}.atlasv1.${randomText(random, alphanumeric, 67)}`;
/** Generates a version id: 64 hexadecimal digits. */
export const newVersion = (random: RandomBytes): string => toHex(random(32));

/** Returns the SHA-256 of a text in hexadecimal, the stored form of a token. */
export const hashOf = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));

/** Maximum length of readable key text: 512 characters minus 100 for prefix and IDs. */
const readable = 400;
/**
 * Encodes a text as part of a row key: percent-encoded, or hashed if that is too long. The encoding
 * is injective.
 */
export async function keyPart(text: string): Promise<string> {
  const encoded = encodeURIComponent(text).replaceAll("~", "%7E");
  return encoded.length <= readable ? encoded : `~${await hashOf(text)}`;
}
