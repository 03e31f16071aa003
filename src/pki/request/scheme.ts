import { CaError } from "../../base/errors.ts";
import type { Scheme } from "../../engine/ports.ts";
import { defaultScheme } from "../../x509/algorithm.ts";
import type { PublicKey } from "../../x509/spki.ts";

/** Checks `signature_bits`; for RSA, 0 is stored as 256 (A 6.7, A 7.2). */
export function checkSignatureBits(keyType: string, bits: number): number {
  if (keyType !== "rsa") return bits;
  if (![0, 256, 384, 512].includes(bits))
    throw new CaError("bad_key", `unsupported hash signature algorithm: ${bits}`);
  return bits || 256;
}

/** How an issuer's key signs: `signature_bits` and `use_pss` matter for RSA only (A 6.8). */
export function schemeFor(issuer: PublicKey, signatureBits: number, pss: boolean): Scheme {
  if (issuer.type !== "rsa") return defaultScheme(issuer);
  return defaultScheme(issuer, [256, 384, 512].includes(signatureBits) ? signatureBits : 0, pss);
}
