import { equalBytes } from "../base/bytes.ts";
import { sha1 } from "../base/hashes.ts";
import { tryRead } from "../base/try-read.ts";
import { findExtension, parseCertificate } from "../x509/certificate.ts";
import { issuerHashes, issuerHashOf } from "../x509/ocsp-request.ts";
import type { OcspAnswer, SignedAnswers } from "../x509/ocsp-response.ts";
import { extensionOid } from "../x509/oid.ts";
import { checkPublicKey, parsePublicKey } from "../x509/public-key.ts";
import { reasonName } from "./parsed-crl.ts";
import { allowsUsage, nameKey, pathCertificate, type PathCertificate } from "./path-certificate.ts";
import type { SignatureChecker } from "./path-signature.ts";
import type { RevocationStatus } from "./revocation-status.ts";

/**
 * The OCSP responses from which a revocation status is determined, and the conditions for using
 * them.
 */
interface OcspSources {
  readonly responses: readonly SignedAnswers[];
  /** Time of verification, Unix seconds. */
  readonly at: number;
  readonly signatures: SignatureChecker;
  /** Reports whether a responder's certificate is known to be revoked. */
  readonly isRevoked: (responder: PathCertificate) => Promise<boolean>;
}

/** Maximum clock skew of responders, in seconds. */
const clockSkew = 5 * 60;
/** Validity of a response without nextUpdate, in seconds. */
const maxAge = 24 * 60 * 60;
/** Maximum number of certificates in a response to try as the responder's certificate. */
const maxResponders = 8;

/**
 * Determines the revocation status of a certificate from OCSP responses (RFC 6960) signed by its
 * issuer, or by a responder that the issuer certified for OCSP signing. A revocation in an expired
 * response still counts.
 */
export async function ocspStatus(
  one: PathCertificate,
  issuer: PathCertificate,
  sources: OcspSources,
): Promise<RevocationStatus> {
  let result: RevocationStatus = { status: "unknown" };
  for (const response of sources.responses)
    for (const answer of response.answers) {
      if (!(await isFor(answer, one, issuer))) continue;
      if (!(await isAuthentic(response, issuer, sources))) {
        result = orElse(result, "the signature of the OCSP response cannot be verified");
        continue;
      }
      const status = statusIn(answer, sources.at);
      if (status.status === "revoked") return status;
      if (result.status !== "good") result = status;
    }
  return result;
}

const orElse = (result: RevocationStatus, why: string): RevocationStatus =>
  result.status === "unknown" ? { status: "unknown", why } : result;

function statusIn({ status, thisUpdate, nextUpdate }: OcspAnswer, at: number): RevocationStatus {
  if (typeof status === "object" && status.revokedAt <= at + clockSkew)
    return {
      status: "revoked",
      revokedAt: status.revokedAt,
      reason: reasonName(status.reason),
      source: "OCSP response",
    };
  if (thisUpdate > at + clockSkew || (nextUpdate ?? thisUpdate + maxAge) < at)
    return { status: "unknown", why: "the OCSP response is not valid at this time" };
  return status === "good"
    ? { status: "good" }
    : { status: "unknown", why: "the OCSP responder does not know the certificate" };
}

/**
 * Reports whether the CertID in a response identifies a certificate, by its serial number and the
 * hashes of its issuer's name and key (RFC 6960).
 */
async function isFor(
  { certId }: OcspAnswer,
  one: PathCertificate,
  issuer: PathCertificate,
): Promise<boolean> {
  if (!equalBytes(certId.serial, one.certificate.serial)) return false;
  const hash = issuerHashOf(certId.hash);
  if (!hash || !tryRead(() => parsePublicKey(issuer.certificate.spki))) return false;
  const { nameHash, keyHash } = await issuerHashes(hash, issuer.certificate);
  if (!equalBytes(keyHash, certId.keyHash)) return false;
  if (equalBytes(nameHash, certId.nameHash)) return true;
  // the certificate may encode the issuer's name differently
  const { issuer: subject } = one.certificate;
  const other = await issuerHashes(hash, { subject, spki: issuer.certificate.spki });
  return equalBytes(other.nameHash, certId.nameHash);
}

async function isAuthentic(
  response: SignedAnswers,
  issuer: PathCertificate,
  sources: OcspSources,
): Promise<boolean> {
  const { signatures } = sources;
  if (isNamed(issuer, response) && (await signatures.verify(issuer.certificate.spki, response)))
    return true;
  for (const der of response.certificates.slice(0, maxResponders)) {
    const certificate = tryRead(() => parseCertificate(der));
    const responder = certificate && pathCertificate(certificate);
    if (
      responder &&
      isNamed(responder, response) &&
      isDelegate(responder, issuer, sources.at) &&
      (await signatures.verify(issuer.certificate.spki, responder.certificate)) &&
      (await signatures.verify(responder.certificate.spki, response)) &&
      !(await sources.isRevoked(responder))
    )
      return true;
  }
  return false;
}

/** Reports whether a certificate belongs to the responder that a response identifies. */
function isNamed(one: PathCertificate, { responder }: SignedAnswers): boolean {
  if ("name" in responder) return nameKey(responder.name) === one.subject;
  const key = tryRead(() => parsePublicKey(one.certificate.spki));
  return key !== undefined && equalBytes(sha1(key.keyBits), responder.keyHash);
}

const ocspSigning = "1.3.6.1.5.5.7.3.9";

const hasSoundKey = ({ certificate: { spki } }: PathCertificate): boolean =>
  tryRead(() => {
    checkPublicKey(parsePublicKey(spki));
    return true;
  }) ?? false;

/**
 * Reports whether an issuer delegated OCSP signing to a responder (RFC 6960 section 4.2.2.2). Does
 * not verify the signature of the responder's certificate.
 */
const isDelegate = (responder: PathCertificate, issuer: PathCertificate, at: number): boolean =>
  responder.issuer === issuer.subject &&
  responder.purposes?.includes(ocspSigning) === true &&
  allowsUsage(responder, "DigitalSignature") &&
  responder.unknown.length === 0 &&
  responder.malformed.length === 0 &&
  hasSoundKey(responder) &&
  responder.certificate.notBefore <= at &&
  at <= responder.certificate.notAfter;

/**
 * Reports whether an issuer exempts a responder from revocation checks (RFC 6960 section
 * 4.2.2.2.1).
 */
export const hasNoCheck = ({ certificate }: PathCertificate): boolean =>
  findExtension(certificate, extensionOid.ocspNoCheck) !== undefined;
