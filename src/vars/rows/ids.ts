import { toHex, utf8 } from "../../base/bytes.ts";
import { alphanumeric, randomText, type RandomBytes } from "../../base/random-text.ts";

export type { RandomBytes as Chance } from "../../base/random-text.ts";

/** 58 characters: digits and letters without the look-alikes 0, O, I and l. */
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** What an id begins with. */
type Prefix = "var" | "ws" | "org" | "prj" | "team" | "tws" | "user" | "at";
const shape = /^(?:var|ws|org|prj|team|tws|user|at)-[1-9A-HJ-NP-Za-km-z]{16}$/;

/** A new id such as `var-EavQ1LztoRTQHSNT`: 93 random bits. */
export const newId = (prefix: Prefix, random: RandomBytes): string =>
  `${prefix}-${randomText(random, base58, 16)}`;
/** Says whether a text has the shape of an id of this kind; anything else names nothing. */
export const isId = (prefix: Prefix, text: string): boolean =>
  text.startsWith(`${prefix}-`) && shape.test(text);

/**
 * A new token: 14 alphanumeric characters, `.atlasv1.`, 67 more; 398 random bits in the second
 * part.
 */
export const generateToken = (random: RandomBytes): string =>
  `${randomText(random, alphanumeric, 14)}.atlasv1.${randomText(random, alphanumeric, 67)}`;
/** A new version id: 64 hexadecimal digits. */
export const newVersion = (random: RandomBytes): string => toHex(random(32));

/** SHA-256 of a text in hexadecimal: what is stored of a token. */
export const hashOf = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));

/** Longest text that a key holds readably: 512 characters less the 100 of a prefix and ids. */
const readable = 400;
/**
 * A text as part of a row's key: percent-encoded, or its hash when that would be too long.
 * Different texts give different parts.
 */
export async function keyPart(text: string): Promise<string> {
  const encoded = encodeURIComponent(text).replaceAll("~", "%7E");
  return encoded.length <= readable ? encoded : `~${await hashOf(text)}`;
}
