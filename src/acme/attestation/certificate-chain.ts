import { CaError } from "../../base/errors.ts";
import { verify } from "../../verify/index.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { badAttestation, type AttestationStatement, type StatementContext } from "./format.ts";
import { certificatesIn } from "./attestation-object.ts";

/**
 * Verifies the certificates of a statement up to a trust anchor, and returns the attestation
 * certificate. Rejects certificates that a CRL lists as revoked. Fetches nothing, so certificates
 * that no CRL covers are accepted. `purpose` is the OID of an extended key usage.
 */
export async function verifiedCertificate(
  statement: AttestationStatement,
  { roots, crls, now }: Pick<StatementContext, "roots" | "crls" | "now">,
  purpose = "any",
): Promise<Certificate> {
  const [attesting, ...intermediates] = certificatesIn(statement);
  const certificate = parsed(attesting);
  const { ok, reasons } = await verify(attesting, {
    anchors: roots,
    intermediates,
    ...(crls === "" ? {} : { crls }),
    revocation: "available",
    purpose,
    at: new Date(now),
  });
  const [reason] = reasons;
  if (!ok)
    throw badAttestation(
      `the certificates of x5c are not trusted: ${reason?.message ?? "no path"} (${reason?.code ?? "unknown"})`,
    );
  return certificate;
}
function parsed(der: Uint8Array): Certificate {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    throw badAttestation(`the first certificate of x5c cannot be parsed: ${error.message}`);
  }
}
