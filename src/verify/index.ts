export { verifier, verify, type VerifyOptions, type VerifyResult } from "./verify.ts";
export { reasonTexts, type Reason, type ReasonCode } from "./reasons.ts";
export type { PolicyOptions } from "./policy-graph.ts";
export type { Purpose } from "./purpose.ts";
export type { RevocationMode } from "./revocation.ts";
export {
  parseCertificate,
  type ParsedCertificate,
  type ParsedExtensions,
} from "./parsed-certificate.ts";
export { parseCsr, type ParsedCsr } from "./parsed-csr.ts";
export {
  parseCrl,
  type ParsedCrl,
  type ParsedCrlScope,
  type ParsedRevocation,
  type RevocationReason,
} from "./parsed-crl.ts";
export type { ParsedKey, PublicKeyOptions } from "./parsed-key.ts";
export type { AlternativeNames, DistinguishedName } from "./parsed-name.ts";
export type { BytesInput, DerInput } from "./input.ts";
