import { issuer } from "../../api/issuers.ts";
import { readCertificate } from "../../lib/x509/decode.ts";

/**
 * Returns the maximum lifetime in seconds of a certificate that expires before its issuer. Returns
 * Infinity if certificates may outlive the issuer.
 */
export async function remainingTime(ref: string, now: Date): Promise<number> {
  const { certificate, leaf_not_after_behavior: behavior } = await issuer(ref);
  if (behavior === "permit") return Infinity;
  const { ends } = await readCertificate(certificate);
  return Math.floor((ends.getTime() - now.getTime()) / 1000);
}
