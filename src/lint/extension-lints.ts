import { CaError } from "../base/errors.ts";
import { tryRead } from "../base/try-read.ts";
import { checkValue } from "../x509/extension-value.ts";
import { isUnknown } from "../x509/critical.ts";
import type { Extension } from "../x509/extension.ts";
import { extensionName, extensionOid } from "../x509/oid.ts";
import { firstDefect, firstRepeated, when, type Finding, type Lint } from "./finding.ts";
import type { LintedExtension } from "./subject.ts";

/** A certificate, CRL or CRL entry. */
interface Extended {
  readonly extensions: readonly LintedExtension[];
}
/** Returns an extension's name for the text of a finding. */
export const titleOf = (oid: string): string =>
  oid === extensionOid.extKeyUsage
    ? "Extended Key Usage"
    : (extensionName(oid) ?? `Extension ${oid}`);
/** Returns an extension's name for use in a lint's ID, such as `key-usage`. */
const idOf = (oid: string): string =>
  (extensionName(oid) ?? oid).toLowerCase().replaceAll(" ", "-");

/** The critical flag that an extension must have, and the severity of a violation. */
type Criticality = readonly [
  severity: Finding["severity"],
  oid: string,
  critical: boolean,
  section: string,
];
/** Returns lints that check the critical flags of extensions. */
export const criticalityLints = (rules: readonly Criticality[]): readonly Lint<Extended>[] =>
  rules.map(([severity, oid, critical, section]) => [
    severity,
    `${idOf(oid)}-${critical ? "not-critical" : "critical"}`,
    section,
    ({ extensions }) =>
      when(
        extensions.some((extension) => extension.oid === oid && extension.critical !== critical),
        critical
          ? `${titleOf(oid)} is not critical, so clients may ignore it`
          : `${titleOf(oid)} is critical, so clients that do not know it reject the certificate or CRL`,
      ),
  ]);

/** Returns lints that apply to any extension. `of` is the prefix of their IDs. */
export const generalLints = (of: string, section: string): readonly Lint<Extended>[] => [
  [
    "error",
    `${of}extension-repeated`,
    section,
    ({ extensions }) => {
      const repeated = firstRepeated(extensions.map(({ oid }) => oid));
      return repeated && `${titleOf(repeated)} occurs twice`;
    },
  ],
  [
    "error",
    `${of}extension-false-written`,
    "X.690 11.5",
    ({ extensions }) =>
      firstDefect(extensions, ({ oid, isFalseWritten }) =>
        when(isFalseWritten, `${titleOf(oid)} encodes critical FALSE, which DER must omit`),
      ),
  ],
];

/** Returns the reason why the value of an extension cannot be parsed, or undefined if it can. */
function valueDefect(extension: Extension): string | undefined {
  try {
    checkValue(extension);
    return undefined;
  } catch (error) {
    if (error instanceof CaError) return error.message;
    throw error;
  }
}

const names = /^(?:dns-ascii|uri-|email-ascii|ip-length|name-kind-unknown|names-empty)/;
/**
 * The certificate extensions whose values are parsed, each with the source of its syntax and a
 * pattern for the IDs of the lints that report the same defect in more detail.
 */
const parsed: readonly (readonly [oid: string, section: string, detail?: RegExp])[] = [
  [extensionOid.authorityKeyIdentifier, "RFC 5280 4.2.1.1"],
  [extensionOid.subjectKeyIdentifier, "RFC 5280 4.2.1.2"],
  [extensionOid.keyUsage, "RFC 5280 4.2.1.3", /^key-usage-only-without-agreement$/],
  [extensionOid.certificatePolicies, "RFC 5280 4.2.1.4", /^policy-(?:repeated|any|qualifier)/],
  [extensionOid.policyMappings, "RFC 5280 4.2.1.5"],
  [extensionOid.subjectAltName, "RFC 5280 4.2.1.6", names],
  [extensionOid.issuerAltName, "RFC 5280 4.2.1.7", names],
  [extensionOid.subjectDirectoryAttributes, "RFC 5280 4.2.1.8"],
  [extensionOid.basicConstraints, "RFC 5280 4.2.1.9", /^path-length-(?:negative|without-ca)$/],
  [
    extensionOid.nameConstraints,
    "RFC 5280 4.2.1.10",
    /^name-constraints-(?:empty|minimum|maximum|wildcard|address)$/,
  ],
  [extensionOid.policyConstraints, "RFC 5280 4.2.1.11"],
  [extensionOid.extKeyUsage, "RFC 5280 4.2.1.12"],
  [extensionOid.crlDistributionPoints, "RFC 5280 4.2.1.13", /^distribution-point-incomplete$/],
  [extensionOid.inhibitAnyPolicy, "RFC 5280 4.2.1.14"],
  [extensionOid.freshestCrl, "RFC 5280 4.2.1.15"],
  [extensionOid.authorityInfoAccess, "RFC 5280 4.2.2.1"],
  [extensionOid.subjectInfoAccess, "RFC 5280 4.2.2.2"],
  [extensionOid.privateKeyUsagePeriod, "RFC 3280 4.2.1.4"],
  [extensionOid.tlsFeature, "RFC 7633 4.1"],
  [extensionOid.ctTimestamps, "RFC 6962 3.3"],
  [extensionOid.acmeIdentifier, "RFC 8737 3"],
  [extensionOid.ocspNoCheck, "RFC 6960 4.2.2.2.1"],
  [extensionOid.noRevAvail, "RFC 9608 2"],
];
const details: ReadonlyMap<string, RegExp> = new Map(
  parsed.flatMap(([oid, , detail]) => (detail ? [[`${idOf(oid)}-malformed`, detail]] : [])),
);
/** Reports whether one of the findings describes in more detail why a value is malformed. */
export const isDetailed = (id: string, findings: readonly Finding[]): boolean =>
  findings.some((finding) => details.get(id)?.test(finding.id));

