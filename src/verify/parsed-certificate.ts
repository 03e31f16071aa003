import { sha256 } from "@noble/hashes/sha2.js";
import { colonHex } from "../base/bytes.ts";
import { encodePem } from "../base/pem.ts";
import { tryRead } from "../base/try-read.ts";
import { readBasicConstraints } from "../x509/basic-constraints.ts";
import {
  findExtension,
  parseCertificate as parseDer,
  type Certificate,
} from "../x509/certificate.ts";
import { readAuthorityInfoAccess, readCrlDistributionPoints } from "../x509/distribution-points.ts";
import type { Extension } from "../x509/extension.ts";
import { readAuthorityKeyIdentifier, readSubjectKeyIdentifier } from "../x509/key-identifiers.ts";
import { isSameName } from "../x509/name.ts";
import { extensionOid } from "../x509/oid.ts";
import { readCertificatePolicies } from "../x509/policies.ts";
import { algorithmName } from "../x509/public-key.ts";
import { noNames, parseSan } from "../x509/san.ts";
import { extKeyUsageName, readExtKeyUsage, readKeyUsage, type KeyUsage } from "../x509/usage.ts";
import { certificateInput, firstDer, type DerInput } from "./input.ts";
import { parseKey, type ParsedKey } from "./parsed-key.ts";
import {
  alternativeNames,
  parseDistinguishedName,
  type AlternativeNames,
  type DistinguishedName,
} from "./parsed-name.ts";

/** Extensions that certificates and CSRs have in common. */
export interface ParsedExtensions {
  /** Subject alternative names by kind. */
  readonly names: AlternativeNames;
  /**
   * Key usages, or undefined if there is no such extension, which means that any usage is allowed.
   */
  readonly keyUsage: ReadonlySet<KeyUsage> | undefined;
  /**
   * Extended key usages: names such as `ServerAuth`, or object identifiers of usages without a
   * known name. Undefined if there is no such extension, which means that any purpose is allowed.
   */
  readonly extendedKeyUsage: ReadonlySet<string> | undefined;
  /** Whether the basic constraints are those of a CA. */
  readonly isCa: boolean;
  /**
   * The maximum number of CA certificates below this CA in a chain, or undefined if there is no
   * limit.
   */
  readonly pathLength: number | undefined;
  /** All extensions as encoded. */
  readonly extensions: readonly Extension[];
}

/** A certificate as typed data. */
export interface ParsedCertificate extends ParsedExtensions, ParsedKey {
  /** DER-encoded certificate. */
  readonly der: Uint8Array;
  /** PEM-encoded certificate. */
  readonly pem: string;
  /** X.509 version. */
  readonly version: 1 | 2 | 3;
  /**
   * Serial number: lower-case hexadecimal pairs joined by colons, like `serial_number` in the API.
   */
  readonly serialNumber: string;
  /** Name of the subject. */
  readonly subject: DistinguishedName;
  /** Name of the issuer. */
  readonly issuer: DistinguishedName;
  /** Start of the validity period (notBefore). */
  readonly notBefore: Date;
  /** End of the validity period (notAfter). */
  readonly notAfter: Date;
  /** Whether the subject and the issuer are equal. */
  readonly isSelfIssued: boolean;
  /** SHA-256 of the DER: upper-case hexadecimal pairs joined by colons, as in Node and openssl. */
  readonly fingerprint256: string;
  /**
   * Name of the signature algorithm, such as `ECDSAWithSHA256`, or its object identifier if the
   * name is unknown.
   */
  readonly signatureAlgorithm: string;
  /** Subject key identifier: hexadecimal pairs joined by colons. */
  readonly subjectKeyIdentifier: string | undefined;
  /** Authority key identifier: hexadecimal pairs joined by colons. */
  readonly authorityKeyIdentifier: string | undefined;
  /** Object identifiers of certificate policies. */
  readonly policies: readonly string[];
  /** URLs of CRLs, from the CRL distribution points. */
  readonly crlUrls: readonly string[];
  /** URLs of OCSP responders, from the authority information access extension. */
  readonly ocspUrls: readonly string[];
  /** URLs of the issuer's certificate, from the authority information access extension. */
  readonly issuerUrls: readonly string[];
}

