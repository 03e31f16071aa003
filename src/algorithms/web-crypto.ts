import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { ImportParameters, KeyPair } from "./algorithm.ts";

/** Generates an extractable key pair with WebCrypto. */
export async function webCryptoPair(
  parameters: RsaHashedKeyGenParams | EcKeyGenParams | Algorithm,
): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey(parameters, true, ["sign", "verify"]);
  // Ed25519 is typed as one key or a pair, because the same method generates secret keys.
  if (!("privateKey" in pair)) throw new TypeError("the platform did not generate a key pair");
  return pair;
}

/** Exports both keys of a pair as DER. */
export async function exportedPair({ privateKey, publicKey }: CryptoKeyPair): Promise<KeyPair> {
  const [pkcs8, spki] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", privateKey),
    crypto.subtle.exportKey("spki", publicKey),
  ]);
  return { pkcs8: new Uint8Array(pkcs8), spki: new Uint8Array(spki) };
}

/**
 * Generates a key pair, retrying up to three times: on some platforms this fails intermittently.
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

/** Imports PKCS#8 for signing. Throws `CaError` `bad_key` for a key that the platform rejects. */
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
    // The platform's message differs between runtimes and may quote the key.
    if (error instanceof DOMException)
      throw new CaError("bad_key", "private key: the platform rejects it");
    throw error;
  }
}
