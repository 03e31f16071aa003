import { keyAlgorithms } from "../../algorithms/table.ts";
import { CaError } from "../../base/errors.ts";
import type { Scheme } from "../../engine/ports.ts";
import { defaultScheme, type PublicKey } from "../../x509/public-key.ts";

/**
 * Reports whether `signature_bits` and `use_pss` apply to keys of the given type. They apply only
 * to RSA.
 */
const chooses = (keyType: string): boolean =>
  keyAlgorithms.some(({ type, choosesScheme }) => choosesScheme && type === keyType);

/**
 * Validates `signature_bits`, and returns it as stored: for RSA, 0 becomes 256 (A 6.7, A 7.2).
 * Throws `bad_key` for an unsupported size.
 */
export function checkSignatureBits(keyType: string, bits: number): number {
  if (!chooses(keyType)) return bits;
  if (![0, 256, 384, 512].includes(bits))
    throw new CaError("bad_key", `unsupported hash signature algorithm: ${bits}`);
  return bits || 256;
}

/**
 * Returns the scheme with which an issuer's key signs. `signature_bits` and `use_pss` apply only to
 * RSA (A 6.8).
 */
export function schemeFor(issuer: PublicKey, signatureBits: number, pss: boolean): Scheme {
  if (!issuer.algorithm.choosesScheme) return defaultScheme(issuer);
  return defaultScheme(issuer, [256, 384, 512].includes(signatureBits) ? signatureBits : 0, pss);
}
