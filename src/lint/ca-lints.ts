import { equalBytes, toHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { tryRead } from "../base/try-read.ts";
import { readAuthorityKeyIdentifier, readSubjectKeyIdentifier } from "../x509/key-identifiers.ts";
import { extensionOid } from "../x509/oid.ts";
import { readCertificatePolicies } from "../x509/policies.ts";
import { readValue, titleOf } from "./extension-lints.ts";
import { firstDefect, quoted, when, type Lint } from "./finding.ts";
import { hasExtension, latin1, valueOf, type LintedCertificate } from "./subject.ts";

const has = hasExtension;
const none = new Uint8Array();
/** Basic constraints that contain only an encoded cA FALSE, in hexadecimal. */
const falseWritten = "3003010100";

const roleLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "ca-without-cert-sign",
    "RFC 5280 4.2.1.3",
    (certificate) =>
      when(
        certificate.isCa &&
          has(certificate, extensionOid.keyUsage) &&
          !certificate.keyUsage.includes("CertSign"),
        `CA whose key usage is ${certificate.keyUsage.join(", ") || "empty"}, without CertSign`,
      ),
  ],
  [
    "error",
    "ca-key-usage-missing",
    "RFC 5280 4.2.1.3",
    (certificate) =>
      when(
        certificate.isCa && !has(certificate, extensionOid.keyUsage),
        "CA without key usage; it must have CertSign",
      ),
  ],
  [
    "error",
    "cert-sign-without-ca",
    "RFC 5280 4.2.1.3",
    ({ isCa, keyUsage }) =>
      when(
        !isCa && keyUsage.includes("CertSign"),
        "Key usage CertSign in a certificate that is not a CA",
      ),
  ],
  [
    "warning",
    "crl-sign-without-ca",
    "RFC 5280 4.2.1.3",
    ({ isCa, keyUsage, subject, issuer }) =>
      when(
        !isCa && keyUsage.includes("CRLSign") && keyUsage.length > 1 && subject !== issuer,
        "Key usage CRLSign together with others in a certificate that is not a CA",
      ),
  ],
  [
    "error",
    "basic-constraints-not-critical",
    "RFC 5280 4.2.1.9",
    ({ isCa, extensions }) =>
      when(
        isCa &&
          extensions.some(
            ({ oid, critical }) => oid === extensionOid.basicConstraints && !critical,
          ),
        "CA whose basic constraints are not critical",
      ),
  ],
  [
    "error",
    "path-length-without-ca",
    "RFC 5280 4.2.1.9",
    ({ isCa, pathLength }) =>
      when(
        !isCa && pathLength !== undefined,
        `Path length constraint ${Number(`0x${toHex(pathLength ?? none) || "0"}`)} in a certificate that is not a CA`,
      ),
  ],
  [
    "error",
    "path-length-without-cert-sign",
    "RFC 5280 4.2.1.9",
    (certificate) =>
      when(
        certificate.isCa &&
          certificate.pathLength !== undefined &&
          !certificate.keyUsage.includes("CertSign"),
        "Path length constraint in a CA whose key usage lacks CertSign",
      ),
  ],
  [
    "warning",
    "basic-constraints-false-written",
    "X.690 11.5",
    (certificate) =>
      when(
        toHex(valueOf(certificate, extensionOid.basicConstraints) ?? none).startsWith(falseWritten),
        "Basic constraints encode cA FALSE, which DER must omit",
      ),
  ],
  [
    "error",
    "path-length-negative",
    "RFC 5280 4.2.1.9",
    ({ pathLength }) => when((pathLength?.[0] ?? 0) >= 0x80, "Negative path length constraint"),
  ],
];

/** The extensions that only CA certificates may have. */
const forCas: readonly (readonly [oid: string, section: string])[] = [
  [extensionOid.nameConstraints, "RFC 5280 4.2.1.10"],
  [extensionOid.policyMappings, "RFC 5280 4.2.1.5"],
  [extensionOid.policyConstraints, "RFC 5280 4.2.1.11"],
  [extensionOid.inhibitAnyPolicy, "RFC 5280 4.2.1.14"],
];
const placeLints: readonly Lint<LintedCertificate>[] = forCas.map(([oid, section]) => [
  "error",
  `${titleOf(oid).toLowerCase().replaceAll(" ", "-")}-without-ca`,
  section,
  (certificate) =>
    when(
      !certificate.isCa && has(certificate, oid),
      `${titleOf(oid)} in a certificate that is not a CA`,
    ),
]);

