import { CaError } from "../base/errors.ts";
import { tryRead } from "../base/try-read.ts";
import {
  algorithmName,
  importVerifyKey,
  isWeakAlgorithm,
  parsePublicKey,
  schemeOf,
  verifySignature,
} from "../x509/public-key.ts";

/** A signed structure: a certificate, a CRL or an OCSP response. */
interface SignedData {
  readonly tbs: Uint8Array;
  readonly algorithm: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Returns the reason why signatures with an algorithm are rejected regardless of the key, or
 * undefined if they are not.
 */
export function unusableAlgorithm({
  algorithm,
}: Pick<SignedData, "algorithm">):
  | { readonly code: "weak_signature" | "unsupported_signature"; readonly name: string }
  | undefined {
  if (schemeOf(algorithm)) return undefined;
  const name = tryRead(() => algorithmName(algorithm)) ?? "unreadable";
  const isWeak = tryRead(() => isWeakAlgorithm(algorithm)) ?? false;
  return { code: isWeak ? "weak_signature" : "unsupported_signature", name };
}

/**
 * Reports whether the platform can verify signatures with a key. A key whose type does not match
 * the algorithm counts as usable, although it cannot have created the signature.
 */
export async function isUsableKey(
  spki: Uint8Array,
  { algorithm }: Pick<SignedData, "algorithm">,
): Promise<boolean> {
  const scheme = schemeOf(algorithm);
  if (isTooLarge(spki)) return false;
  try {
    if (scheme && parsePublicKey(spki).algorithm.signing.platform)
      await importVerifyKey(spki, scheme);
    return true;
  } catch (error) {
    return error instanceof CaError;
  }
}

/**
 * Maximum number of signatures that one verification checks. It is more than any real chain needs.
 */
const maxSignatures = 200;

/**
 * A verifier of signatures, which verifies each pair of key and signature once, and only up to a
 * limit.
 */
export interface SignatureChecker {
  /** Reports whether the limit was exceeded. From then on, all signatures count as invalid. */
  readonly isExhausted: () => boolean;
  readonly verify: (spki: Uint8Array, signed: SignedData) => Promise<boolean>;
}

/** Creates the signature checker for one verification. */
export function signatureChecker(): SignatureChecker {
  const results = new Map<Uint8Array, Map<Uint8Array, Promise<boolean>>>();
  let left = maxSignatures;
  let exhausted = false;
  return {
    isExhausted: () => exhausted,
    verify: async (spki, signed) => {
      const ofKey = results.get(spki) ?? new Map<Uint8Array, Promise<boolean>>();
      results.set(spki, ofKey);
      const cached = ofKey.get(signed.tbs);
      if (cached) return cached;
      if (left === 0) {
        exhausted = true;
        return false;
      }
      left--;
      const result = verify(spki, signed);
      ofKey.set(signed.tbs, result);
      return result;
    },
  };
}

/** Maximum key size in bits. Larger keys are slow, and validation rejects them. */
const maxKeyBits = 8192;

const isTooLarge = (spki: Uint8Array): boolean =>
  (tryRead(() => parsePublicKey(spki))?.bits ?? 0) > maxKeyBits;

async function verify(spki: Uint8Array, signed: SignedData): Promise<boolean> {
  if (isTooLarge(spki)) return false;
  try {
    return await verifySignature(spki, signed.algorithm, signed.tbs, signed.signature);
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}
