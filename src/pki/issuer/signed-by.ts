import { equalBytes } from "../../base/bytes.ts";
import { verifySignature } from "../../x509/public-key.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../x509/key-identifiers.ts";
import { findExtension, isCa, type Certificate } from "../../x509/certificate.ts";
import { extensionOid } from "../../x509/oid.ts";
import { maySignCertificates } from "./issuer.ts";

/**
 * Whether a CA certificate signed another one: subject equals issuer, a CA that may sign
 * certificates, and the signature holds (RFC 5280 section 6.1.3).
 */
export const signedBy = async (child: Certificate, parent: Certificate): Promise<boolean> =>
  mayHaveSigned(child, parent) && isSignatureValid(child, parent.spki);
/** All of it but the signature, which is what takes time. */
export function mayHaveSigned(child: Certificate, parent: Certificate): boolean {
  return equalBytes(child.issuer, parent.subject) && isCa(parent) && maySignCertificates(parent);
}
/** Whether a key made the signature of a certificate. */
export const isSignatureValid = (
  { algorithm, tbs, signature }: Certificate,
  spki: Uint8Array,
): Promise<boolean> => verifySignature(spki, algorithm, tbs, signature);
/** Whether a certificate's issuer and subject are one name. */
export const isSelfIssued = (certificate: Certificate): boolean =>
  equalBytes(certificate.issuer, certificate.subject);
/** Whether a certificate is a root: self-issued, and signed by its own key. */
export const isSelfSigned = async (certificate: Certificate): Promise<boolean> =>
  isSelfIssued(certificate) && isSignatureValid(certificate, certificate.spki);

/**
 * Whether a certificate names nobody above it: self-issued, and by its key identifiers, or where it
 * has none by its signature, of its own key.
 */
export async function isRoot(certificate: Certificate): Promise<boolean> {
  if (!isSelfIssued(certificate)) return false;
  const [own, signers] = [
    extensionOid.subjectKeyIdentifier,
    extensionOid.authorityKeyIdentifier,
  ].map((oid) => findExtension(certificate, oid)?.value);
  const id = signers && readAuthorityKeyIdentifier(signers);
  return own && id ? equalBytes(readSubjectKeyIdentifier(own), id) : isSelfSigned(certificate);
}
