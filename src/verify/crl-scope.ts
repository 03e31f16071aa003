import { tlvOf, readDer, type Reader } from "../base/der.ts";
import { readNames, type ParsedNames } from "../x509/san.ts";

/**
 * Reason flags of RFC 5280 section 4.2.1.13 as a bit mask, in which bit n is reason n. Bit 0 is
 * unused.
 */
export type ReasonMask = number;
/** The mask of all revocation reasons. */
export const allReasons: ReasonMask = 0b1_1111_1110;

/** The name of a distribution point: GeneralNames, or an RDN to append to the CRL issuer's name. */
export type PointName =
  | { readonly full: ParsedNames }
  /** DER-encoded RelativeDistinguishedName. */
  | { readonly relative: Uint8Array };

/**
 * A parsed IssuingDistributionPoint, which states the certificates that a CRL covers (RFC 5280
 * section 5.2.5).
 */
export interface CrlScope {
  readonly name?: PointName;
  readonly onlyUserCertificates: boolean;
  readonly onlyCaCertificates: boolean;
  readonly onlyAttributeCertificates: boolean;
  readonly reasons: ReasonMask;
  readonly indirect: boolean;
}

/** A distribution point of a certificate (RFC 5280 section 4.2.1.13). */
export interface DistributionPoint {
  readonly name?: PointName;
  readonly reasons: ReasonMask;
  readonly crlIssuer?: ParsedNames;
}

function readPointName(reader: Reader): PointName | undefined {
  const tagged = reader.optional("the distribution point name", 0xa0);
  if (!tagged) return undefined;
  const full = tagged.optional("the full name", 0xa0);
  const name = full
    ? { full: readNames(full) }
    : { relative: tlvOf(0x31, [tagged.content("the relative name", 0xa1)]) };
  tagged.end();
  return name;
}

function readReasons(reader: Reader, tag: number): ReasonMask {
  if (reader.tag !== tag) return allReasons;
  const { bytes } = reader.bitString("the reasons", tag);
  let mask = 0;
  for (let bit = 1; bit <= 8; bit++)
    if (((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0) mask |= 1 << bit;
  return mask;
}

/** Parses an IssuingDistributionPoint value. Throws `CaError` `malformed`. */
export function readCrlScope(value: Uint8Array): CrlScope {
  const body = readDer(value, "issuing distribution point").enter("IssuingDistributionPoint");
  const flag = (tag: number): boolean => body.tag === tag && body.boolean("a flag", tag);
  const name = readPointName(body);
  const [onlyUserCertificates, onlyCaCertificates] = [flag(0x81), flag(0x82)];
  const reasons = readReasons(body, 0x83);
  const [indirect, onlyAttributeCertificates] = [flag(0x84), flag(0x85)];
  body.end();
  return {
    ...(name && { name }),
    onlyUserCertificates,
    onlyCaCertificates,
    onlyAttributeCertificates,
    reasons,
    indirect,
  };
}

/** Parses a CRLDistributionPoints value. Throws `CaError` `malformed`. */
export function readDistributionPoints(value: Uint8Array): readonly DistributionPoint[] {
  const list = readDer(value, "CRL distribution points").enter("CRLDistributionPoints");
  const points: DistributionPoint[] = [];
  while (list.tag !== undefined) {
    const point = list.enter("a distribution point");
    const name = readPointName(point);
    const reasons = readReasons(point, 0x81);
    const issuer = point.optional("the CRL issuer", 0xa2);
    points.push({
      ...(name && { name }),
      reasons,
      ...(issuer && { crlIssuer: readNames(issuer) }),
    });
    point.end();
  }
  return points;
}
