import { explicit, readDer, sequence, tlvOf, each, oid } from "../base/der.ts";
import { checkNames, readNames, uriName, checkOneName, readAscii } from "./san.ts";
import { memoizeExtension, type Extension } from "./extension.ts";
import { extensionOid, otherOid } from "./oid.ts";

function distributionPoints(type: string, urls: readonly string[]): Extension | undefined {
  if (urls.length === 0) return undefined;
  return memoizeExtension(["points", type, urls], () => ({
    oid: type,
    critical: false,
    value: tlvOf(
      0x30,
      urls.map((url) => sequence(explicit(0, explicit(0, uriName(url))))),
    ),
  }));
}

/**
 * Returns a CRLDistributionPoints extension with one point per URL, or undefined if there are none.
 */
export const crlDistributionPoints = (urls: readonly string[]): Extension | undefined =>
  distributionPoints(extensionOid.crlDistributionPoints, urls);

/**
 * Returns a FreshestCRL extension with one point per delta CRL URL, or undefined if there are none.
 */
export const freshestCrl = (urls: readonly string[]): Extension | undefined =>
  distributionPoints(extensionOid.freshestCrl, urls);

/**
 * Returns a critical IssuingDistributionPoint extension, which limits the CRL to certificates that
 * have one of these URLs as a distribution point (RFC 5280 section 5.2.5).
 */
export const issuingDistributionPoint = (urls: readonly string[]): Extension => ({
  oid: extensionOid.issuingDistributionPoint,
  critical: true,
  value: sequence(explicit(0, explicit(0, ...urls.map(uriName)))),
});

/** Returns the URLs in an IssuingDistributionPoint value, or none if it has no fullName. */
export function readIssuingDistributionPoint(value: Uint8Array): readonly string[] {
  const point = readDer(value, "issuing distribution point").enter("IssuingDistributionPoint");
  const name = point.optional("the distribution point name", 0xa0)?.optional("the full name", 0xa0);
  return name ? readNames(name).uri : [];
}

/** Returns the URLs of all points in a CRLDistributionPoints or FreshestCRL value, in order. */
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

/** Rejects distribution points that cannot be parsed. Throws `CaError` `malformed`. */
export function checkDistributionPoints(value: Uint8Array): void {
  each(readDer(value, "CRL distribution points").enter("CRLDistributionPoints"), (list) => {
    const point = list.enter("a distribution point");
    const name = point.optional("the distribution point name", 0xa0);
    // rejects nameRelativeToCRLIssuer, because no client resolves it and RFC 5280 advises against
    // it
    if (name) checkNames(name.enter("the full name", 0xa0));
    name?.end();
    if (point.tag === 0x81) point.bitString("the reasons", 0x81);
    const issuer = point.optional("the CRL issuer", 0xa2);
    if (issuer) checkNames(issuer);
    point.end();
    if (!name && !issuer) throw point.refuse("has neither a distributionPoint nor a cRLIssuer");
  });
}

/**
 * Returns an AuthorityInfoAccess extension with the URLs of OCSP responders, followed by the URLs
 * of issuer certificates. Returns undefined if there are none.
 */
export function authorityInfoAccess(
  ocsp: readonly string[],
  issuers: readonly string[],
): Extension | undefined {
  if (ocsp.length + issuers.length === 0) return undefined;
  const access = (method: string) => (url: string) => sequence(oid(method), uriName(url));
  return memoizeExtension(["access", ocsp, issuers], () => ({
    oid: extensionOid.authorityInfoAccess,
    critical: false,
    value: tlvOf(0x30, [
      ...ocsp.map(access(otherOid.accessOcsp)),
      ...issuers.map(access(otherOid.accessCaIssuers)),
    ]),
  }));
}

/** Returns the URLs in an AuthorityInfoAccess value. Ignores other access methods and locations. */
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

/**
 * Returns a check that rejects AuthorityInfoAccess or SubjectInfoAccess values that cannot be
 * parsed.
 */
export const checkInfoAccess =
  (where: string): ((value: Uint8Array) => void) =>
  (value) =>
    each(readDer(value, where).enter("InfoAccess"), (list) => {
      const item = list.enter("an access description");
      item.oid("the method");
      checkOneName(item, "the location");
      item.end();
    });
