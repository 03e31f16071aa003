import { CaError } from "../../../src/base/errors.ts";
import {
  findExtension,
  parseCertificate,
  type Certificate,
} from "../../../src/x509/certificate.ts";
import { readBasicConstraints } from "../../../src/x509/basic-constraints.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
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

/** A certificate to verify among others. */
export interface Node {
  readonly view: CertificateView;
  readonly certificate: Certificate;
  /** True if it belongs to the shown server. */
  readonly known: boolean;
  /** The verified path above it, nearest first. */
  path: readonly Certificate[];
  /** The certificates whose key verifies its signature and that may sign it. */
  signers: readonly Node[];
  /** The certificates whose key verifies its signature. */
  made: readonly Node[];
  vouched: Verification | undefined;
  /** The number of CAs that may follow it in a chain. */
  room: number;
  /** The rank of the verification, for comparison. */
  score: number;
}

/** Returns the node of a certificate, not verified yet. */
export function nodeOf(view: CertificateView, known = false): Node {
  const certificate = parseCertificate(view.der);
  return {
    view,
    certificate,
    known,
    path: [],
    signers: [],
    made: [],
    vouched: undefined,
    room: roomBelow(certificate),
    score: -1,
  };
}

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

/**
 * Returns how many CAs may follow a certificate: its path length, Infinity without one, none if
 * basic constraints are malformed or missing.
 */
export function roomBelow(certificate: Certificate): number {
  const value = findExtension(certificate, extensionOid.basicConstraints)?.value;
  return orElse(0, () => (value ? (readBasicConstraints(value).pathLength ?? Infinity) : Infinity));
}

export function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return otherwise;
    throw error;
  }
}
