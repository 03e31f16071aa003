import { CaError } from "../../../src/base/errors.ts";
import { readBasicConstraints } from "../../../src/x509/basic-constraints.ts";
import {
  findExtension,
  isCa,
  parseCertificate,
  type Certificate,
} from "../../../src/x509/certificate.ts";
import { tryRead } from "../../../src/base/try-read.ts";
import { isEmptyName } from "../../../src/x509/name.ts";
import { algorithmName, isWeakAlgorithm, parsePublicKey } from "../../../src/x509/public-key.ts";
import {
  readCrlDistributionPoints,
  readAuthorityInfoAccess,
} from "../../../src/x509/distribution-points.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { readCertificatePolicies } from "../../../src/x509/policies.ts";
import { noNames, parseSan } from "../../../src/x509/san.ts";
import { readExtKeyUsage, readKeyUsage } from "../../../src/x509/usage.ts";
import { lint, lintCount, type Finding } from "../../../src/pki/request/lint.ts";
import { signatureName, visible } from "../format.ts";
import type { CertificateView } from "../x509/decode.ts";

/** Returns the parsed extension; `otherwise` when it is absent or malformed. */
function extensionOr<T>(
  certificate: Certificate,
  oid: string,
  read: (value: Uint8Array) => T,
  otherwise: T,
): T {
  const found = findExtension(certificate, oid);
  try {
    return found ? read(found.value) : otherwise;
  } catch (error) {
    if (error instanceof CaError) return otherwise;
    throw error;
  }
}

type Rule = readonly [
  severity: Finding["severity"],
  section: string,
  /** Returns the defect in words; undefined if there is none. */
  defect: (certificate: Certificate) => string | undefined,
];

const has = (certificate: Certificate, oid: string): boolean =>
  findExtension(certificate, oid) !== undefined;
const ca = (certificate: Certificate): boolean => tryRead(() => isCa(certificate)) ?? false;

const when = (isBroken: boolean, defect: string): string | undefined =>
  isBroken ? defect : undefined;

function serialDefect({ serial }: Certificate): string | undefined {
  if (serial.every((byte) => byte === 0)) return "Serial number 0";
  const { length } = serial[0] === 0 ? serial.subarray(1) : serial;
  return when(length > 20, `Serial number of ${length} octets, at most 20 allowed`);
}

function rsaDefect({ spki }: Certificate): string | undefined {
  const key = tryRead(() => parsePublicKey(spki));
  return key?.type === "rsa" && key.bits < 2048
    ? `RSA key of ${key.bits} bits, at least 2048 needed`
    : undefined;
}

const isoDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

const urlsOf = (certificate: Certificate): readonly string[] => {
  const urls = urlsIn(certificate);
  return [...urls.ocsp_servers, ...urls.issuing_certificates, ...urls.crl_distribution_points];
};

