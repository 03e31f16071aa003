import { equalBytes, type Bytes } from "../base/bytes.ts";
import { DerWriter, elementSize } from "../base/der-element.ts";
import {
  absentPart,
  checkDer,
  explicit,
  integer,
  readDer,
  sequence,
  tagAndLength,
  time,
  type Reader,
} from "../base/der.ts";
import { extensionsSize, writeExtensions, type Extension, readExtensions } from "./extension.ts";
import { readBasicConstraints } from "./basic-constraints.ts";
import { nameValues } from "./name.ts";
import { extensionOid, nameOid } from "./oid.ts";
import { readDeviceNames, type DeviceName } from "./device-name.ts";
import { noNames, parseSan, type ParsedNames } from "./san.ts";

/** A parsed certificate. Byte arrays are views of `der`; times are in Unix seconds. */
export interface Certificate {
  readonly der: Uint8Array;
  /** DER-encoded TBSCertificate, which is the signed content. */
  readonly tbs: Uint8Array;
  readonly version: 1 | 2 | 3;
  /**
   * Serial number: the content octets of the INTEGER as encoded, including a leading zero octet.
   */
  readonly serial: Uint8Array;
  /** DER-encoded names of the issuer and the subject. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
  /** DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly extensions: readonly Extension[];
  /**
   * DER-encoded AlgorithmIdentifier, which is both `signature` of the TBSCertificate and
   * `signatureAlgorithm`.
   */
  readonly algorithm: Uint8Array;
  readonly signature: Uint8Array;
}

function readVersion(tbs: Reader): 1 | 2 | 3 {
  const tagged = tbs.optional("the version", 0xa0);
  if (!tagged) return 1;
  const version = tagged.number("the number");
  tagged.end();
  if (version !== 1 && version !== 2)
    throw tbs.refuse(
      "the version is neither 2 nor 3, or is an explicit version 1, which DER omits",
    );
  return version === 1 ? 2 : 3;
}

function readBody(tbs: Reader): Omit<Certificate, "der" | "tbs" | "signature"> {
  const version = readVersion(tbs);
  const serial = tbs.unsigned("the serial number");
  const algorithm = tbs.raw("the signature algorithm", 0x30);
  const issuer = tbs.raw("the issuer", 0x30);
  const validity = tbs.enter("the validity");
  const notBefore = validity.time("notBefore");
  const notAfter = validity.time("notAfter");
  validity.end();
  const subject = tbs.raw("the subject", 0x30);
  const spki = tbs.raw("the public key", 0x30);
  if (tbs.tag === 0x81 || tbs.tag === 0x82)
    throw tbs.refuse("unique identifiers are not supported");
  const tagged = tbs.optional("the extensions", 0xa3);
  const extensions = tagged ? readExtensions(tagged) : [];
  tagged?.end();
  tbs.end();
  if (tagged && version !== 3)
    throw tbs.refuse(`a version ${version} certificate must not have extensions`);
  return { version, serial, algorithm, issuer, notBefore, notAfter, subject, spki, extensions };
}

/**
 * Parses a certificate strictly (RFC 5280 section 4.1). Does not check its signature, names or key.
 * Accepts version 1 and 2 certificates without extensions. Throws `CaError` `malformed` if it
 * cannot be parsed, for example because of duplicate extensions, a negative serial number or
 * mismatched algorithms.
 */
export function parseCertificate(der: Uint8Array): Certificate {
  checkDer(der, "certificate");
  const outer = readDer(der, "certificate").enter("Certificate");
  const { der: tbs } = outer.element("TBSCertificate", 0x30);
  const algorithm = outer.raw("the signature algorithm", 0x30);
  const signature = outer.wholeBits("the signature");
  outer.end();
  const body = readBody(readDer(tbs, "certificate").enter("TBSCertificate"));
  if (!equalBytes(body.algorithm, algorithm))
    throw outer.refuse("the signature field of the TBSCertificate differs from signatureAlgorithm");
  return { der, tbs, ...body, signature };
}

/**
 * Returns the validity of a certificate in Unix seconds. Takes a tenth of the time of
 * `parseCertificate`, which must already have accepted the certificate. Throws `CaError`
 * `malformed`.
 */
