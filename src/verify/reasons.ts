import type { ParsedCertificate } from "./parsed-certificate.ts";
import type { PathCertificate } from "./path-certificate.ts";

/** Every reason why a certificate does not verify, with its meaning. */
export const reasonTexts = {
  malformed: "The certificate cannot be parsed.",
  malformed_extension: "An extension that validation evaluates cannot be parsed.",
  unknown_critical_extension: "A critical extension is unknown.",
  issuer_unknown: "The certificate of the issuer is missing.",
  untrusted_root: "The chain ends with a root that is not one of the anchors.",
  bad_signature: "The signature does not verify with the issuer's key.",
  weak_signature: "The signature uses SHA-1 or MD5.",
  unsupported_signature: "The signature algorithm is not supported.",
  weak_key: "The public key is too short or otherwise unsafe.",
  expired: "The certificate has expired.",
  not_yet_valid: "The certificate is not valid yet.",
  not_a_ca: "A certificate in the chain issued another certificate, but is not a CA certificate.",
  path_too_long:
    "A CA certificate is followed by more CA certificates than its path length constraint allows.",
  key_usage: "The key usage does not allow this use of the key.",
  purpose: "The extended key usage does not include the purpose.",
  name_constraints: "A name violates the name constraints of a CA further up in the chain.",
  policy: "No acceptable certificate policy is valid for the path.",
  name_mismatch: "The certificate is not valid for the name.",
  revoked: "The certificate is revoked.",
  revocation_unknown: "None of the CRLs and OCSP responses covers the certificate.",
  too_complex: "Verification was stopped because it would take too long.",
} as const;

/** Code of a reason why a certificate does not verify. */
export type ReasonCode = keyof typeof reasonTexts;

/** One reason why a certificate does not verify. */
export interface Reason {
  /** Stable code of the reason. */
  readonly code: ReasonCode;
  /** The details, in a sentence. */
  readonly message: string;
  /** The certificate to which the reason applies, or undefined if it cannot be parsed. */
  readonly certificate: ParsedCertificate | undefined;
}

/** A reason whose certificate has not been parsed for the caller yet. */
export interface PathReason {
  readonly code: ReasonCode;
  readonly message: string;
  readonly at: PathCertificate;
}
