import { encodePem } from "../base/pem.ts";
import { parseCsr as parseDer, verifyCsr } from "../x509/csr.ts";
import { algorithmName } from "../x509/public-key.ts";
import { csrInput, firstDer, type DerInput } from "./input.ts";
import { parsedExtensions, type ParsedExtensions } from "./parsed-certificate.ts";
import { parseKey, type ParsedKey } from "./parsed-key.ts";
import { parseDistinguishedName, type DistinguishedName } from "./parsed-name.ts";

/** A certificate signing request as typed data. The extensions are those that the CSR requests. */
export interface ParsedCsr extends ParsedExtensions, ParsedKey {
  /** DER-encoded CSR. */
  readonly der: Uint8Array;
  /** PEM-encoded CSR. */
  readonly pem: string;
  /** Name of the subject. */
  readonly subject: DistinguishedName;
  /**
   * Name of the signature algorithm, such as `ECDSAWithSHA256`, or its object identifier if the
   * name is unknown.
   */
  readonly signatureAlgorithm: string;
  /** Reports whether the CSR is signed with its own key and a trusted algorithm. */
  readonly verifySignature: () => Promise<boolean>;
}

/**
 * Parses a CSR (PKCS #10) strictly. Throws `CaError` `malformed` if it cannot be parsed, and
 * `TypeError` for an input of another type.
 */
export function parseCsr(input: DerInput): ParsedCsr {
  const csr = parseDer(firstDer(input, csrInput));
  return {
    ...parseKey(csr.spki),
    ...parsedExtensions(csr),
    der: csr.der,
    pem: encodePem("CERTIFICATE REQUEST", csr.der),
    subject: parseDistinguishedName(csr.subject),
    signatureAlgorithm: algorithmName(csr.algorithm),
    verifySignature: () => verifyCsr(csr),
  };
}
