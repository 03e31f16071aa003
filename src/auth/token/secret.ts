import { toBase64Url, utf8 } from "../../base/bytes.ts";
import { alphanumeric, randomText, type RandomBytes } from "../../base/random-text.ts";

/** What the text of a batch token begins with. */
export const batchPrefix = "b.";
/** A new service token: `s.` and 32 characters, 190 random bits. */
export const drawServiceToken = (random: RandomBytes): string =>
  `s.${randomText(random, alphanumeric, 32)}`;
/** A new accessor: 24 characters, 142 random bits. */
export const drawAccessor = (random: RandomBytes): string => randomText(random, alphanumeric, 24);

/** SHA-256 of a token's text, base64url: all that is stored of it (security row 47). */
export const hashOf = async (token: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(token))));

/** The key of a purpose that only a token gives (RFC 5869): neither leads back to the token. */
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
