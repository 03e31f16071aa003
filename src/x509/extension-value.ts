import { checkDer, readDer, tlv, each } from "../base/der.ts";
import { readBasicConstraints } from "./basic-constraints.ts";
import { checkNames, readAscii } from "./san.ts";
import { checkDistributionPoints, checkInfoAccess } from "./distribution-points.ts";
import type { Extension } from "./extension.ts";
import { checkAuthorityKeyIdentifier } from "./key-identifiers.ts";
import { checkNameConstraints } from "./name-constraints.ts";
import { extensionOid } from "./oid.ts";
import {
  checkPolicies,
  checkPolicyConstraints,
  checkPolicyMappings,
  checkSkipped,
} from "./policies.ts";
import { checkKeyUsage, readExtKeyUsage } from "./usage.ts";

type Check = (value: Uint8Array) => void;

const checkAltName =
  (where: string): ((value: Uint8Array) => void) =>
  (value) =>
    checkNames(readDer(value, where).enter("GeneralNames"));

function checkUsagePeriod(value: Uint8Array): void {
  const body = readDer(value, "private key usage period").enter("PrivateKeyUsagePeriod");
  if (body.tag === undefined) throw body.refuse("is empty");
  const times = [[0x80, "notBefore"] as const, [0x81, "notAfter"] as const].map(([tag, what]) =>
    body.tag === tag
      ? readDer(tlv(0x18, body.content(what, tag)), body.where).generalizedTime(what)
      : undefined,
  );
  body.end();
  const [from = -Infinity, until = Infinity] = times;
  if (from >= until) throw body.refuse("notBefore is not before notAfter");
}

function checkAttributes(value: Uint8Array): void {
  checkDer(value, "subject directory attributes");
  each(
    readDer(value, "subject directory attributes").enter("SubjectDirectoryAttributes"),
    (list) => {
      const attribute = list.enter("an attribute");
      attribute.oid("its type");
      each(attribute.enter("the values", 0x31), (values) => void values.element("a value"));
      attribute.end();
    },
  );
}

/** Checks the TLS feature extension (RFC 7633), a list of TLS extension numbers. */
const checkFeatures = (value: Uint8Array): void =>
  each(readDer(value, "TLS feature").enter("Features"), (list) => {
    if (list.number("a feature") > 0xffff) throw list.refuse("a feature is above 65535");
  });

const sized =
  (where: string, size?: number): ((value: Uint8Array) => void) =>
  (value) => {
    const reader = readDer(value, where);
    const { length } = reader.octets("the value");
    if (length === 0 || (size !== undefined && length !== size))
      throw reader.refuse(`has ${length} octets instead of ${size ?? "at least one"}`);
  };

const nothing =
  (where: string): ((value: Uint8Array) => void) =>
  (value) =>
    readDer(value, where).null("the value");

const ascii =
  (where: string): ((value: Uint8Array) => void) =>
  (value) =>
    void readAscii(readDer(value, where), "the value", 0x16);

/** Checks the identifier and the version in a Microsoft certificate template. */
function checkTemplate(value: Uint8Array): void {
  const body = readDer(value, "certificate template").enter("CertificateTemplate");
  body.oid("the identifier");
  for (const what of ["the major version", "the minor version"])
    if (body.tag !== undefined) body.number(what);
  body.end();
}

/** Bits of a Netscape certificate type that denote a CA: for TLS, S/MIME or object signing. */
const netscapeCa = 0x07;

