import { checkDer, oid, readDer, sequence, tlv, type Reader } from "../base/der.ts";
import { endsInNumber, fitsDns, isMailAddress } from "../base/names.ts";
import { uriHost } from "../base/uri.ts";
import type { Extension } from "./extension.ts";
import {
  readAuthorityKeyIdentifier,
  readBasicConstraints,
  readExtKeyUsage,
  readKeyUsage,
  readNameConstraints,
} from "./extension-read.ts";
import { checkName } from "./name.ts";
import { extensionOid, otherOid } from "./oid.ts";
import { readAscii, readNames } from "./san.ts";

type Check = (value: Uint8Array) => void;

/** Every element of a SEQUENCE that must hold one at least. */
function each(list: Reader, read: (list: Reader) => void): void {
  if (list.tag === undefined) throw list.refuse("is empty");
  while (list.tag !== undefined) read(list);
}

/**
 * Names as they are taken over: readers take directory names and URIs apart as well (RFC 5280
 * section 4.2.1.6).
 */
function checkNames(reader: Reader): void {
  if (reader.tag === undefined) throw reader.refuse("is empty");
  const names = readNames(reader);
  names.directory.forEach(checkName);
  for (const uri of names.uri)
    if (uriHost(uri) === undefined)
      throw reader.refuse("a URI is not absolute, or cannot be taken apart");
}
const checkAltName =
  (where: string): Check =>
  (value) =>
    checkNames(readDer(value, where).enter("GeneralNames"));

function checkOneName(reader: Reader, what: string): void {
  checkNames(readDer(reader.raw(what), reader.where));
}

/**
 * Issuer and serial number of an authority go together or are both left out (RFC 5280 section
 * 4.2.1.1).
 */
function checkAuthorityKeyIdentifier(value: Uint8Array): void {
  readAuthorityKeyIdentifier(value);
  const body = readDer(value, "authority key identifier").enter("AuthorityKeyIdentifier");
  body.optional("the identifier", 0x80);
  const issuer = body.optional("the issuer", 0xa1);
  if (issuer) checkNames(issuer);
  if ((issuer === undefined) !== (body.tag === undefined))
    throw body.refuse("issuer and serial number go together");
}

/** AuthorityInfoAccess and SubjectInfoAccess. */
const checkInfoAccess =
  (where: string): Check =>
  (value) =>
    each(readDer(value, where).enter("InfoAccess"), (list) => {
      const item = list.enter("an access description");
      item.oid("the method");
      checkOneName(item, "the location");
      item.end();
    });