/** Lints that report extension values that cannot be parsed. */
export const valueLints: readonly Lint<Extended>[] = parsed.map(([oid, section]) => [
  "error",
  `${idOf(oid)}-malformed`,
  section,
  ({ extensions }) =>
    firstDefect(
      extensions.filter((extension) => extension.oid === oid),
      valueDefect,
    ),
]);

const placeLints: readonly Lint<Extended & { readonly hasExtensionList: boolean }>[] = [
  [
    "error",
    "extensions-empty",
    "RFC 5280 4.1.2.9",
    ({ extensions, hasExtensionList }) =>
      when(hasExtensionList && extensions.length === 0, "Empty list of extensions"),
  ],
  [
    "warning",
    "extension-unknown-critical",
    "RFC 5280 4.2",
    ({ extensions }) => {
      const unknown = extensions.find(
        (extension) => isUnknown(extension) && extension.oid !== extensionOid.ctPoison,
      );
      return (
        unknown &&
        `${titleOf(unknown.oid)} is critical; clients that do not know it reject the certificate`
      );
    },
  ],
  [
    "info",
    "extension-netscape",
    "Common practice",
    ({ extensions }) => {
      const old = extensions.find(({ oid }) => oid.startsWith("2.16.840.1.113730.1."));
      return old && `${titleOf(old.oid)} (Netscape), which no current client reads`;
    },
  ],
  [
    "error",
    "pre-certificate-timestamps",
    "RFC 6962 3.3",
    ({ extensions }) =>
      when(
        extensions.some(({ oid }) => oid === extensionOid.ctPoison) &&
          extensions.some(({ oid }) => oid === extensionOid.ctTimestamps),
        "Precertificate with timestamps (SCTs), which only the final certificate has",
      ),
  ],
];

const criticality = criticalityLints([
  ["error", extensionOid.authorityKeyIdentifier, false, "RFC 5280 4.2.1.1"],
  ["error", extensionOid.subjectKeyIdentifier, false, "RFC 5280 4.2.1.2"],
  ["warning", extensionOid.keyUsage, true, "RFC 5280 4.2.1.3"],
  ["warning", extensionOid.policyMappings, true, "RFC 5280 4.2.1.5"],
  ["warning", extensionOid.issuerAltName, false, "RFC 5280 4.2.1.7"],
  ["error", extensionOid.subjectDirectoryAttributes, false, "RFC 5280 4.2.1.8"],
  ["error", extensionOid.nameConstraints, true, "RFC 5280 4.2.1.10"],
  ["error", extensionOid.policyConstraints, true, "RFC 5280 4.2.1.11"],
  ["warning", extensionOid.crlDistributionPoints, false, "RFC 5280 4.2.1.13"],
  ["error", extensionOid.inhibitAnyPolicy, true, "RFC 5280 4.2.1.14"],
  ["error", extensionOid.freshestCrl, false, "RFC 5280 4.2.1.15"],
  ["error", extensionOid.authorityInfoAccess, false, "RFC 5280 4.2.2.1"],
  ["error", extensionOid.subjectInfoAccess, false, "RFC 5280 4.2.2.2"],
  ["warning", extensionOid.tlsFeature, false, "RFC 7633 4.1"],
  ["error", extensionOid.ctPoison, true, "RFC 6962 3.1"],
  ["error", extensionOid.acmeIdentifier, true, "RFC 8737 3"],
  ["warning", extensionOid.ocspNoCheck, false, "RFC 6960 4.2.2.2.1"],
  ["error", extensionOid.noRevAvail, false, "RFC 9608 2"],
]);

/** Lints of certificate extensions that depend on no other field. */
export const extensionLints: readonly Lint<Extended & { readonly hasExtensionList: boolean }>[] = [
  ...generalLints("", "RFC 5280 4.2"),
  ...placeLints,
  ...criticality,
];

/**
 * Parses the value of an extension with `read`. Returns undefined if the extension is absent or
 * malformed.
 */
export function readValue<T>(
  { extensions }: { readonly extensions: readonly Extension[] },
  oid: string,
  read: (value: Uint8Array) => T,
): T | undefined {
  const extension = extensions.find((extension) => extension.oid === oid);
  return extension && tryRead(() => read(extension.value));
}
