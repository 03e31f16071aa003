import { signatureSchemes } from "../algorithms/table.ts";
import { equalBytes, toHex } from "../base/bytes.ts";
import { isUtcYear } from "../base/der-element.ts";
import { readDer } from "../base/der.ts";
import { tryRead } from "../base/try-read.ts";
import { algorithmName, isWeakAlgorithm } from "../x509/public-key.ts";
import { when, type Lint } from "./finding.ts";
import type { LintedCertificate, LintedTime } from "./subject.ts";

/** Returns the length of an INTEGER in octets, without a leading zero octet. */
export const octetCount = (integer: Uint8Array): number =>
  integer[0] === 0 ? integer.length - 1 : integer.length;

const maxSerialOctets = 20;
/** Minimum number of octets in a random serial number: 64 bits. */
const minRandomOctets = 8;

/** Returns the defect of a serial number, or undefined. The text begins with `of`. */
export function serialDefect(serial: Uint8Array, of = "Serial number"): string | undefined {
  if (serial.every((byte) => byte === 0)) return `${of} 0; it must be positive`;
  if ((serial[0] ?? 0) >= 0x80) return `${of} ${toHex(serial)} is negative`;
  return when(
    serial.length > maxSerialOctets,
    `${of} of ${serial.length} octets; at most ${maxSerialOctets} allowed, with the sign`,
  );
}

const isoTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

const isTime = ({ tag }: LintedTime): boolean => tag === 0x17 || tag === 0x18;
/** The rules for a time, which the texts call `label`. */
const timeRules: readonly (readonly [
  id: string,
  defect: (time: LintedTime, label: string) => string | undefined,
])[] = [
  [
    "type",
    (time, label) =>
      when(
        !isTime(time),
        `${label} has ASN.1 tag 0x${time.tag.toString(16)} instead of UTCTime or GeneralizedTime`,
      ),
  ],
  [
    "seconds",
    ({ tag, text }, label) =>
      when(
        (tag === 0x17 && /^\d{10}(?!\d)/.test(text)) ||
          (tag === 0x18 && /^\d{10}(?:\d\d)?(?!\d)/.test(text)),
        `${label} ${text} has no seconds`,
      ),
  ],
  [
    "zulu",
    (time, label) =>
      when(isTime(time) && !time.text.endsWith("Z"), `${label} ${time.text} does not end with Z`),
  ],
  [
    "fraction",
    ({ tag, text }, label) =>
      when(tag === 0x18 && /[.,]/.test(text), `${label} ${text} has fractions of a second`),
  ],
  [
    "form",
    ({ tag, text, seconds }, label) =>
      when(
        tag === 0x18 && seconds !== undefined && isUtcYear(seconds),
        `${label} ${text} is a GeneralizedTime; years before 2050 require UTCTime`,
      ),
  ],
  [
    "invalid",
    (time, label) =>
      when(
        isTime(time) && time.seconds === undefined && /^(?:\d{12}|\d{14})Z$/.test(time.text),
        `${label} ${time.text} is not a date`,
      ),
  ],
];

/** Returns lints of a time: its seconds, time zone, and the encoding that its year requires. */
export const timeLints = <Subject>(
  label: string,
  id: string,
  section: string,
  read: (subject: Subject) => LintedTime | undefined,
): readonly Lint<Subject>[] =>
  timeRules.map(([name, defect]) => [
    "error",
    `${id}-${name}`,
    section,
    (subject) => {
      const time = read(subject);
      return time && defect(time, label);
    },
  ]);

const oidOf = (identifier: Uint8Array): string =>
  tryRead(() => readDer(identifier, "algorithm").enter("AlgorithmIdentifier").oid("its type")) ??
  "";
/** Returns the parameters of an AlgorithmIdentifier as hexadecimal DER, or "" if it has none. */
function parametersOf(identifier: Uint8Array): string {
  return (
    tryRead(() => {
      const body = readDer(identifier, "algorithm").enter("AlgorithmIdentifier");
      body.oid("its type");
      return body.tag === undefined ? "" : toHex(body.raw("the parameters"));
    }) ?? ""
  );
}
const nullParameters = "0500";
const pssOid = "1.2.840.113549.1.1.10";
/**
 * Reports whether the parameters of a signature algorithm must be NULL: RSA with PKCS #1 v1.5 (RFC
 * 4055 section 5).
 */
const isPkcs1Signature = (oid: string): boolean =>
  /^1\.2\.840\.113549\.1\.1\.(?:[2-5]|1[1-46])$/.test(oid);
/** Object identifiers of the supported signature algorithms that have no parameters. */
const bareAlgorithms: ReadonlySet<string> = new Set(
  signatureSchemes
    .map(({ der: [identifier] }) => identifier)
    .filter((identifier) => parametersOf(identifier) === "")
    .map(oidOf),
);
/**
 * Reports whether a signature algorithm must have no parameters. Ed448 and ECDSA with other hash
 * functions are not in the table of algorithms.
 */
const isBareAlgorithm = (oid: string): boolean =>
  bareAlgorithms.has(oid) || /^(?:1\.2\.840\.10045\.4\.|1\.3\.101\.113$)/.test(oid);

/** A certificate or CRL whose signature algorithm is checked. */
interface Signed {
  readonly algorithm: Uint8Array;
  readonly outerAlgorithm?: Uint8Array;
}
const nameOf = (identifier: Uint8Array): string =>
  tryRead(() => algorithmName(identifier)) ?? oidOf(identifier);