function checkDistributionPoints(value: Uint8Array): void {
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

/**
 * Text of a notice: IA5String, VisibleString, BMPString or UTF8String (RFC 5280 section 4.2.1.4).
 */
const displayText: ReadonlySet<number | undefined> = new Set([0x0c, 0x16, 0x1a, 0x1e]);
function checkText(reader: Reader, what: string): void {
  const { tag, content } = reader.element(what);
  if (!displayText.has(tag)) throw reader.refuse(`${what} is not a text`);
  // read like the value of a name, which has the same types of text
  checkName(sequence(tlv(0x31, sequence(oid("2.5.4.3"), tlv(tag, content)))));
}
function checkNotice(qualifier: Reader): void {
  const notice = qualifier.enter("a notice");
  const reference = notice.optional("a reference", 0x30);
  if (reference) {
    checkText(reference, "the organization");
    const numbers = reference.enter("the numbers");
    while (numbers.tag !== undefined) numbers.integer("a number");
    reference.end();
  }
  if (notice.tag !== undefined) checkText(notice, "the text");
  notice.end();
}
function checkPolicies(value: Uint8Array): void {
  const seen = new Set<string>();
  each(readDer(value, "certificate policies").enter("CertificatePolicies"), (list) => {
    const policy = list.enter("a policy");
    const id = policy.oid("its identifier");
    if (seen.has(id)) throw policy.refuse(`${id} stands there twice`);
    seen.add(id);
    const qualifiers = policy.optional("the qualifiers", 0x30);
    if (qualifiers)
      each(qualifiers, () => {
        const qualifier = qualifiers.enter("a qualifier");
        const type = qualifier.oid("its type");
        if (type === otherOid.policyCps) readAscii(qualifier, "the address", 0x16);
        else if (type === otherOid.policyNotice) checkNotice(qualifier);
        else throw qualifier.refuse(`the type ${type} is not known`);
        qualifier.end();
      });
    policy.end();
  });
}

const anyPolicy = "2.5.29.32.0";
function checkPolicyMappings(value: Uint8Array): void {
  each(readDer(value, "policy mappings").enter("PolicyMappings"), (list) => {
    const mapping = list.enter("a mapping");
    const policies = [mapping.oid("the issuer's policy"), mapping.oid("the subject's policy")];
    mapping.end();
    if (policies.includes(anyPolicy)) throw mapping.refuse("anyPolicy is not mapped");
  });
}
/** Counts of certificates; more than a path can have is none that others read. */
const mostSkipped = 2 ** 31 - 1;
function checkSkipped(reader: Reader, what: string, tag: number): void {
  if (reader.number(what, tag) > mostSkipped) throw reader.refuse(`${what} is too large`);
}
function checkPolicyConstraints(value: Uint8Array): void {
  const body = readDer(value, "policy constraints").enter("PolicyConstraints");
  if (body.tag === undefined) throw body.refuse("is empty");
  if (body.tag === 0x80) checkSkipped(body, "requireExplicitPolicy", 0x80);
  if (body.tag === 0x81) checkSkipped(body, "inhibitPolicyMapping", 0x81);
  body.end();
}

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
  if (from >= until) throw body.refuse("does not begin before it ends");
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
/** Features of TLS (RFC 7633): numbers of extensions. */
const checkFeatures: Check = (value) =>
  each(readDer(value, "TLS feature").enter("Features"), (list) => {
    if (list.number("a feature") > 0xffff) throw list.refuse("a feature is above 65535");
  });

/** A list of TLS: its bytes behind a length of two bytes; undefined when there are too few. */
function tlsVector(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
  return at + 2 <= bytes.length && end <= bytes.length ? bytes.subarray(at + 2, end) : undefined;
}
/**
 * A timestamp of certificate transparency: version, log, time, extensions, algorithms, signature
 * (RFC 6962 section 3.2).
 */
function isTimestamp(bytes: Uint8Array): boolean {
  const extensions = tlsVector(bytes, 41);
  const signature = extensions && tlsVector(bytes, 41 + 2 + extensions.length + 2);
  const [hash = 0, algorithm = 0] = bytes.subarray(43 + (extensions?.length ?? 0));
  // the algorithms of TLS 1.2 (RFC 5246 section 7.4.1.4.1)
  if (hash > 6 || algorithm > 3) return false;
  return (
    bytes[0] === 0 &&
    signature !== undefined &&
    bytes.length === 41 + 2 + (extensions?.length ?? 0) + 2 + 2 + signature.length
  );
}
const checkTimestamps: Check = (value) => {
  const reader = readDer(value, "certificate timestamps");
  const octets = reader.octets("the list");
  const list = tlsVector(octets, 0);
  let sound = list !== undefined && list.length > 0 && list.length + 2 === octets.length;
  for (let at = 0; list && sound && at < list.length;) {
    const one = tlsVector(list, at);
    sound = one !== undefined && isTimestamp(one);
    at += 2 + (one?.length ?? 0);
  }
  if (!sound) throw reader.refuse("is not a list of timestamps");
};

const sized =
  (where: string, size?: number): Check =>
  (value) => {
    const reader = readDer(value, where);
    const { length } = reader.octets("the value");
    if (length === 0 || (size !== undefined && length !== size))
      throw reader.refuse(`has ${length} octets`);
  };
const nothing =
  (where: string): Check =>
  (value) =>
    readDer(value, where).null("the value");
const ascii =
  (where: string): Check =>
  (value) =>
    void readAscii(readDer(value, where), "the value", 0x16);

function checkKeyUsage(value: Uint8Array): void {
  const usage = readKeyUsage(value);
  if (usage.some((name) => name.endsWith("Only")) && !usage.includes("KeyAgreement"))
    throw readDer(value, "key usage").refuse(
      "encipherOnly and decipherOnly mean nothing without keyAgreement (RFC 5280 section 4.2.1.3)",
    );
}

/**
 * Whether a constraint on DNS names, mail hosts or URIs says what all readers understand (RFC 5280
 * section 4.2.1.10): labels of a host name, perhaps behind a dot. "" is every domain. A final dot,
 * a wildcard, an address or a URI would permit and exclude nothing.
 */
export function isConstraintDomain(text: string): boolean {
  const domain = text.replace(/^\./, "");
  return (
    text === "" ||
    (/^[\w-]+(?:\.[\w-]+)*$/.test(domain) && fitsDns(domain) && !endsInNumber(domain))
  );
}
/** Whether a constraint on mail addresses is a mailbox, its host, or a domain. */
export function isConstraintMail(text: string): boolean {
  const at = text.indexOf("@");
  return at < 0
    ? isConstraintDomain(text)
    : isMailAddress(text) &&
        !text.startsWith(".", at + 1) &&
        isConstraintDomain(text.slice(at + 1));
}
function checkNameConstraints(value: Uint8Array): void {
  const { permitted, excluded } = readNameConstraints(value);
  const body = readDer(value, "name constraints").enter("NameConstraints");
  if (body.tag === undefined) throw body.refuse("is empty");
  for (const { dns, email, uri, directory } of [permitted, excluded]) {
    directory.forEach(checkName);
    if (![...dns, ...uri].every(isConstraintDomain) || !email.every(isConstraintMail))
      throw body.refuse("a domain or a mailbox is none");
  }
}
/** Template of a certificate of Windows: its identifier and version. */
function checkTemplate(value: Uint8Array): void {
  const body = readDer(value, "certificate template").enter("CertificateTemplate");
  body.oid("the identifier");
  for (const what of ["the major version", "the minor version"])
    if (body.tag !== undefined) body.number(what);
  body.end();
}

/** Bits of a Netscape certificate type that make a CA: of TLS, of S/MIME, of signers of objects. */
const netscapeCa = 0x07;
/** Whether a Netscape certificate type makes a CA. Throws `CaError` `malformed`. */
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
 * Arcs of standards, whose extensions are all defined by a type of ASN.1: id-ce and id-pe (RFC
 * 5280), and that of Windows.
 */
const standards = /^(?:2\.5\.29|1\.3\.6\.1\.5\.5\.7|1\.3\.6\.1\.4\.1\.311)\./;

/**
 * Refuses an extension that is known here and whose value cannot be read. Throws `CaError`
 * `malformed`.
 */
export function checkValue({ oid: type, value }: Extension): void {
  const check = checks.get(type);
  if (check || standards.test(type)) checkDer(value, `extension ${type}`);
  check?.(value);
}
