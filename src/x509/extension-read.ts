import { readDer, type Reader } from "../base/der.ts";
import { cidrText } from "./address.ts";
import type { Extension } from "./extension.ts";
import { otherOid } from "./oid.ts";
import { readAscii, readNames } from "./san.ts";
import { keyUsages, type KeyUsage } from "./usage.ts";

/**
 * Reads a SEQUENCE of extensions that `reader` stands before; refuses duplicates, an empty list,
 * and a critical flag that DER leaves out.
 */
export function readExtensions(reader: Reader): readonly Extension[] {
  const list = reader.enter("extensions");
  const extensions: Extension[] = [];
  const seen = new Set<string>();
  if (list.tag === undefined) throw list.refuse("is empty");
  while (list.tag !== undefined) {
    const item = list.enter("an extension");
    const oid = item.oid("its type");
    const flagged = item.tag === 0x01;
    const critical = flagged && item.boolean("critical");
    if (flagged && !critical)
      throw item.refuse(`${oid} writes critical FALSE, which DER leaves out`);
    const value = item.octets("the value");
    item.end();
    if (seen.has(oid)) throw list.refuse(`${oid} stands there twice`);
    seen.add(oid);
    extensions.push({ oid, critical, value });
  }
  return extensions;
}

/**
 * Reads the names of a KeyUsage value. Throws `CaError` `malformed`, also on untrimmed or unknown
 * bits.
 */
export function readKeyUsage(value: Uint8Array): readonly KeyUsage[] {
  const reader = readDer(value, "key usage");
  const { unused, bytes } = reader.bitString("the bits");
  const count = 8 * bytes.length - unused;
  const last = bytes.at(-1) ?? 0;
  if (count > keyUsages.length || (bytes.length > 0 && ((last >> unused) & 1) === 0))
    throw reader.refuse("bits are unknown or not trimmed");
  return keyUsages.filter((_, i) => (((bytes[i >> 3] ?? 0) << (i & 7)) & 0x80) !== 0);
}

/** Reads the object identifiers of an ExtKeyUsage value. */
export function readExtKeyUsage(value: Uint8Array): readonly string[] {
  const list = readDer(value, "extended key usage").enter("ExtKeyUsage");
  const oids: string[] = [];
  while (list.tag !== undefined) oids.push(list.oid("a purpose"));
  return oids;
}

/**
 * Reads a BasicConstraints value. An explicit FALSE, which DER leaves out, is taken: many devices
 * write it.
 */
export function readBasicConstraints(value: Uint8Array): {
  readonly ca: boolean;
  readonly pathLength?: number;
} {
  const body = readDer(value, "basic constraints").enter("BasicConstraints");
  const ca = body.tag === 0x01 && body.boolean("cA");
  const pathLength = body.tag === undefined ? undefined : body.number("the path length");
  body.end();
  if (!ca && pathLength !== undefined) throw body.refuse("a path length without cA");
  return pathLength === undefined ? { ca } : { ca, pathLength };
}

/** Reads a SubjectKeyIdentifier value. */
export const readSubjectKeyIdentifier = (value: Uint8Array): Uint8Array =>
  readDer(value, "subject key identifier").octets("the identifier");

/**
 * Reads the key identifier of an AuthorityKeyIdentifier value; undefined when it names issuer and
 * serial number only.
 */
export function readAuthorityKeyIdentifier(value: Uint8Array): Uint8Array | undefined {
  const body = readDer(value, "authority key identifier").enter("AuthorityKeyIdentifier");
  const identifier = body.tag === 0x80 ? body.content("the identifier", 0x80) : undefined;
  const issuer = body.optional("the issuer", 0xa1);
  if (issuer) readNames(issuer);
  if (body.tag === 0x82) body.unsigned("the serial number", 0x82);
  body.end();
  return identifier;
}

