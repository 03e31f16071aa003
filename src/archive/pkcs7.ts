import type { Bytes } from "../base/bytes.ts";
import {
  checkDer,
  explicit,
  integer,
  oid,
  readDer,
  sequence,
  tlv,
  tlvOf,
  type Reader,
} from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { parseCertificate, type Certificate } from "../x509/certificate.ts";

const idData = "1.2.840.113549.1.7.1";
const idSignedData = "1.2.840.113549.1.7.2";
const where = "PKCS#7";

/** Maximum size of a certs-only message in bytes, and its maximum number of certificates. */
const [maxBytes, maxCertificates] = [1024 * 1024, 256];

const noElements = tlv(0x31);
const [one, data, signedData] = [integer(1), sequence(oid(idData)), oid(idSignedData)] as const;

/**
 * Encodes a certs-only message: SignedData without content or signers (RFC 5652 section 5.1, RFC
 * 2315 section 9.1). Preserves the order of the certificates, although they are a SET, because EST
 * clients assume that the first certificate is their own.
 */
export const certsOnly = (certificates: readonly Uint8Array[]): Bytes =>
  sequence(
    signedData,
    explicit(0, sequence(one, noElements, data, tlvOf(0xa0, certificates), noElements)),
  );

/**
 * Parses the certificates in a certs-only message and returns them in order: 1 to 256 certificates
 * in at most 1 MiB of DER. Ignores CRLs. Throws `CaError` `malformed` for anything else, such as
 * BER, or a message with content or signers.
 */
export function readCertsOnly(der: Uint8Array): readonly Certificate[] {
  if ((der[1] ?? 0) === 0x80)
    throw new CaError(
      "malformed",
      `${where}: indefinite lengths (BER) are not supported; convert the file with openssl pkcs7 -inform DER -outform DER`,
    );
  checkDer(der, where, maxBytes);
  const info = readDer(der, where, maxBytes).enter("ContentInfo");
  if (info.oid("the type") !== idSignedData)
    throw info.refuse("is not SignedData, but only messages with certificates are accepted");
  const wrapped = info.enter("the content", 0xa0);
  const signed = wrapped.enter("SignedData");
  wrapped.end();
  info.end();
  // version 1 may contain X.509 certificates, but no attribute certificates or other formats (RFC
  // 5652 section 5.1)
  if (signed.number("the version") !== 1) throw signed.refuse("the version is not 1");
  requireEmpty(signed, "the digest algorithms");
  requireNoContent(signed.enter("the encapsulated content"));
  const set = signed.optional("the certificates", 0xa0);
  const certificates = set ? readCertificates(set) : [];
  if (signed.tag === 0xa1) signed.raw("the CRLs");
  requireEmpty(signed, "the signers");
  signed.end();
  if (certificates.length === 0) throw signed.refuse("contains no certificate");
  return certificates;
}

function requireEmpty(signed: Reader, what: string): void {
  if (signed.enter(what, 0x31).tag !== undefined)
    throw signed.refuse(`${what} are not empty, but only messages without signatures are accepted`);
}

function requireNoContent(content: Reader): void {
  const type = content.oid("the type");
  if (type !== idData || content.tag !== undefined)
    throw content.refuse(
      "is not id-data without content, but only messages that consist of certificates are accepted",
    );
}

function readCertificates(set: Reader): readonly Certificate[] {
  const certificates: Certificate[] = [];
  while (set.tag !== undefined) {
    if (set.tag !== 0x30) throw set.refuse("contains an element that is not an X.509 certificate");
    if (certificates.length === maxCertificates)
      throw set.refuse(`has more than ${maxCertificates} certificates`);
    certificates.push(parseCertificate(set.raw("a certificate")));
  }
  return certificates;
}
