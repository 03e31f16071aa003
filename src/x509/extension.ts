import { concat, type Bytes } from "../base/bytes.ts";
import { DerWriter, elementSize } from "../base/der-writer.ts";
import {
  absent,
  bitString,
  boolean,
  explicit,
  ia5String,
  integer,
  octets,
  oid,
  sequence,
  tlvOf,
  utf8String,
} from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { parseCidr } from "./address.ts";
import { extensionOid, otherOid } from "./oid.ts";
import { dnsName, emailName, encodeSan, uriName, type GeneralNames } from "./san.ts";
import { keyUsages, type KeyUsage } from "./usage.ts";

/** One extension of a certificate, CRL or CRL entry; `value` is the content of its OCTET STRING. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** DER of extensions that are written again and again. */
const encoded = new WeakMap<Extension, Bytes>();
const remembered = new Map<string, Extension>();
/**
 * URLs, purposes and policies come from configuration and requests, so what is remembered has
 * bounds: 500 * at most about 10 KiB.
 */
const memory = 500;
const longestKey = 2000;

/** Makes an extension once for each list of parts. */
function remember(parts: readonly unknown[], make: () => Extension): Extension {
  const key = JSON.stringify(parts);
  const known = remembered.get(key);
  if (known) return known;
  const made = Object.freeze(make());
  if (key.length > longestKey) return made;
  if (remembered.size >= memory) remembered.clear();
  remembered.set(key, made);
  return encodedOnce(made);
}

/** The same extension, with its DER at hand as long as it lives. */
export function encodedOnce(extension: Extension): Extension {
  if (!encoded.has(extension)) encoded.set(extension, encodeExtension(extension));
  return extension;
}

/** Bytes of an extension's content: type, perhaps the flag, and the value in an OCTET STRING. */
const contentSize = ({ oid: type, critical, value }: Extension): number =>
  oid(type).length + (critical ? boolean(true).length : 0) + elementSize(value.length);

/** Bytes of these extensions, one after the other. */
export function extensionsSize(extensions: readonly Extension[]): number {
  let size = 0;
  for (const extension of extensions)
    size += encoded.get(extension)?.length ?? elementSize(contentSize(extension));
  return size;
}

/** Writes extensions, `extensionsSize` bytes. */
export function writeExtensions(writer: DerWriter, extensions: readonly Extension[]): void {
  for (const extension of extensions) {
    const der = encoded.get(extension);
    if (der) writer.bytes(der);
    else writeExtension(writer, extension);
  }
}

function writeExtension(writer: DerWriter, extension: Extension): void {
  const { oid: type, critical, value } = extension;
  writer.header(0x30, contentSize(extension));
  writer.bytes(oid(type));
  if (critical) writer.bytes(boolean(true));
  writer.header(0x04, value.length);
  writer.bytes(value);
}

/** DER of one extension. */
export function encodeExtension(extension: Extension): Bytes {
  const writer = new DerWriter(extensionsSize([extension]));
  writeExtensions(writer, [extension]);
  return writer.done();
}

/** SEQUENCE of extensions. */
export function encodeExtensions(extensions: readonly Extension[]): Bytes {
  const size = extensionsSize(extensions);
  const writer = new DerWriter(elementSize(size));
  writer.header(0x30, size);
  writeExtensions(writer, extensions);
  return writer.done();
}

/** KeyUsage, critical, its unused bits trimmed (X.690 section 11.2.2); undefined for no usage. */
export function keyUsage(names: readonly KeyUsage[]): Extension | undefined {
  let bits = 0;
  for (const name of names) bits |= 0x8000 >> keyUsages.indexOf(name);
  if (bits === 0) return undefined;
  return remember(["usage", bits], () => {
    const bytes =
      (bits & 0xff) === 0 ? Uint8Array.of(bits >> 8) : Uint8Array.of(bits >> 8, bits & 0xff);
    const last = bytes.at(-1) ?? 0;
    return {
      oid: extensionOid.keyUsage,
      critical: true,
      value: bitString(bytes, 31 - Math.clz32(last & -last)),
    };
  });
}

/** ExtKeyUsage of object identifiers in the given order, each once; undefined for none. */
export function extKeyUsage(oids: readonly string[]): Extension | undefined {
  if (oids.length === 0) return undefined;
  return remember(["purpose", oids], () => ({
    oid: extensionOid.extKeyUsage,
    critical: false,
    value: tlvOf(0x30, [...new Set(oids)].map(oid)),
  }));
}

/** BasicConstraints, critical: of a CA with a path length or without, or of a leaf (empty). */
export const basicConstraints = (ca: boolean, pathLength?: number): Extension =>
  remember(["constraints", ca, pathLength], () => ({
    oid: extensionOid.basicConstraints,
    critical: true,
    value: ca
      ? sequence(boolean(true), pathLength === undefined ? absent : integer(pathLength))
      : sequence(),
  }));

