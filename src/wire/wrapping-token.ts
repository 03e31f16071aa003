import {
  asBytes,
  concat,
  fromBase64Url,
  toBase64Url,
  toHex,
  utf8,
  type Bytes,
} from "../base/bytes.ts";
import type { RandomBytes } from "../base/random-text.ts";

const form = /^wrap\.([\w-]{43})$/;
const nonceLength = 12;

/**
 * Values derived from a wrapping token: the ID of its row, and the key that encrypts the wrapped
 * response.
 */
interface TokenSecrets {
  readonly id: string;
  readonly key: CryptoKey;
}
/** A wrapping token with the values derived from it. */
export interface WrappingToken extends TokenSecrets {
  readonly text: string;
}
/** Generates a wrapping token. */
export async function generateWrappingToken(random: RandomBytes): Promise<WrappingToken> {
  const chance = random(32);
  if (chance.length !== 32) throw new TypeError("random() must return as many bytes as requested");
  return { text: `wrap.${toBase64Url(chance)}`, ...(await secretsOf(chance)) };
}
/** Derives the values of a wrapping token. Returns undefined if the token is malformed. */
export async function readToken(text: string): Promise<TokenSecrets | undefined> {
  const chance = fromBase64Url(form.exec(text.trim())?.[1] ?? "");
  return chance?.length === 32 ? secretsOf(chance) : undefined;
}

/**
 * Derives from an accessor the index value of the row and the key that encrypts the details. The
 * rows alone reveal neither accessor nor details. Returns undefined if the accessor is malformed.
 */
export async function readAccessor(text: string): Promise<TokenSecrets | undefined> {
  const chance = /^[\w-]{24}$/.test(text) ? fromBase64Url(text) : undefined;
  return chance && secretsOf(chance);
}

/** Encrypts a response that expires at `end` (Unix ms). */
export async function sealReply(
  { id, key }: TokenSecrets,
  end: number,
  reply: Bytes,
  random: RandomBytes,
): Promise<Uint8Array> {
  const nonce = random(nonceLength);
  return concat([
    nonce,
    new Uint8Array(await crypto.subtle.encrypt(gcm(nonce, id, end), key, reply)),
  ]);
}
/** Decrypts a response. Returns undefined if it was modified. */
export async function openReply(
  { id, key }: TokenSecrets,
  end: number,
  sealed: Uint8Array,
): Promise<Uint8Array | undefined> {
  try {
    const nonce = sealed.subarray(0, nonceLength);
    const text = asBytes(sealed.subarray(nonceLength));
    return new Uint8Array(await crypto.subtle.decrypt(gcm(nonce, id, end), key, text));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/**
 * Returns AES-GCM parameters with the ID and the expiry of the row as associated data, so that a
 * change to either is detected.
 */
const gcm = (nonce: Uint8Array, id: string, end: number): AesGcmParams => ({
  name: "AES-GCM",
  iv: asBytes(nonce),
  additionalData: utf8(`${id}/${end}`),
});

/**
 * Derives from a token the ID of the row and the key that encrypts the response. Neither reveals
 * the other or the token.
 */
async function secretsOf(token: Bytes | Uint8Array): Promise<TokenSecrets> {
  const { subtle } = crypto;
  const material = await subtle.importKey("raw", asBytes(token), "HKDF", false, [
    "deriveBits",
    "deriveKey",
  ]);
  const hkdf = (purpose: string): HkdfParams => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: utf8(`sealwright wrapped reply ${purpose}`),
  });
  const [id, key] = await Promise.all([
    subtle.deriveBits(hkdf("id"), material, 256),
    subtle.deriveKey(hkdf("key"), material, { name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]),
  ]);
  return { id: toHex(new Uint8Array(id)), key };
}
