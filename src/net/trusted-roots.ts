import { CaError } from "../base/errors.ts";
import { decodePem } from "../base/pem.ts";
import { parseCertificate } from "../x509/certificate.ts";

/** Maximum number of certificates per setting. */
const maxRoots = 20;

/**
 * Parses the `ca_pem` field, which contains CA certificates in PEM or is empty. Throws `malformed`.
 */
export function parseTrustedRoots(pem: string): readonly Uint8Array[] {
  const blocks = decodePem(pem);
  if (blocks.length > maxRoots)
    throw new CaError("malformed", `ca_pem has more than ${maxRoots} certificates`);
  for (const { label, der } of blocks) {
    if (label !== "CERTIFICATE")
      throw new CaError(
        "malformed",
        `ca_pem contains a ${label.slice(0, 40)} instead of a certificate`,
      );
    parseCertificate(der);
  }
  if (pem.trim() !== "" && blocks.length === 0)
    throw new CaError("malformed", "ca_pem has no certificate");
  return blocks.map(({ der }) => der);
}