/** SubjectKeyIdentifier. */
export const subjectKeyIdentifier = (identifier: Uint8Array): Extension => ({
  oid: extensionOid.subjectKeyIdentifier,
  critical: false,
  value: octets(identifier),
});

/** AuthorityKeyIdentifier with the key identifier only. */
export const authorityKeyIdentifier = (identifier: Uint8Array): Extension => ({
  oid: extensionOid.authorityKeyIdentifier,
  critical: false,
  value: sequence(octets(identifier, 0x80)),
});

/** AuthorityInfoAccess: OCSP responders, then issuer certificates; undefined for no URL. */
export function authorityInfoAccess(
  ocsp: readonly string[],
  issuers: readonly string[],
): Extension | undefined {
  if (ocsp.length + issuers.length === 0) return undefined;
  const access = (method: string) => (url: string) => sequence(oid(method), uriName(url));
  return remember(["access", ocsp, issuers], () => ({
    oid: extensionOid.authorityInfoAccess,
    critical: false,
    value: tlvOf(0x30, [
      ...ocsp.map(access(otherOid.accessOcsp)),
      ...issuers.map(access(otherOid.accessCaIssuers)),
    ]),
  }));
}

/**
 * SubjectAltName; critical when the subject is empty (RFC 5280 section 4.2.1.6). Undefined for no
 * name.
 */
export function subjectAltName(
  names: GeneralNames,
  critical: boolean,
  order: "names-first" | "other-first" = "names-first",
): Extension | undefined {
  const count =
    names.dns.length +
    names.email.length +
    names.ip.length +
    names.uri.length +
    names.other.length +
    (names.directory?.length ?? 0);
  return count === 0
    ? undefined
    : { oid: extensionOid.subjectAltName, critical, value: encodeSan(names, order) };
}

/** A policy with its qualifiers. */
export interface Policy {
  readonly oid: string;
  /** Address of the certification practice statement. */
  readonly cps?: string;
  /** Text of a user notice. */
  readonly notice?: string;
}

function policyInformation(policy: string | Policy): Bytes {
  if (typeof policy === "string") return sequence(oid(policy));
  const qualifiers = [
    ...(policy.cps ? [sequence(oid(otherOid.policyCps), ia5String(policy.cps))] : []),
    ...(policy.notice
      ? [sequence(oid(otherOid.policyNotice), sequence(utf8String(policy.notice)))]
      : []),
  ];
  return sequence(oid(policy.oid), qualifiers.length > 0 ? tlvOf(0x30, qualifiers) : absent);
}

/** CertificatePolicies in the given order, CPS before notice; undefined for none. */
export const certificatePolicies = (
  policies: readonly (string | Policy)[],
): Extension | undefined =>
  policies.length === 0
    ? undefined
    : remember(["policies", policies], () => ({
        oid: extensionOid.certificatePolicies,
        critical: false,
        value: tlvOf(0x30, policies.map(policyInformation)),
      }));

/**
 * Names a CA may, or may not, certify. IP ranges as `192.0.2.0/24`; e-mail as an address, a host,
 * or a domain with a dot in front.
 */
export interface Subtrees {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly email?: readonly string[];
  readonly uri?: readonly string[];
}

function rangeName(text: string): Bytes {
  const range = parseCidr(text);
  if (!range) throw new CaError("malformed", `not a range of IP addresses: ${text.slice(0, 80)}`);
  return octets(concat([range.address, range.mask]), 0x87);
}

function subtrees(tag: number, { dns = [], ip = [], email = [], uri = [] }: Subtrees): Bytes {
  const bases = [
    ...dns.map(dnsName),
    ...ip.map(rangeName),
    ...email.map(emailName),
    ...uri.map(uriName),
  ];
  return bases.length === 0
    ? absent
    : tlvOf(
        0xa0 | tag,
        bases.map((base) => sequence(base)),
      );
}

/**
 * NameConstraints, critical; undefined when nothing is constrained. Throws `CaError` `malformed` on
 * a range that is none.
 */
export function nameConstraints({
  permitted = {},
  excluded = {},
}: {
  permitted?: Subtrees;
  excluded?: Subtrees;
}): Extension | undefined {
  const [first, second] = [subtrees(0, permitted), subtrees(1, excluded)];
  if (first.length + second.length === 0) return undefined;
  return { oid: extensionOid.nameConstraints, critical: true, value: sequence(first, second) };
}

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

/** CRLNumber. */
export const crlNumber = (number: number): Extension => ({
  oid: extensionOid.crlNumber,
  critical: false,
  value: integer(number),
});

/** DeltaCRLIndicator, critical: the number of the complete CRL that the delta builds on. */
export const deltaIndicator = (base: number): Extension => ({
  oid: extensionOid.deltaCrlIndicator,
  critical: true,
  value: integer(base),
});
