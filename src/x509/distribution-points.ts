import { explicit, readDer, sequence, tlvOf, each } from "../base/der.ts";
import { checkNames } from "./checked-names.ts";
import { remember, type Extension } from "./extension.ts";
import { extensionOid } from "./oid.ts";
import { readNames, uriName } from "./san.ts";

function distributionPoints(type: string, urls: readonly string[]): Extension | undefined {
  if (urls.length === 0) return undefined;
  return remember(["points", type, urls], () => ({
    oid: type,
    critical: false,
    value: tlvOf(
      0x30,
      urls.map((url) => sequence(explicit(0, explicit(0, uriName(url))))),
    ),
  }));
}

/** CRLDistributionPoints: one point for each URL; undefined for none. */
export const crlDistributionPoints = (urls: readonly string[]): Extension | undefined =>
  distributionPoints(extensionOid.crlDistributionPoints, urls);

/** FreshestCRL: one point for each URL of a delta CRL; undefined for none. */
export const freshestCrl = (urls: readonly string[]): Extension | undefined =>
  distributionPoints(extensionOid.freshestCrl, urls);

/**
 * IssuingDistributionPoint, critical: the list is for certificates that name one of these URLs as
 * their distribution point (RFC 5280 section 5.2.5).
 */
export const issuingDistributionPoint = (urls: readonly string[]): Extension => ({
  oid: extensionOid.issuingDistributionPoint,
  critical: true,
  value: sequence(explicit(0, explicit(0, ...urls.map(uriName)))),
});

/** Reads the URLs of an IssuingDistributionPoint value; none where it has no full name. */
export function readIssuingDistributionPoint(value: Uint8Array): readonly string[] {
  const point = readDer(value, "issuing distribution point").enter("IssuingDistributionPoint");
  const name = point.optional("the distribution point name", 0xa0)?.optional("the full name", 0xa0);
  return name ? readNames(name).uri : [];
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

/** Refuses points of distribution that cannot be read. Throws `CaError` `malformed`. */
export function checkDistributionPoints(value: Uint8Array): void {
  each(readDer(value, "CRL distribution points").enter("CRLDistributionPoints"), (list) => {
    const point = list.enter("a distribution point");
    const name = point.optional("the distribution point name", 0xa0);
    // a relative name is nothing that others look up: RFC 5280 advises against it
    if (name) checkNames(name.enter("the full name", 0xa0));
    name?.end();
    if (point.tag === 0x81) point.bitString("the reasons", 0x81);
    const issuer = point.optional("the CRL issuer", 0xa2);
    if (issuer) checkNames(issuer);
    point.end();
    if (!name && !issuer) throw point.refuse("has neither name nor issuer");
  });
}