/** Lints for the signature algorithm of a certificate or CRL. */
export const signatureLints: readonly Lint<Signed>[] = [
  [
    "error",
    "signature-weak",
    "RFC 9155",
    ({ algorithm }) =>
      when(
        tryRead(() => isWeakAlgorithm(algorithm)) ?? false,
        `Signed with ${nameOf(algorithm)}, which can be forged`,
      ),
  ],
  [
    "error",
    "signature-algorithms-differ",
    "RFC 5280 4.1.1.2",
    ({ algorithm, outerAlgorithm }) =>
      when(
        outerAlgorithm !== undefined && !equalBytes(algorithm, outerAlgorithm),
        `The field signature is ${nameOf(algorithm)}, but signatureAlgorithm is ${nameOf(outerAlgorithm ?? algorithm)}`,
      ),
  ],
  [
    "error",
    "signature-rsa-parameters",
    "RFC 4055 5",
    ({ algorithm }) =>
      when(
        isPkcs1Signature(oidOf(algorithm)) && parametersOf(algorithm) !== nullParameters,
        `${nameOf(algorithm)} without NULL as its parameters`,
      ),
  ],
  [
    "error",
    "signature-pss-parameters",
    "RFC 4055 3.1",
    ({ algorithm }) =>
      when(
        oidOf(algorithm) === pssOid && parametersOf(algorithm) === "",
        "RSASSA-PSS without parameters, which the signature of a certificate requires",
      ),
  ],
  [
    "error",
    "signature-parameters-present",
    "RFC 5758 3.2, RFC 8410 3, RFC 9881 2",
    ({ algorithm }) =>
      when(
        isBareAlgorithm(oidOf(algorithm)) && parametersOf(algorithm) !== "",
        `${nameOf(algorithm)} with parameters, which must be absent`,
      ),
  ],
];

const day = 86400;
/**
 * Maximum validity of TLS server certificates in days: the limit of Apple's software, which also
 * applies to private CAs, and the limit of public CAs since March 2026.
 */
const [maxAppleDays, maxPublicDays] = [825, 200];
const daysOf = ({ notBefore, notAfter }: LintedCertificate): number =>
  notBefore.seconds === undefined || notAfter.seconds === undefined
    ? 0
    : Math.ceil((notAfter.seconds - notBefore.seconds) / day);
const isServer = ({ extKeyUsage, isCa }: LintedCertificate): boolean =>
  !isCa && extKeyUsage.includes("1.3.6.1.5.5.7.3.1");

/** Lints of certificate fields other than names, key and extensions. */
export const fieldLints: readonly Lint<LintedCertificate>[] = [
  ["error", "serial-number", "RFC 5280 4.1.2.2", ({ serial }) => serialDefect(serial)],
  [
    "info",
    "serial-number-short",
    "CA/Browser Forum BR 7.1",
    ({ serial }) => {
      const count = octetCount(serial);
      return when(
        count > 0 && count < minRandomOctets && serial.some((byte) => byte !== 0),
        `Serial number of ${count} ${count === 1 ? "octet" : "octets"}; at least ${minRandomOctets} random octets make it unpredictable`,
      );
    },
  ],
  [
    "warning",
    "version-old",
    "RFC 5280 4.1.2.1",
    ({ version, hasExtensionList }) =>
      when(version < 3 && !hasExtensionList, `Version ${version}, without extensions`),
  ],
  [
    "error",
    "version-unknown",
    "RFC 5280 4.1.2.1",
    ({ version }) => when(version > 3, `Version ${version}; there are versions 1 to 3`),
  ],
  [
    "error",
    "version-extensions",
    "RFC 5280 4.1.2.9",
    ({ version, hasExtensionList }) =>
      when(
        version < 3 && hasExtensionList,
        `Extensions in a certificate of version ${version}; they require version 3`,
      ),
  ],
  [
    "error",
    "unique-identifier",
    "RFC 5280 4.1.2.8",
    ({ uniqueIds }) =>
      when(
        uniqueIds.length > 0,
        `Unique identifier of the ${uniqueIds.join(" and ")}, which CAs must not include`,
      ),
  ],
  [
    "error",
    "unique-identifier-version",
    "RFC 5280 4.1.2.8",
    ({ uniqueIds, version }) =>
      when(
        uniqueIds.length > 0 && version === 1,
        "Unique identifier in a certificate of version 1; it requires version 2",
      ),
  ],
  [
    "error",
    "validity-order",
    "RFC 5280 4.1.2.5",
    ({ notBefore: { seconds: begin }, notAfter: { seconds: end } }) =>
      begin !== undefined && end !== undefined
        ? when(
            end < begin,
            `Expires on ${isoTime(end)}, before it becomes valid on ${isoTime(begin)}`,
          )
        : undefined,
  ],
  [
    "warning",
    "validity-long",
    "Apple HT210176",
    (certificate) =>
      when(
        isServer(certificate) && daysOf(certificate) > maxAppleDays,
        `Server certificate valid for ${daysOf(certificate)} days; Apple's software accepts at most ${maxAppleDays}`,
      ),
  ],
  [
    "info",
    "validity-public",
    "CA/Browser Forum BR 6.3.2",
    (certificate) =>
      when(
        isServer(certificate) &&
          daysOf(certificate) > maxPublicDays &&
          daysOf(certificate) <= maxAppleDays,
        `Server certificate valid for ${daysOf(certificate)} days; public CAs issue at most ${maxPublicDays}`,
      ),
  ],
  ...timeLints<LintedCertificate>(
    "notBefore",
    "not-before",
    "RFC 5280 4.1.2.5",
    ({ notBefore }) => notBefore,
  ),
  ...timeLints<LintedCertificate>(
    "notAfter",
    "not-after",
    "RFC 5280 4.1.2.5",
    ({ notAfter }) => notAfter,
  ),
];