/**
 * Parses a certificate strictly (RFC 5280). If PEM contains several certificates, parses the first
 * one. Does not verify the certificate; see `verify`. Throws `CaError` `malformed` if the
 * certificate, or an extension that `ParsedCertificate` includes, cannot be parsed, and `TypeError`
 * for an input of another type.
 */
export const parseCertificate = (input: DerInput): ParsedCertificate =>
  parsedCertificate(parseDer(firstDer(input, certificateInput)));

/** A function that parses the value of an extension. */
type ReadExtension = <T>(
  holder: Pick<Certificate, "extensions">,
  oid: string,
  read: (value: Uint8Array) => T,
) => T | undefined;

/** Returns the typed data of a certificate. Omits extensions that cannot be parsed. */
export const readableCertificate = (certificate: Certificate): ParsedCertificate | undefined =>
  tryRead(() =>
    parsedCertificate(certificate, (holder, oid, read) =>
      tryRead(() => valueOf(holder, oid, read)),
    ),
  );

/**
 * Returns the typed data of a certificate. Throws `CaError` `malformed` if an extension cannot be
 * parsed.
 */
function parsedCertificate(
  certificate: Certificate,
  readValue: ReadExtension = valueOf,
): ParsedCertificate {
  const { der, version, subject, issuer } = certificate;
  const value = <T>(oid: string, read: (value: Uint8Array) => T) =>
    readValue(certificate, oid, read);
  const access = value(extensionOid.authorityInfoAccess, readAuthorityInfoAccess);
  const own = value(extensionOid.subjectKeyIdentifier, readSubjectKeyIdentifier);
  const above = value(extensionOid.authorityKeyIdentifier, readAuthorityKeyIdentifier);
  return {
    ...parseKey(certificate.spki),
    ...parsedExtensions(certificate, readValue),
    der,
    pem: encodePem("CERTIFICATE", der),
    version,
    serialNumber: colonHex(certificate.serial),
    subject: parseDistinguishedName(subject),
    issuer: parseDistinguishedName(issuer),
    notBefore: new Date(certificate.notBefore * 1000),
    notAfter: new Date(certificate.notAfter * 1000),
    isSelfIssued: isSameName(subject, issuer),
    fingerprint256: colonHex(sha256(der)).toUpperCase(),
    signatureAlgorithm: algorithmName(certificate.algorithm),
    subjectKeyIdentifier: own && colonHex(own),
    authorityKeyIdentifier: above && colonHex(above),
    policies: value(extensionOid.certificatePolicies, readCertificatePolicies) ?? [],
    crlUrls: value(extensionOid.crlDistributionPoints, readCrlDistributionPoints) ?? [],
    ocspUrls: access?.ocsp ?? [],
    issuerUrls: access?.issuers ?? [],
  };
}

/** Returns the extensions that certificates and CSRs share. Throws `CaError` `malformed`. */
export function parsedExtensions(
  holder: Pick<Certificate, "extensions">,
  readValue: ReadExtension = valueOf,
): ParsedExtensions {
  const usage = readValue(holder, extensionOid.keyUsage, readKeyUsage);
  const purposes = readValue(holder, extensionOid.extKeyUsage, readExtKeyUsage);
  const basic = readValue(holder, extensionOid.basicConstraints, readBasicConstraints);
  return {
    names: alternativeNames(readValue(holder, extensionOid.subjectAltName, parseSan) ?? noNames),
    keyUsage: usage && new Set(usage),
    extendedKeyUsage: purposes && new Set(purposes.map((oid) => extKeyUsageName(oid) ?? oid)),
    isCa: basic?.ca ?? false,
    pathLength: basic?.pathLength,
    extensions: holder.extensions,
  };
}

/**
 * Returns the parsed value of an extension, or undefined if the extension is absent. Throws what
 * `read` throws.
 */
export function valueOf<T>(
  holder: Pick<Certificate, "extensions">,
  oid: string,
  read: (value: Uint8Array) => T,
): T | undefined {
  const extension = findExtension(holder, oid);
  return extension && read(extension.value);
}
