import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { ImportParameters, KeyPair } from "./algorithm.ts";

/** Generates an extractable key pair with WebCrypto. */
export async function webCryptoPair(
  parameters: RsaHashedKeyGenParams | EcKeyGenParams | Algorithm,
): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey(parameters, true, ["sign", "verify"]);
  // The declared type is a key or a pair, because the same method also generates secret keys.
  if (!("privateKey" in pair)) throw new TypeError("the platform did not generate a key pair");
  return pair;
}

/** Exports both keys of a pair as PKCS#8 and SubjectPublicKeyInfo (DER). */
export async function exportedPair({ privateKey, publicKey }: CryptoKeyPair): Promise<KeyPair> {
  const [pkcs8, spki] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", privateKey),
    crypto.subtle.exportKey("spki", publicKey),
  ]);
  return { pkcs8: new Uint8Array(pkcs8), spki: new Uint8Array(spki) };
}

/**
 * Generates a key pair. Retries up to three times, because this fails intermittently on some
 * platforms.
 */
export async function retryKeyPair(make: () => Promise<KeyPair>): Promise<KeyPair> {
  for (let left = 3; ; left--) {
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof DOMException) || left === 0) throw error;
    }
  }
}

/**
 * Imports a PKCS#8 key for signing. Rejects with `CaError` `bad_key` if the platform does not
 * accept the key.
 */
export async function importPrivateKey(
  pkcs8: Uint8Array,
  parameters: ImportParameters,
  extractable: boolean,
): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey("pkcs8", asBytes(pkcs8), parameters, extractable, [
      "sign",
    ]);
  } catch (error) {
    // Messages differ between platforms and may quote the key.
    if (error instanceof DOMException)
      throw new CaError("bad_key", "private key: the platform does not accept it");
    throw error;
  }
}