/** Rules that certificates of other CAs may break; those issued here cannot. */
const foreign: readonly Rule[] = [
  ["error", "RFC 5280 4.1.2.2", serialDefect],
  [
    "error",
    "RFC 5280 4.1.2.5",
    ({ notBefore, notAfter }) =>
      when(
        notAfter < notBefore,
        `Expires on ${isoDate(notAfter)}, before it becomes valid on ${isoDate(notBefore)}`,
      ),
  ],
  [
    "error",
    "RFC 9155",
    ({ algorithm }) =>
      when(
        isWeakAlgorithm(algorithm),
        `Signed with ${signatureName(algorithmName(algorithm))}, which can be forged`,
      ),
  ],
  ["error", "NIST SP 800-131A", rsaDefect],
  [
    "error",
    "RFC 5280 4.2.1.3",
    (certificate) =>
      when(
        ca(certificate) &&
          has(certificate, extensionOid.keyUsage) &&
          !extensionOr(certificate, extensionOid.keyUsage, readKeyUsage, []).includes("CertSign"),
        "CA whose key usage lacks CertSign",
      ),
  ],
  [
    "error",
    "RFC 5280 4.2.1.9",
    (certificate) =>
      when(
        ca(certificate) &&
          findExtension(certificate, extensionOid.basicConstraints)?.critical === false,
        "CA whose basic constraints are not critical",
      ),
  ],
  [
    "error",
    "RFC 5280 4.2.1.9",
    (certificate) => {
      const length = extensionOr(certificate, extensionOid.basicConstraints, readBasicConstraints, {
        ca: false,
      });
      return when(
        !length.ca && length.pathLength !== undefined,
        `Path length ${length.pathLength} in a certificate that is not a CA`,
      );
    },
  ],
  [
    "error",
    "RFC 5280 4.2.1.10",
    (certificate) =>
      when(
        findExtension(certificate, extensionOid.nameConstraints)?.critical === false,
        "Name constraints that are not critical",
      ),
  ],
  [
    "error",
    "RFC 5280 4.2.1.6",
    (certificate) =>
      when(
        isEmptyName(certificate.subject) &&
          findExtension(certificate, extensionOid.subjectAltName)?.critical === false,
        "Alternative names that are not critical although the subject is empty",
      ),
  ],
  [
    "error",
    "RFC 5280 4.2.1.1",
    (certificate) =>
      when(
        !has(certificate, extensionOid.authorityKeyIdentifier) &&
          String(certificate.issuer) !== String(certificate.subject),
        "No authority key identifier",
      ),
  ],
  [
    "warning",
    "RFC 5280 4.2.1.2",
    (certificate) =>
      when(
        ca(certificate) && !has(certificate, extensionOid.subjectKeyIdentifier),
        "CA without subject key identifier",
      ),
  ],
  [
    "warning",
    "RFC 5280 4.2.1.13",
    (certificate) => {
      const wrong = urlsOf(certificate).find((url) => !/^(?:http|ldap):/i.test(url));
      return wrong === undefined ? undefined : `Address ${visible(wrong)} is not http or ldap`;
    },
  ],
  [
    "warning",
    "RFC 5280 4.1.2.1",
    ({ version }) => when(version !== 3, `Version ${version}, without extensions`),
  ],
];

/** Rules that do not apply to roots: no CRL revokes them, and they have no issuer. */
const notForRoots: ReadonlySet<string> = new Set(["RFC 5280 4.2.2.1", "RFC 5280 4.2.1.13"]);

const order: readonly Finding["severity"][] = ["error", "warning", "info"];

/** Returns the URLs in a certificate. */
function urlsIn(certificate: Certificate): Parameters<typeof lint>[1] {
  const { ocsp, issuers } = extensionOr(
    certificate,
    extensionOid.authorityInfoAccess,
    readAuthorityInfoAccess,
    { ocsp: [], issuers: [] },
  );
  return {
    ocsp_servers: ocsp,
    issuing_certificates: issuers,
    crl_distribution_points: extensionOr(
      certificate,
      extensionOid.crlDistributionPoints,
      readCrlDistributionPoints,
      [],
    ),
    delta_crl_distribution_points: [],
  };
}

/** Converts a certificate to the template that the lints of new certificates check. */
const templateOf = (certificate: Certificate): Parameters<typeof lint>[0] => ({
  kind: ca(certificate) ? "intermediate" : "leaf",
  keyUsage: extensionOr(certificate, extensionOid.keyUsage, readKeyUsage, []),
  extKeyUsage: extensionOr(certificate, extensionOid.extKeyUsage, readExtKeyUsage, []),
  basicConstraints: extensionOr(certificate, extensionOid.basicConstraints, readBasicConstraints, {
    ca: false,
  }),
  policies: extensionOr(certificate, extensionOid.certificatePolicies, readCertificatePolicies, []),
  subject: certificate.subject,
  names: extensionOr(certificate, extensionOid.subjectAltName, parseSan, noNames),
  notBefore: certificate.notBefore,
  notAfter: certificate.notAfter,
  spki: certificate.spki,
});

/** Returns the lints of a certificate: those of a dry run and a few more. */
export function lintsOf({ der, selfIssued }: CertificateView): readonly Finding[] {
  const certificate = parseCertificate(der);
  const own = foreign.flatMap(([severity, section, defect]): readonly Finding[] => {
    const rule = defect(certificate);
    return rule === undefined ? [] : [{ severity, section, rule }];
  });
  let general: readonly Finding[] = [];
  try {
    general = lint(templateOf(certificate), urlsIn(certificate));
  } catch (error) {
    // the type of the key is unknown
    if (!(error instanceof CaError)) throw error;
  }
  return [
    ...own,
    ...general.filter(({ section }) => !selfIssued || !notForRoots.has(section)),
  ].toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

/** The number of rules that `lintsOf` checks in every certificate. */
export const ruleCount = foreign.length + lintCount;
