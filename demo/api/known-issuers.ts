import { readCertificate, type CertificateView } from "../lib/x509/decode.ts";
import { issuers } from "./pki.ts";
import { place, signedOut } from "../lib/place.ts";

/**
 * The certificates of the mount's issuers that are not revoked, to judge others by; none where
 * nobody is signed in, and none that cannot be read.
 */
export async function knownCertificates(): Promise<readonly CertificateView[]> {
  if (signedOut(place.get())) return [];
  const records = await issuers();
  const views = records
    .filter(({ revoked }) => !revoked)
    .map((record) => readCertificate(record.certificate).catch(() => undefined));
  return (await Promise.all(views)).filter((view) => view !== undefined);
}
