import { concat } from "../base/bytes.ts";
import { each, readDer, tlvOf } from "../base/der.ts";
import { tryRead } from "../base/try-read.ts";
import { extensionOid } from "../x509/oid.ts";
import type { ParsedNames } from "../x509/san.ts";
import {
  allReasons,
  readDistributionPoints,
  type DistributionPoint,
  type PointName,
  type ReasonMask,
} from "./crl-scope.ts";
import type { LoadedCrl } from "./loaded-crl.ts";
import { valueOf } from "./parsed-certificate.ts";
import { nameKey, type PathCertificate } from "./path-certificate.ts";

/**
 * A distribution point of a certificate, or the implied distribution point for its issuer (RFC 5280
 * section 6.3.3).
 */
interface ExpectedPoint {
  /** Comparable names of the point. A CRL with a distribution point name must have one of them. */
  readonly names: ReadonlySet<string>;
  readonly reasons: ReasonMask;
  /**
   * Comparable names of the accepted CRL issuers. `isIndirect` is true if the point itself contains
   * them.
   */
  readonly issuers: ReadonlySet<string>;
  readonly isIndirect: boolean;
}

/**
 * Returns the distribution points of a certificate, followed by the implied point, which represents
 * any CRL of its issuer. If the extension cannot be parsed, returns only the implied point.
 */
export function expectedPoints(one: PathCertificate): readonly ExpectedPoint[] {
  const { certificate } = one;
  const points = tryRead(() =>
    valueOf(certificate, extensionOid.crlDistributionPoints, readDistributionPoints),
  );
  return [
    ...(points ?? []).map((point) => expectedPoint(one, point)),
    {
      names: new Set([directoryKey(certificate.issuer)]),
      reasons: allReasons,
      issuers: new Set([one.issuer]),
      isIndirect: false,
    },
  ];
}

function expectedPoint(
  { certificate, issuer }: PathCertificate,
  { name, reasons, crlIssuer }: DistributionPoint,
): ExpectedPoint {
  const base = crlIssuer?.directory[0] ?? certificate.issuer;
  return {
    names: name ? nameKeys(name, base) : new Set(crlIssuer?.directory.map(directoryKey)),
    reasons,
    issuers: crlIssuer ? new Set(crlIssuer.directory.map(nameKey)) : new Set([issuer]),
    isIndirect: crlIssuer !== undefined,
  };
}

const directoryKey = (der: Uint8Array): string => `directory ${nameKey(der)}`;

function nameKeys(name: PointName, base: Uint8Array): ReadonlySet<string> {
  return "full" in name
    ? new Set(generalKeys(name.full))
    : new Set([directoryKey(extendName(base, name.relative))]);
}

const generalKeys = (names: ParsedNames): readonly string[] => [
  ...names.uri.map((uri) => `uri ${uri}`),
  ...names.dns.map((dns) => `dns ${dns}`),
  ...names.email.map((email) => `email ${email}`),
  ...names.directory.map(directoryKey),
];

/** Appends an RDN to a Name. */
function extendName(base: Uint8Array, rdn: Uint8Array): Uint8Array {
  const rdns: Uint8Array[] = [];
  const name = readDer(base, "name");
  if (base.length > 2) each(name.enter("Name"), (list) => rdns.push(list.raw("an RDN")));
  return tlvOf(0x30, [concat(rdns), rdn]);
}

/**
 * Returns the revocation reasons for which a CRL determines the status of a certificate at a
 * distribution point (RFC 5280 section 6.3.3 b and d). Returns 0 if the CRL does not cover the
 * certificate.
 */
export function coveredReasons(
  { issuer, scope, crl }: LoadedCrl,
  one: PathCertificate,
  point: ExpectedPoint,
): ReasonMask {
  if (!point.issuers.has(issuer) || (point.isIndirect && !scope?.indirect)) return 0;
  if (!scope) return point.reasons;
  if (scope.onlyAttributeCertificates) return 0;
  if (one.isCa ? scope.onlyUserCertificates : scope.onlyCaCertificates) return 0;
  if (scope.name) {
    const own = nameKeys(scope.name, crl.issuer);
    if (![...point.names].some((name) => own.has(name))) return 0;
  }
  return point.reasons & scope.reasons;
}
