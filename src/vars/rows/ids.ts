import { toHex, utf8 } from "../../base/bytes.ts";

/** Secure random bytes. */
export type Chance = (bytes: number) => Uint8Array;

/** 58 characters: digits and letters without the look-alikes 0, O, I and l. */
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Draws a text of `length` characters, each with the same probability. Throws `TypeError` when the
 * source of chance gives none.
 */
function draw(random: Chance, alphabet: string, length: number): string {
  // bytes from here on would make the first characters likelier
  const fair = 256 - (256 % alphabet.length);
  let text = "";
  // each round gives 1.8 characters for every one that is wanted: a hundred rounds without success
  // are no chance
  for (let round = 0; text.length < length; round++) {
    if (round === 100) throw new TypeError("the source of random bytes returned none");
    for (const byte of random(2 * length))
      if (byte < fair) text += alphabet[byte % alphabet.length] ?? "";
  }
  return text.slice(0, length);
}

/** What an id begins with. */
export type Prefix = "var" | "ws" | "org" | "prj" | "team" | "tws" | "user" | "at";
const shape = /^(?:var|ws|org|prj|team|tws|user|at)-[1-9A-HJ-NP-Za-km-z]{16}$/;

/** A new id such as `var-EavQ1LztoRTQHSNT`: 93 random bits. */
export const newId = (prefix: Prefix, random: Chance): string =>
  `${prefix}-${draw(random, base58, 16)}`;
/** Says whether a text has the shape of an id of this kind; anything else names nothing. */
export const isId = (prefix: Prefix, text: string): boolean =>
  text.startsWith(`${prefix}-`) && shape.test(text);

/**
 * A new token: 14 alphanumeric characters, `.atlasv1.`, 67 more; 398 random bits in the second
 * part.
 */
export const drawToken = (random: Chance): string =>
  `${draw(random, alphanumeric, 14)}.atlasv1.${draw(random, alphanumeric, 67)}`;
/** A new version id: 64 hexadecimal digits. */
export const newVersion = (random: Chance): string => toHex(random(32));

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
