import { readCertificate, type CertificateView } from "../lib/x509/decode.ts";
import { issuers } from "./pki.ts";
import { place, signedOut } from "../lib/place.ts";

/**
 * Returns the certificates of the mount's unrevoked issuers, to verify other certificates with.
 * Skips those that cannot be parsed; empty without a token.
 */
export async function issuerCertificates(): Promise<readonly CertificateView[]> {
  if (signedOut(place.get())) return [];
  const records = await issuers();
  const views = records
    .filter(({ revoked }) => !revoked)
    .map((record) => readCertificate(record.certificate).catch(() => undefined));
  return (await Promise.all(views)).filter((view) => view !== undefined);
}
