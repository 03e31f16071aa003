import { CaError } from "../../../src/base/errors.ts";
import { readBasicConstraints } from "../../../src/x509/basic-constraints.ts";
import {
  findExtension,
  isCa,
  parseCertificate,
  type Certificate,
} from "../../../src/x509/certificate.ts";
import { isWeakAlgorithm, parsePublicKey } from "../../../src/x509/public-key.ts";
import {
  readCrlDistributionPoints,
  readAuthorityInfoAccess,
} from "../../../src/x509/distribution-points.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { readCertificatePolicies } from "../../../src/x509/policies.ts";
import { noNames, parseSan } from "../../../src/x509/san.ts";
import { readExtKeyUsage, readKeyUsage } from "../../../src/x509/usage.ts";
import { lint, type Finding } from "../../../src/pki/request/lint.ts";
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
  rule: string,
  breaks: (certificate: Certificate) => boolean,
];

const has = (certificate: Certificate, oid: string): boolean =>
  findExtension(certificate, oid) !== undefined;
const isSatisfied = (read: () => boolean): boolean => {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
};
const ca = (certificate: Certificate): boolean => isSatisfied(() => isCa(certificate));

/** Rules that certificates of other CAs may break; those issued here cannot. */
const foreign: readonly Rule[] = [
  [
    "error",
    "RFC 5280 4.1.2.2",
    "a serial number is positive and has at most 20 octets",
    ({ serial }) =>
      serial.length > 20 + (serial[0] === 0 ? 1 : 0) ||
      (serial[0] ?? 0) > 0x7f ||
      serial.every((byte) => byte === 0),
  ],
  [
    "error",
    "RFC 5280 4.1.2.5",
    "a certificate ends after it begins",
    ({ notBefore, notAfter }) => notAfter < notBefore,
  ],
  [
    "error",
    "RFC 9155",
    "no signature is made with SHA-1 or MD5",
    ({ algorithm }) => isWeakAlgorithm(algorithm),
  ],
  [
    "error",
    "NIST SP 800-131A",
    "an RSA key has at least 2048 bits",
    ({ spki }) =>
      isSatisfied(() => {
        const { type, bits } = parsePublicKey(spki);
        return type === "rsa" && bits < 2048;
      }),
  ],
  [
    "error",
    "RFC 5280 4.2.1.3",
    "a CA may sign certificates by its key usage",
    (certificate) =>
      ca(certificate) &&
      has(certificate, extensionOid.keyUsage) &&
      !extensionOr(certificate, extensionOid.keyUsage, readKeyUsage, []).includes("CertSign"),
  ],
  [
    "error",
    "RFC 5280 4.2.1.9",
    "the basic constraints of a CA are critical",
    (certificate) =>
      ca(certificate) &&
      findExtension(certificate, extensionOid.basicConstraints)?.critical === false,
  ],
  [
    "error",
    "RFC 5280 4.2.1.1",
    "a certificate names the key of its issuer",
    (certificate) =>
      !has(certificate, extensionOid.authorityKeyIdentifier) &&
      isSatisfied(() => String(certificate.issuer) !== String(certificate.subject)),
  ],
  [
    "warning",
    "RFC 5280 4.2.1.2",
    "a CA names its own key",
    (certificate) => ca(certificate) && !has(certificate, extensionOid.subjectKeyIdentifier),
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
  const own = foreign
    .filter(([, , , breaks]) => breaks(certificate))
    .map(([severity, section, rule]): Finding => ({ severity, section, rule }));
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
