import { readCertificate, type CertificateView } from "../lib/x509/decode.ts";
import { issuers } from "./issuers.ts";
import { place, signedOut } from "../lib/place.ts";

/**
 * Returns the certificates of the mount's unrevoked issuers, for verifying other certificates.
 * Skips those that cannot be parsed. Returns none if the user is signed out.
 */
export async function issuerCertificates(): Promise<readonly CertificateView[]> {
  if (signedOut(place.get())) return [];
  const records = await issuers();
  const views = records
    .filter(({ revoked }) => !revoked)
    .map((record) => readCertificate(record.certificate).catch(() => undefined));
  return (await Promise.all(views)).filter((view) => view !== undefined);
}
