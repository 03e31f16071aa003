import { keyAlgorithms } from "../../algorithms/table.ts";
import { CaError } from "../../base/errors.ts";
import type { Scheme } from "../../engine/ports.ts";
import { defaultScheme, type PublicKey } from "../../x509/public-key.ts";

/** Whether `signature_bits` and `use_pss` mean anything to keys of a type: RSA alone. */
const chooses = (keyType: string): boolean =>
  keyAlgorithms.some(({ type, choosesScheme }) => choosesScheme && type === keyType);

/** Checks `signature_bits`; for RSA, 0 is stored as 256 (A 6.7, A 7.2). */
export function checkSignatureBits(keyType: string, bits: number): number {
  if (!chooses(keyType)) return bits;
  if (![0, 256, 384, 512].includes(bits))
    throw new CaError("bad_key", `unsupported hash signature algorithm: ${bits}`);
  return bits || 256;
}

/** How an issuer's key signs: `signature_bits` and `use_pss` matter for RSA only (A 6.8). */
export function schemeFor(issuer: PublicKey, signatureBits: number, pss: boolean): Scheme {
  if (!issuer.algorithm.choosesScheme) return defaultScheme(issuer);
  return defaultScheme(issuer, [256, 384, 512].includes(signatureBits) ? signatureBits : 0, pss);
}
