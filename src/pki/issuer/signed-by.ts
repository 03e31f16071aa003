import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { verifySignature } from "../../x509/public-key.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../x509/key-identifiers.ts";
import { findExtension, isCa, type Certificate } from "../../x509/certificate.ts";
import { extensionOid } from "../../x509/oid.ts";
import { maySignCertificates } from "./issuer.ts";

/**
 * Reports whether a CA (`parent`) signed a certificate: the names match, the CA may sign
 * certificates, and the signature verifies (RFC 5280 section 6.1.3).
 */
export const signedBy = async (child: Certificate, parent: Certificate): Promise<boolean> =>
  mayHaveSigned(child, parent) && isSignatureValid(child, parent.spki);
/**
 * Reports whether a CA (`parent`) may have signed a certificate. Checks the same as `signedBy`,
 * except the signature, whose verification is slow.
 */
export function mayHaveSigned(child: Certificate, parent: Certificate): boolean {
  return equalBytes(child.issuer, parent.subject) && isCa(parent) && maySignCertificates(parent);
}
/** Reports whether a public key verifies the signature of a certificate. */
export const isSignatureValid = (
  { algorithm, tbs, signature }: Certificate,
  spki: Uint8Array,
): Promise<boolean> => verifySignature(spki, algorithm, tbs, signature);
/** Reports whether a certificate is self-issued: its issuer and subject are equal. */
export const isSelfIssued = (certificate: Certificate): boolean =>
  equalBytes(certificate.issuer, certificate.subject);
/** Reports whether a certificate is self-signed: self-issued, and signed with its own key. */
export const isSelfSigned = async (certificate: Certificate): Promise<boolean> =>
  isSelfIssued(certificate) && isSignatureValid(certificate, certificate.spki);

/**
 * Reports whether a certificate is a root, that is, self-issued and signed with its own key.
 * Compares its two key identifiers or, if it lacks one, verifies its signature.
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

/**
 * Reports whether the key identifiers of a certificate and a possible issuer match. Returns
 * undefined if either identifier is missing.
 */
export function keyIdentifiersMatch(child: Certificate, parent: Certificate): boolean | undefined {
  const signer = identifierIn(
    child,
    extensionOid.authorityKeyIdentifier,
    readAuthorityKeyIdentifier,
  );
  const own = identifierIn(parent, extensionOid.subjectKeyIdentifier, readSubjectKeyIdentifier);
  return signer && own && equalBytes(signer, own);
}

/** Returns a key identifier in a certificate, or undefined if it is absent or malformed. */
function identifierIn(
  certificate: Certificate,
  oid: string,
  read: (value: Uint8Array) => Uint8Array | undefined,
): Uint8Array | undefined {
  const value = findExtension(certificate, oid)?.value;
  try {
    return value && read(value);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
