import { CaError } from "../../base/errors.ts";
import type { Scheme, Signer } from "../../engine/ports.ts";
import { algorithmIdentifier, verifySignature } from "../../x509/public-key.ts";
import { assembleSigned } from "../../x509/certificate.ts";

/**
 * Signs the DER of a certificate, CRL, CSR or OCSP response, and returns the whole; `after`: what
 * follows the signature. Verifies signatures that the platform did not make. Throws
 * `unusable_issuer` if it does not verify.
 */
export async function signDer(
  signer: Signer,
  scheme: Scheme,
  tbs: Uint8Array,
  after?: Uint8Array,
): Promise<Uint8Array> {
  const algorithm = algorithmIdentifier(scheme);
  const signature = await signer.sign(scheme, tbs);
  if (!signer.platform && !(await verifySignature(signer.spki, algorithm, tbs, signature)))
    throw new CaError(
      "unusable_issuer",
      "the key of the issuer made a signature that does not verify",
    );
  return assembleSigned(tbs, algorithm, signature, after);
}
