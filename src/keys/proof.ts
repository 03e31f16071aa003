import { utf8 } from "../base/bytes.ts";
import type { Scheme } from "../engine/ports.ts";
import {
  algorithmIdentifier,
  defaultScheme,
  importVerifyKey,
  verifySignature,
  webCryptoParameters,
} from "../x509/algorithm.ts";
import type { PublicKey } from "../x509/spki.ts";

const probe = utf8("does this private key sign for that public one?");

/**
 * Lets a private key sign and the public key verify, under the scheme `defaultScheme` names. Shows
 * what neither arithmetic over the parts (primes that are none) nor every platform's import (a key
 * on another curve) does.
 */
export async function signsFor(publicKey: PublicKey, key: CryptoKey): Promise<boolean> {
  const scheme = defaultScheme(publicKey);
  const parameters = webCryptoParameters(scheme);
  try {
    const signature = await crypto.subtle.sign(parameters, key, probe);
    return await crypto.subtle.verify(
      parameters,
      await importVerifyKey(publicKey.spki, scheme),
      signature,
      probe,
    );
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/** The same for whatever signs as it stands in a certificate. */
export async function verifiesFor(
  publicKey: PublicKey,
  sign: (scheme: Scheme, data: Uint8Array) => Uint8Array,
): Promise<boolean> {
  const scheme = defaultScheme(publicKey);
  const signature = sign(scheme, probe);
  return verifySignature(publicKey.spki, algorithmIdentifier(scheme), probe, signature);
}
