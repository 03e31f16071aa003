import type { ParsedCertificate } from "./parsed-certificate.ts";
import type { PathCertificate } from "./path-certificate.ts";

/** Every reason why a certificate does not verify, with its meaning. */
export const reasonTexts = {
  malformed: "The certificate cannot be parsed.",
  malformed_extension: "An extension that validation evaluates cannot be parsed.",
  unknown_critical_extension: "A critical extension is unknown.",
  issuer_unknown: "No certificate of the issuer was given.",
  untrusted_root: "The chain ends at a root that is not among the anchors.",
  bad_signature: "The issuer's key did not create the signature.",
  weak_signature: "The signature uses SHA-1 or MD5.",
  unsupported_signature: "The signature algorithm is not supported.",
  weak_key: "The public key is too short or otherwise unsafe.",
  expired: "The certificate has expired.",
  not_yet_valid: "The certificate is not valid yet.",
  not_a_ca: "A certificate in the chain is not a CA certificate, but issued another.",
  path_too_long: "More CA certificates follow than a path length constraint allows.",
  key_usage: "The key usage does not allow the use of the key.",
  purpose: "The extended key usage does not include the purpose.",
  name_constraints: "A name is outside the name constraints of a CA above.",
  policy: "No acceptable certificate policy is valid for the path.",
  name_mismatch: "The certificate is for other names.",
  revoked: "The certificate is revoked.",
  revocation_unknown: "No given CRL or OCSP response covers the certificate.",
  too_complex: "Verification was stopped because it would take too much work.",
} as const;

/** Code of a reason why a certificate does not verify. */
export type ReasonCode = keyof typeof reasonTexts;

/** One reason why a certificate does not verify. */
export interface Reason {
  /** Stable code of the reason. */
  readonly code: ReasonCode;
  /** The details, in a sentence. */
  readonly message: string;
  /** The certificate concerned; undefined if it cannot be parsed. */
  readonly certificate: ParsedCertificate | undefined;
}

/** A reason before its certificate is parsed for the caller. */
export interface PathReason {
  readonly code: ReasonCode;
  readonly message: string;
  readonly at: PathCertificate;
}
