import { CaError } from "../../../src/base/errors.ts";
import { parseCertificate, type Certificate } from "../../../src/x509/certificate.ts";
import type { CertificateView } from "../x509/decode.ts";

/**
 * The extent of a verification: `chain` up to a root of the current server, `pasted` up to a root
 * among the given certificates, `signature` up to a CA whose issuer is missing, `stale` up to an
 * expired CA, `self` for a self-signed certificate, `unknown` for anything unverified, and
 * `refused` for anything that must not be trusted.
 */
export type VerificationExtent =
  | "chain"
  | "pasted"
  | "signature"
  | "stale"
  | "self"
  | "unknown"
  | "refused";

/**
 * The result of verifying a certificate, CRL or OCSP response, in a few words and in a sentence.
 */
export interface Verification {
  readonly standing: VerificationExtent;
  readonly text: string;
  readonly why: string;
  /** Whether the certificate itself is revoked, as far as the page knows. */
  readonly isRevoked?: boolean;
  /** The certificate whose key verifies the signature. Absent if the signature was not verified. */
  readonly by?: CertificateView;
}

/** A certificate in a verification: its view, and the parsed certificate. */
export interface Node {
  readonly view: CertificateView;
  readonly certificate: Certificate;
  /** Whether the certificate comes from the current server. */
  readonly isFromServer: boolean;
}

/** Parses the certificate of a view. */
export const nodeOf = (view: CertificateView, isFromServer = false): Node => ({
  view,
  certificate: parseCertificate(view.der),
  isFromServer,
});

/** Returns the verification of an object that must not be trusted. */
export const refusedVerification = (text: string, why: string): Verification => ({
  standing: "refused",
  text,
  why,
});

export const unknownVerification = (why: string): Verification => ({
  standing: "unknown",
  text: "Not verified",
  why,
});

export const bySigner = (title: string): Verification => ({
  standing: "signature",
  text: "Signature verified",
  why: `Signed by ${title}, but its chain to a root is incomplete`,
});

export function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return otherwise;
    throw error;
  }
}