export function certificateValidity(der: Uint8Array): Pick<Certificate, "notBefore" | "notAfter"> {
  const tbs = readDer(der, "certificate").enter("Certificate").enter("TBSCertificate");
  tbs.optional("the version", 0xa0);
  for (const [what, tag] of beforeValidity) tbs.element(what, tag);
  const validity = tbs.enter("the validity");
  return { notBefore: validity.time("notBefore"), notAfter: validity.time("notAfter") };
}
/** Returns the expiry of a certificate in Unix seconds. Throws as `certificateValidity` does. */
export const certificateEnd = (der: Uint8Array): number => certificateValidity(der).notAfter;
/**
 * Returns the SubjectPublicKeyInfo of a certificate without reading the fields after it. Throws
 * `CaError` `malformed`.
 */
export function certificateKey(der: Uint8Array): Uint8Array {
  const tbs = readDer(der, "certificate").enter("Certificate").enter("TBSCertificate");
  tbs.optional("the version", 0xa0);
  for (const [what, tag] of beforeValidity) tbs.element(what, tag);
  tbs.element("the validity", 0x30);
  tbs.element("the subject", 0x30);
  return tbs.raw("the public key", 0x30);
}
const beforeValidity = [
  ["the serial number", 0x02],
  ["the signature algorithm", 0x30],
  ["the issuer", 0x30],
] as const;

/** Finds an extension by its object identifier, in any structure with extensions. */
export const findExtension = (
  holder: { readonly extensions: readonly Extension[] },
  oid: string,
): Extension | undefined => holder.extensions.find((extension) => extension.oid === oid);

/**
 * The fields of a certificate to be signed. Names, key and algorithm are DER; times are in Unix
 * seconds.
 */
export interface TbsFields {
  /** Serial number: unsigned, big-endian. */
  readonly serial: Uint8Array;
  readonly algorithm: Uint8Array;
  readonly issuer: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly subject: Uint8Array;
  readonly spki: Uint8Array;
  readonly extensions: readonly Extension[];
}

const version3 = explicit(0, integer(2));

/** Encodes a version 3 TBSCertificate. Computes all sizes first, then writes each byte once. */
export function encodeTbsCertificate(fields: TbsFields): Bytes {
  const { algorithm, issuer, subject, spki, extensions } = fields;
  const serial = integer(fields.serial);
  const [notBefore, notAfter] = [time(fields.notBefore), time(fields.notAfter)];
  const validity = notBefore.length + notAfter.length;
  const list = extensionsSize(extensions);
  const before = [version3, serial, algorithm, issuer];
  const size =
    sizeOf(before) +
    elementSize(validity) +
    sizeOf([subject, spki]) +
    (list > 0 ? elementSize(elementSize(list)) : 0);
  const writer = new DerWriter(elementSize(size));
  writer.header(0x30, size);
  for (const part of before) writer.bytes(part);
  writer.header(0x30, validity);
  for (const part of [notBefore, notAfter, subject, spki]) writer.bytes(part);
  if (list > 0) {
    writer.header(0xa3, elementSize(list));
    writer.header(0x30, list);
    writeExtensions(writer, extensions);
  }
  return writer.done();
}
function sizeOf(parts: readonly Uint8Array[]): number {
  let size = 0;
  for (const { length } of parts) size += length;
  return size;
}

/**
 * Joins the signed content, the AlgorithmIdentifier and the signature into a certificate, CSR, CRL
 * or BasicOCSPResponse. `after` contains the certificates that an OCSP response may contain after
 * its signature.
 */
export const assembleSigned = (
  tbs: Uint8Array,
  algorithm: Uint8Array,
  signature: Uint8Array,
  after: Uint8Array = absentPart,
): Bytes =>
  sequence(tbs, algorithm, tagAndLength(0x03, 1 + signature.length), allBitsUsed, signature, after);
const allBitsUsed = Uint8Array.of(0);

/** Reports whether basic constraints make a certificate a CA. */
export function isCa(certificate: Certificate): boolean {
  const extension = findExtension(certificate, extensionOid.basicConstraints);
  return extension !== undefined && readBasicConstraints(extension.value).ca;
}

/**
 * Returns all names of a certificate: the common names of its subject, and its subject alternative
 * names.
 */
export function certificateNames(
  certificate: Pick<Certificate, "subject" | "extensions">,
): ParsedNames & { readonly common: readonly string[] } {
  const extension = findExtension(certificate, extensionOid.subjectAltName);
  const names = extension ? parseSan(extension.value) : noNames;
  return { ...names, common: nameValues(certificate.subject, nameOid.commonName) };
}

/** Returns the device names in a certificate or CSR. Throws `CaError` `malformed`. */
export function deviceNamesOf(holder: Pick<Certificate, "extensions">): readonly DeviceName[] {
  const extension = findExtension(holder, extensionOid.subjectAltName);
  return extension ? readDeviceNames(extension.value) : [];
}
