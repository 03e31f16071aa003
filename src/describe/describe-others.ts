import { colonHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { eachRevoked, parseCrl, revocationReasons } from "../x509/crl.ts";
import { parseCsr } from "../x509/csr.ts";
import { describeEntry } from "./crl-entry.ts";
import { describeAttributes, type DescribedAttribute } from "./csr-attributes.ts";
import { derOf, describeExtension, type DescribedExtension } from "./describe.ts";
import { keyText, signatureText } from "./key-text.ts";
import { nameText } from "../x509/name.ts";
import { extensionOid } from "../x509/oid.ts";

/** A human-readable description of a certificate signing request. */
export interface CsrDescription {
  /** Distinguished name of the subject. */
  readonly subject: string;
  /**
   * Type and size of the key, such as `EC P-256`, `RSA 2048` or `Ed25519`, or the reason why it
   * cannot be parsed.
   */
  readonly key: string;
  /** Name such as `ECDSAWithSHA256`, or the object identifier if the algorithm is unknown. */
  readonly signatureAlgorithm: string;
  /** The requested extensions. */
  readonly extensions: readonly DescribedExtension[];
  /** The other attributes of the CSR. */
  readonly attributes: readonly DescribedAttribute[];
}
/** A human-readable description of a certificate revocation list. */
export interface CrlDescription {
  /** Distinguished name of the issuer. */
  readonly issuer: string;
  /** Time of issue (Unix seconds). */
  readonly thisUpdate: number;
  /** Time of the next update (Unix seconds). Absent if the CRL has no nextUpdate. */
  readonly nextUpdate?: number;
  /** The CRL number. Absent if the CRL has no number, or one longer than six bytes. */
  readonly number?: number;
  /** Name such as `ECDSAWithSHA256`, or the object identifier if the algorithm is unknown. */
  readonly signatureAlgorithm: string;
  /** The entries, in the same order as in the CRL. */
  readonly revoked: readonly RevokedDescription[];
  /** The extensions, in the same order as in the CRL. */
  readonly extensions: readonly DescribedExtension[];
}
/** An entry of a CRL. */
interface RevokedDescription {
  /** Serial number: lower-case hexadecimal pairs, joined by colons. */
  readonly serial: string;
  /** Time of the revocation (Unix seconds). */
  readonly revokedAt: number;
  /**
   * Reason for the revocation, such as `superseded`, or the code of an unknown reason. Absent if
   * the entry has no reason code.
   */
  readonly reason?: string;
  /** The other extensions of the entry. Absent if there are none. */
  readonly extensions?: readonly DescribedExtension[];
}

/**
 * Describes a certificate signing request (PKCS#10) in DER, or in PEM as a string or bytes. Does
 * not verify the signature. Throws `CaError` `malformed` if the input is not a CSR, and TypeError
 * if it is neither a string nor bytes.
 */
export function describeCsr(input: Uint8Array | string): CsrDescription {
  const csr = parseCsr(
    derOf(input, {
      by: "describeCsr",
      what: "a certificate signing request",
      labels: ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"],
    }),
  );
  return {
    subject: nameText(csr.subject),
    key: keyText(csr.spki),
    signatureAlgorithm: signatureText(csr.algorithm),
    extensions: csr.extensions.map(describeExtension),
    attributes: describeAttributes(csr.info),
  };
}

const reasons = new Map<number, string>(
  Object.entries(revocationReasons).map(([name, code]) => [code, name]),
);

/**
 * Describes a certificate revocation list in DER, or in PEM as a string or bytes. Does not verify
 * the signature. Throws `CaError` `malformed` if the input is not a CRL or an entry is invalid, and
 * TypeError if the input is neither a string nor bytes.
 */
export function describeCrl(input: Uint8Array | string): CrlDescription {
  const crl = parseCrl(derOf(input, { by: "describeCrl", what: "a CRL", labels: ["X509 CRL"] }));
  const numbered = crl.extensions.find(({ oid }) => oid === extensionOid.crlNumber);
  const { nextUpdate } = crl;
  return {
    issuer: nameText(crl.issuer),
    thisUpdate: crl.thisUpdate,
    ...(nextUpdate === undefined ? {} : { nextUpdate }),
    ...(numbered && numbered.value.length <= 8
      ? { number: readDer(numbered.value, "CRL number").number("the number") }
      : {}),
    signatureAlgorithm: signatureText(crl.algorithm),
    revoked: [...eachRevoked(crl)].map(({ der, serial, revokedAt, reason }) => {
      const others = describeEntry(der);
      return {
        serial: colonHex(serial),
        revokedAt,
        ...(reason === undefined ? {} : { reason: reasons.get(reason) ?? String(reason) }),
        ...(others.length > 0 && { extensions: others }),
      };
    }),
    extensions: crl.extensions.map(describeExtension),
  };
}