const keyIdOf = (certificate: LintedCertificate): Uint8Array | undefined =>
  readValue(certificate, extensionOid.subjectKeyIdentifier, readSubjectKeyIdentifier);

const identifierLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "authority-key-identifier-missing",
    "RFC 5280 4.2.1.1",
    (certificate) =>
      when(
        !certificate.isSelfIssued && !has(certificate, extensionOid.authorityKeyIdentifier),
        "No authority key identifier",
      ),
  ],
  [
    "error",
    "authority-key-identifier-empty",
    "RFC 5280 4.2.1.1",
    (certificate) => {
      const value = valueOf(certificate, extensionOid.authorityKeyIdentifier);
      return when(
        value !== undefined &&
          !certificate.isSelfIssued &&
          tryRead(() => readAuthorityKeyIdentifier(value) ?? "none") === "none",
        "Authority key identifier without a key identifier",
      );
    },
  ],
  [
    "warning",
    "authority-key-identifier-own",
    "RFC 5280 4.2.1.1",
    (certificate) => {
      const authority = readValue(
        certificate,
        extensionOid.authorityKeyIdentifier,
        readAuthorityKeyIdentifier,
      );
      const own = keyIdOf(certificate);
      return when(
        !certificate.isSelfIssued && !!authority && !!own && equalBytes(authority, own),
        "Authority and subject key identifier are equal, although the certificate is not self-issued",
      );
    },
  ],
  [
    "error",
    "subject-key-identifier-missing-ca",
    "RFC 5280 4.2.1.2",
    (certificate) =>
      when(
        certificate.isCa && !has(certificate, extensionOid.subjectKeyIdentifier),
        "CA without subject key identifier",
      ),
  ],
  [
    "info",
    "subject-key-identifier-missing",
    "RFC 5280 4.2.1.2",
    (certificate) =>
      when(
        !certificate.isCa &&
          certificate.version === 3 &&
          !has(certificate, extensionOid.subjectKeyIdentifier),
        "No subject key identifier",
      ),
  ],
  [
    "info",
    "subject-key-identifier-long",
    "Common practice",
    (certificate) => {
      const { length } = keyIdOf(certificate) ?? none;
      return when(length > 32, `Subject key identifier of ${length} octets; 20 are usual`);
    },
  ],
];

interface Subtree {
  readonly tag: number;
  readonly text: string;
  readonly octets: number;
  /** The fields after the name (minimum and maximum), with their tags. */
  readonly limits: readonly (readonly [tag: number, content: Uint8Array])[];
}
/**
 * Returns the permitted and excluded subtrees of name constraints, or undefined if the extension is
 * absent or malformed.
 */
function subtreesOf(
  certificate: LintedCertificate,
): { readonly permitted: readonly Subtree[]; readonly excluded: readonly Subtree[] } | undefined {
  return readValue(certificate, extensionOid.nameConstraints, (value) => {
    const body = readDer(value, "name constraints").enter("NameConstraints");
    const [permitted = [], excluded = []] = [0xa0, 0xa1].map((side) => {
      const list = body.optional("subtrees", side);
      const trees: Subtree[] = [];
      while (list?.tag !== undefined) {
        const tree = list.enter("a subtree");
        const { tag, content } = tree.element("a name");
        const limits: [number, Uint8Array][] = [];
        while (tree.tag !== undefined) {
          const limit = tree.element("a limit");
          limits.push([limit.tag, limit.content]);
        }
        trees.push({ tag, text: latin1(content), octets: content.length, limits });
      }
      return trees;
    });
    return { permitted, excluded };
  });
}
const subtreeLint =
  (defect: (tree: Subtree) => string | undefined) =>
  (certificate: LintedCertificate): string | undefined => {
    const trees = subtreesOf(certificate);
    return trees && firstDefect([...trees.permitted, ...trees.excluded], defect);
  };
const [dnsTag, uriTag, ipTag] = [0x82, 0x86, 0x87];

const constraintLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "name-constraints-empty",
    "RFC 5280 4.2.1.10",
    (certificate) => {
      const trees = subtreesOf(certificate);
      return when(
        trees !== undefined && trees.permitted.length + trees.excluded.length === 0,
        "Name constraints without subtrees",
      );
    },
  ],
  [
    "error",
    "name-constraints-minimum",
    "RFC 5280 4.2.1.10",
    subtreeLint(({ text, limits }) =>
      when(
        limits.some(([tag, content]) => tag === 0x80 && content.some((byte) => byte !== 0)),
        `Name constraint ${quoted(text)} with a minimum other than 0`,
      ),
    ),
  ],
  [
    "error",
    "name-constraints-maximum",
    "RFC 5280 4.2.1.10",
    subtreeLint(({ text, limits }) =>
      when(
        limits.some(([tag]) => tag === 0x81),
        `Name constraint ${quoted(text)} with a maximum, which must be absent`,
      ),
    ),
  ],
  [
    "warning",
    "name-constraints-leading-dot",
    "RFC 5280 4.2.1.10",
    subtreeLint(({ tag, text }) =>
      when(
        tag === dnsTag && text.startsWith("."),
        `DNS name constraint ${quoted(text)} begins with a dot, which clients read differently`,
      ),
    ),
  ],
  [
    "error",
    "name-constraints-wildcard",
    "RFC 5280 4.2.1.10",
    subtreeLint(({ tag, text }) =>
      when(
        tag === dnsTag && text.includes("*"),
        `DNS name constraint ${quoted(text)} contains *, which constrains nothing`,
      ),
    ),
  ],
  [
    "warning",
    "name-constraints-uri",
    "RFC 5280 4.2.1.10",
    subtreeLint(({ tag, text }) =>
      when(
        tag === uriTag && !/^\.?[\w-]+(?:\.[\w-]+)+$/.test(text),
        `URI constraint ${quoted(text)} is not a full domain name`,
      ),
    ),
  ],
  [
    "error",
    "name-constraints-address",
    "RFC 5280 4.2.1.10",
    subtreeLint(({ tag, octets }) =>
      when(
        tag === ipTag && octets !== 8 && octets !== 32,
        `IP constraint of ${octets} octets; 8 or 32 expected, an address and its mask`,
      ),
    ),
  ],
  [
    "warning",
    "name-constraints-kind",
    "RFC 5280 4.2.1.10",
    subtreeLint(({ tag }) => {
      const kind = new Map([
        [8, "registered IDs"],
        [3, "X.400 addresses"],
        [5, "EDI party names"],
      ]).get(tag & 0x1f);
      return kind && `Name constraint on ${kind}, which no client checks`;
    }),
  ],
  [
    "warning",
    "name-constraints-contradiction",
    "RFC 5280 4.2.1.10",
    (certificate) => {
      const trees = subtreesOf(certificate);
      const excluded = new Set(trees?.excluded.map(({ tag, text }) => `${tag} ${text}`));
      const both = trees?.permitted.find(({ tag, text }) => excluded.has(`${tag} ${text}`));
      return both && `Name constraint ${quoted(both.text)} is both permitted and excluded`;
    },
  ],
];

const mappingLints: readonly Lint<LintedCertificate>[] = [
  [
    "warning",
    "policy-mapping-undeclared",
    "RFC 5280 4.2.1.5",
    (certificate) => {
      const mapped = readValue(certificate, extensionOid.policyMappings, (value) => {
        const list = readDer(value, "policy mappings").enter("PolicyMappings");
        const policies: string[] = [];
        while (list.tag !== undefined)
          policies.push(list.enter("a mapping").oid("the issuer's policy"));
        return policies;
      });
      const own = new Set(
        readValue(certificate, extensionOid.certificatePolicies, readCertificatePolicies),
      );
      const missing = mapped?.find((policy) => !own.has(policy));
      return missing && `Policy ${missing} is mapped, but not among the certificate policies`;
    },
  ],
];

/** Lints for CA certificates, constraints, and key identifiers. */
export const caLints: readonly Lint<LintedCertificate>[] = [
  ...roleLints,
  ...placeLints,
  ...identifierLints,
  ...constraintLints,
  ...mappingLints,
];