/** Names a CA may, or may not, certify, as read. */
export interface ReadSubtrees {
  readonly dns: readonly string[];
  /** Ranges as `192.0.2.0/24`. */
  readonly ip: readonly string[];
  readonly email: readonly string[];
  readonly uri: readonly string[];
  /** DER of directory names. */
  readonly directory: readonly Uint8Array[];
  /** Kinds that have no text form here. They must be taken as matching every name of that kind. */
  readonly unreadable: readonly string[];
}

function readSubtrees(list: Reader | undefined): ReadSubtrees {
  const ip: string[] = [];
  const found = {
    dns: [] as string[],
    email: [] as string[],
    uri: [] as string[],
    directory: [] as Uint8Array[],
    unreadable: [] as string[],
  };
  if (list?.tag === undefined && list) throw list.refuse("is empty");
  while (list?.tag !== undefined) {
    const subtree = list.enter("a subtree");
    if (subtree.tag === 0x87) {
      const range = cidrText(subtree.content("an IP range", 0x87));
      if (!range) throw subtree.refuse("an IP range has a wrong length or a mask with gaps");
      ip.push(range);
    } else {
      const base = subtree.element("a name");
      const names = readNames(readDer(base.der, "name constraints"));
      found.dns.push(...names.dns);
      found.email.push(...names.email);
      found.uri.push(...names.uri);
      found.directory.push(...names.directory);
      found.unreadable.push(
        ...names.unreadable,
        ...names.other.map((other) => `otherName ${other.oid}`),
      );
    }
    // RFC 5280 section 4.2.1.10: minimum is 0, so left out; maximum is absent.
    subtree.end();
  }
  return { ...found, ip };
}

/** Reads a NameConstraints value; refuses masks with gaps, minimum and maximum. */
export function readNameConstraints(value: Uint8Array): {
  readonly permitted: ReadSubtrees;
  readonly excluded: ReadSubtrees;
} {
  const body = readDer(value, "name constraints").enter("NameConstraints");
  const permitted = readSubtrees(body.optional("permitted", 0xa0));
  const excluded = readSubtrees(body.optional("excluded", 0xa1));
  body.end();
  return { permitted, excluded };
}

/**
 * Reads the URLs of an AuthorityInfoAccess value; other access methods and other kinds of location
 * are passed over.
 */
export function readAuthorityInfoAccess(value: Uint8Array): {
  readonly ocsp: readonly string[];
  readonly issuers: readonly string[];
} {
  const list = readDer(value, "authority information access").enter("AuthorityInfoAccess");
  const ocsp: string[] = [];
  const issuers: string[] = [];
  while (list.tag !== undefined) {
    const item = list.enter("an access description");
    const method = item.oid("the method");
    if (item.tag === 0x86 && method === otherOid.accessOcsp)
      ocsp.push(readAscii(item, "the URL", 0x86));
    else if (item.tag === 0x86 && method === otherOid.accessCaIssuers)
      issuers.push(readAscii(item, "the URL", 0x86));
    else item.element("the location");
    item.end();
  }
  return { ocsp, issuers };
}

/** Reads the URLs of a CRLDistributionPoints or FreshestCRL value, of all points in order. */
export function readCrlDistributionPoints(value: Uint8Array): readonly string[] {
  const list = readDer(value, "CRL distribution points").enter("CRLDistributionPoints");
  const urls: string[] = [];
  while (list.tag !== undefined) {
    const point = list.enter("a distribution point");
    const fullName = point
      .optional("the distribution point name", 0xa0)
      ?.optional("the full name", 0xa0);
    if (fullName) urls.push(...readNames(fullName).uri);
    while (point.tag !== undefined) point.element("reasons or issuer");
  }
  return urls;
}

/** Policies of a CertificatePolicies value: their object identifiers. */
export function readCertificatePolicies(value: Uint8Array): readonly string[] {
  const list = readDer(value, "certificate policies").enter("CertificatePolicies");
  const oids: string[] = [];
  while (list.tag !== undefined) oids.push(list.enter("a policy").oid("its identifier"));
  return oids;
}
