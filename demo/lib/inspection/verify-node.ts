import { CaError } from "../../../src/base/errors.ts";
import { parseCertificate, type Certificate } from "../../../src/x509/certificate.ts";
import type { CertificateView } from "../x509/decode.ts";

/**
 * The extent of a verification: up to a root of the current server (`chain`), up to a root among
 * the given certificates (`pasted`), by a CA whose own issuer is missing (`signature`), by an
 * expired CA (`stale`), by its own key (`self`), not at all (`unknown`), or with the result that
 * nothing should trust it (`refused`).
 */
export type VerificationExtent =
  | "chain"
  | "pasted"
  | "signature"
  | "stale"
  | "self"
  | "unknown"
  | "refused";

/** The verification of a certificate or CRL: in a few words, and in a sentence. */
export interface Verification {
  readonly standing: VerificationExtent;
  readonly text: string;
  readonly why: string;
  /** The certificate whose key verifies its signature; absent if it is not verified. */
  readonly by?: CertificateView;
}

/** A parsed certificate. */
export interface Node {
  readonly view: CertificateView;
  readonly certificate: Certificate;
  /** True if it belongs to the shown server. */
  readonly isFromServer: boolean;
}

/** Parses the certificate of a view. */
export const nodeOf = (view: CertificateView, isFromServer = false): Node => ({
  view,
  certificate: parseCertificate(view.der),
  isFromServer,
});

/** Returns the verification of a certificate that nothing should trust. */
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
  why: `Made by ${title}, whose chain to a root is not available here`,
});

export function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return otherwise;
    throw error;
  }
}
