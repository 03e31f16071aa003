import { toBase64Url, utf8 } from "../../base/bytes.ts";
import { alphanumeric, randomText, type RandomBytes } from "../../base/random-text.ts";

/** Prefix of batch tokens. */
export const batchPrefix = "b.";
/** Generates a service token: `s.` and 32 random characters (190 bits). */
export const generateServiceToken = (random: RandomBytes): string =>
  `s.${randomText(random, alphanumeric, 32)}`;
/** Generates an accessor: 24 random characters (142 bits). */
export const generateAccessor = (random: RandomBytes): string =>
  randomText(random, alphanumeric, 24);

/**
 * Returns the SHA-256 of a token in base64url, the only form in which a token is stored (security
 * row 47).
 */
export const hashOf = async (token: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(token))));

/**
 * Derives a key for a purpose from a token with HKDF (RFC 5869). The token cannot be computed from
 * the key.
 */
export async function keyOf(token: string, purpose: string): Promise<CryptoKey> {
  const { subtle } = crypto;
  const material = await subtle.importKey("raw", utf8(token), "HKDF", false, ["deriveKey"]);
  const how: HkdfParams = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: utf8(`sealwright token ${purpose}`),
  };
  const aes = { name: "AES-GCM", length: 256 };
  return subtle.deriveKey(how, material, aes, false, ["encrypt", "decrypt"]);
}
