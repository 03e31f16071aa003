import { toHex } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { tryRead } from "../base/try-read.ts";
import { readBasicConstraints } from "../x509/basic-constraints.ts";
import type { Certificate } from "../x509/certificate.ts";
import { isUnknown } from "../x509/critical.ts";
import { readAuthorityKeyIdentifier, readSubjectKeyIdentifier } from "../x509/key-identifiers.ts";
import { comparableName } from "../x509/name.ts";
import { extensionOid } from "../x509/oid.ts";
import { parseSan, type ParsedNames, noNames } from "../x509/san.ts";
import { readExtKeyUsage, readKeyUsage, type KeyUsage } from "../x509/usage.ts";
import { valueOf } from "./parsed-certificate.ts";
import { readPathPolicies, type PathPolicies } from "./path-policies.ts";

/** A certificate with the extensions that path validation evaluates. */
export interface PathCertificate {
  readonly certificate: Certificate;
  /**
   * Comparable names of subject and issuer, which are equal strings if the names match (RFC 5280
   * section 7.1).
   */
  readonly subject: string;
  readonly issuer: string;
  readonly isSelfIssued: boolean;
  /** Key identifiers in hexadecimal; "" if there is no such extension. */
  readonly subjectKeyId: string;
  readonly authorityKeyId: string;
  readonly isCa: boolean;
  readonly pathLength: number;
  readonly keyUsage: readonly KeyUsage[] | undefined;
  readonly purposes: readonly string[] | undefined;
  readonly names: ParsedNames;
  readonly policies: PathPolicies;
  /** Object identifiers of critical extensions that are not processed. */
  readonly unknown: readonly string[];
  /** Messages about extensions that cannot be parsed. */
  readonly malformed: readonly string[];
}

/** Returns a string that is the same for all encodings of a Name. */
export const nameKey = (der: Uint8Array): string =>
  tryRead(() => comparableName(der)) ?? toHex(der);

/** Parses the extensions of a certificate, and records those that cannot be parsed. */
export function pathCertificate(certificate: Certificate): PathCertificate {
  const malformed: string[] = [];
  function value<T>(oid: string, read: (value: Uint8Array) => T): T | undefined {
    try {
      return valueOf(certificate, oid, read);
    } catch (error) {
      if (!(error instanceof CaError)) throw error;
      malformed.push(error.message);
      return undefined;
    }
  }
  const subject = nameKey(certificate.subject);
  const issuer = nameKey(certificate.issuer);
  const basic = value(extensionOid.basicConstraints, readBasicConstraints);
  const own = value(extensionOid.subjectKeyIdentifier, readSubjectKeyIdentifier);
  const above = value(extensionOid.authorityKeyIdentifier, readAuthorityKeyIdentifier);
  return {
    certificate,
    subject,
    issuer,
    isSelfIssued: subject === issuer,
    subjectKeyId: toHex(own ?? new Uint8Array(0)),
    authorityKeyId: toHex(above ?? new Uint8Array(0)),
    isCa: basic?.ca ?? false,
    pathLength: basic?.pathLength ?? Infinity,
    keyUsage: value(extensionOid.keyUsage, readKeyUsage),
    purposes: value(extensionOid.extKeyUsage, readExtKeyUsage),
    names: value(extensionOid.subjectAltName, parseSan) ?? noNames,
    policies: readPathPolicies(value),
    unknown: certificate.extensions.filter(isUnknown).map(({ oid }) => oid),
    malformed,
  };
}

/**
 * Reports whether a certificate allows a key usage. Without a key usage extension, every usage is
 * allowed.
 */
export const allowsUsage = ({ keyUsage }: PathCertificate, usage: KeyUsage): boolean =>
  keyUsage?.includes(usage) ?? true;