/** Reports whether a Netscape certificate type denotes a CA. Throws `CaError` `malformed`. */
export function isNetscapeCa(value: Uint8Array): boolean {
  const { bytes } = readDer(value, "Netscape certificate type").bitString("the bits");
  return ((bytes[0] ?? 0) & netscapeCa) !== 0;
}

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  [extensionOid.keyUsage, checkKeyUsage],
  [extensionOid.extKeyUsage, readExtKeyUsage],
  [extensionOid.basicConstraints, readBasicConstraints],
  [extensionOid.nameConstraints, checkNameConstraints],
  [extensionOid.subjectKeyIdentifier, sized("subject key identifier")],
  [extensionOid.authorityKeyIdentifier, checkAuthorityKeyIdentifier],
  [extensionOid.subjectAltName, checkAltName("subject alternative name")],
  [extensionOid.issuerAltName, checkAltName("issuer alternative name")],
  [extensionOid.authorityInfoAccess, checkInfoAccess("authority information access")],
  [extensionOid.subjectInfoAccess, checkInfoAccess("subject information access")],
  [extensionOid.crlDistributionPoints, checkDistributionPoints],
  [extensionOid.freshestCrl, checkDistributionPoints],
  [extensionOid.certificatePolicies, checkPolicies],
  [extensionOid.policyMappings, checkPolicyMappings],
  [extensionOid.policyConstraints, checkPolicyConstraints],
  [
    extensionOid.inhibitAnyPolicy,
    (value) => checkSkipped(readDer(value, "inhibit any policy"), "the number", 0x02),
  ],
  [extensionOid.privateKeyUsagePeriod, checkUsagePeriod],
  [extensionOid.subjectDirectoryAttributes, checkAttributes],
  [extensionOid.tlsFeature, checkFeatures],
  [extensionOid.ctTimestamps, checkTimestamps],
  [extensionOid.acmeIdentifier, sized("ACME identifier", 32)],
  [extensionOid.ocspNoCheck, nothing("OCSP no check")],
  [extensionOid.noRevAvail, nothing("no revocation available")],
  [extensionOid.netscapeCertType, isNetscapeCa],
  ["1.3.6.1.4.1.311.21.7", checkTemplate],
  ...[2, 3, 4, 7, 8, 12, 13].map(
    (last) => [`2.16.840.1.113730.1.${last}`, ascii("Netscape extension")] as const,
  ),
]);

/**
 * Matches object identifiers of standardized extensions, all of which are DER: those under id-ce
 * and id-pkix (RFC 5280), and Microsoft's.
 */
const standards = /^(?:2\.5\.29|1\.3\.6\.1\.5\.5\.7|1\.3\.6\.1\.4\.1\.311)\./;

/** Rejects a known extension whose value cannot be parsed. Throws `CaError` `malformed`. */
export function checkValue({ oid: type, value }: Extension): void {
  const check = checks.get(type);
  if (check || standards.test(type)) checkDer(value, `extension ${type}`);
  check?.(value);
}

/**
 * Returns the content of the TLS vector at the given offset. The vector begins with a two-byte
 * length. Returns undefined if it is truncated.
 */
function tlsVector(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
  return at + 2 <= bytes.length && end <= bytes.length ? bytes.subarray(at + 2, end) : undefined;
}

/**
 * Reports whether bytes are a SignedCertificateTimestamp: version, log, time, extensions,
 * algorithms, signature (RFC 6962 section 3.2).
 */
function isTimestamp(bytes: Uint8Array): boolean {
  const extensions = tlsVector(bytes, 41);
  const signature = extensions && tlsVector(bytes, 41 + 2 + extensions.length + 2);
  const [hash = 0, algorithm = 0] = bytes.subarray(43 + (extensions?.length ?? 0));
  // accepts only the algorithms that TLS 1.2 defines (RFC 5246 section 7.4.1.4.1)
  if (hash > 6 || algorithm > 3) return false;
  return (
    bytes[0] === 0 &&
    signature !== undefined &&
    bytes.length === 41 + 2 + (extensions?.length ?? 0) + 2 + 2 + signature.length
  );
}

/** Rejects a SignedCertificateTimestampList that cannot be parsed. Throws `CaError` `malformed`. */
function checkTimestamps(value: Uint8Array): void {
  const reader = readDer(value, "certificate timestamps");
  const octets = reader.octets("the list");
  const list = tlsVector(octets, 0);
  let sound = list !== undefined && list.length > 0 && list.length + 2 === octets.length;
  for (let at = 0; list && sound && at < list.length;) {
    const one = tlsVector(list, at);
    sound = one !== undefined && isTimestamp(one);
    at += 2 + (one?.length ?? 0);
  }
  if (!sound) throw reader.refuse("is not a list of signed certificate timestamps");
}
