import { keyAlgorithms } from "../../algorithms/table.ts";
import { CaError } from "../../base/errors.ts";
import type { Scheme } from "../../engine/ports.ts";
import { defaultScheme, type PublicKey } from "../../x509/public-key.ts";

/** Reports whether `signature_bits` and `use_pss` apply to a type of key: RSA only. */
const chooses = (keyType: string): boolean =>
  keyAlgorithms.some(({ type, choosesScheme }) => choosesScheme && type === keyType);

/** Validates `signature_bits`; for RSA, 0 is stored as 256 (A 6.7, A 7.2). */
export function checkSignatureBits(keyType: string, bits: number): number {
  if (!chooses(keyType)) return bits;
  if (![0, 256, 384, 512].includes(bits))
    throw new CaError("bad_key", `unsupported hash signature algorithm: ${bits}`);
  return bits || 256;
}

/**
 * Returns the signature scheme of an issuer's key; `signature_bits` and `use_pss` apply to RSA only
 * (A 6.8).
 */
export function schemeFor(issuer: PublicKey, signatureBits: number, pss: boolean): Scheme {
  if (!issuer.algorithm.choosesScheme) return defaultScheme(issuer);
  return defaultScheme(issuer, [256, 384, 512].includes(signatureBits) ? signatureBits : 0, pss);
}
