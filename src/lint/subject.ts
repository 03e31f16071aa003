import { equalBytes, fromUtf8 } from "../base/bytes.ts";
import { readTime } from "../base/der-element.ts";
import { readDer, type Reader } from "../base/der.ts";
import { tryRead } from "../base/try-read.ts";
import type { Extension } from "../x509/extension.ts";
import { extensionOid } from "../x509/oid.ts";
import { parsePublicKey, type PublicKey } from "../x509/public-key.ts";
import { keyUsages, readExtKeyUsage, type KeyUsage } from "../x509/usage.ts";

/** An attribute of a name, as encoded. */
export interface LintedAttribute {
  readonly oid: string;
  readonly tag: number;
  readonly content: Uint8Array;
  /** The value as text. Bytes that cannot be decoded become U+FFFD. */
  readonly text: string;
}
/** A distinguished name, as encoded. */
export interface LintedName {
  readonly der: Uint8Array;
  readonly rdns: readonly (readonly LintedAttribute[])[];
}
/** A time, as encoded. */
export interface LintedTime {
  readonly tag: number;
  readonly text: string;
  /** Unix seconds, or undefined if the encoding is invalid. */
  readonly seconds?: number;
}
/** A name in an alternative name extension: its context tag and content. */
export interface LintedGeneralName {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly text: string;
}
/**
 * An extension, as encoded. `isFalseWritten` is true if it encodes critical FALSE, which DER must
 * omit.
 */
export interface LintedExtension extends Extension {
  readonly isFalseWritten: boolean;
}
/** A certificate, as encoded. It is parsed without the checks of `parseCertificate`. */
export interface LintedCertificate {
  readonly version: number;
  /** Content of the INTEGER. */
  readonly serial: Uint8Array;
  /**
   * The `signature` field of the TBSCertificate (DER). `outerAlgorithm` is the certificate's
   * `signatureAlgorithm` field; it is absent in a dry run.
   */
  readonly algorithm: Uint8Array;
  readonly outerAlgorithm?: Uint8Array;
  readonly issuer: LintedName;
  readonly subject: LintedName;
  readonly isSelfIssued: boolean;
  readonly notBefore: LintedTime;
  readonly notAfter: LintedTime;
  readonly spki: Uint8Array;
  /** The public key. Absent if its algorithm is unsupported or the key is malformed. */
  readonly key?: PublicKey;
  readonly uniqueIds: readonly string[];
  readonly hasExtensionList: boolean;
  readonly extensions: readonly LintedExtension[];
  readonly isCa: boolean;
  /** Content of the INTEGER. */
  readonly pathLength?: Uint8Array;
  readonly keyUsage: readonly KeyUsage[];
  readonly extKeyUsage: readonly string[];
  readonly names: readonly LintedGeneralName[];
  readonly issuerNames: readonly LintedGeneralName[];
}

/** Decodes bytes as Latin-1, which never fails. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

const [utf8Decoder, utf16Decoder] = [new TextDecoder(), new TextDecoder("utf-16be")];
function attributeText(tag: number, content: Uint8Array): string {
  if (tag === 0x14) return latin1(content);
  return (tag === 0x1e ? utf16Decoder : utf8Decoder).decode(content);
}

/** Parses a Name without checking its strings. Throws `CaError` if it is malformed. */
export function readLintedName(der: Uint8Array): LintedName {
  const outer = readDer(der, "name").enter("Name");
  const rdns: LintedAttribute[][] = [];
  while (outer.tag !== undefined) {
    const members = outer.enter("RDN", 0x31);
    const rdn: LintedAttribute[] = [];
    while (members.tag !== undefined) {
      const attribute = members.enter("an attribute");
      const oid = attribute.oid("the type");
      const { tag, content } = attribute.element("the value");
      rdn.push({ oid, tag, content, text: attributeText(tag, content) });
    }
    rdns.push(rdn);
  }
  return { der, rdns };
}

/** Reads a time in any encoding. Throws `CaError` if there is no element. */
export function readLintedTime(reader: Reader, what: string): LintedTime {
  const { tag, content } = reader.element(what);
  const seconds = tag === 0x17 || tag === 0x18 ? readTime(tag, content) : undefined;
  return { tag, text: latin1(content), ...(seconds !== undefined && { seconds }) };
}

/**
 * Reads a SEQUENCE of extensions, in which an extension may occur several times. Throws `CaError`
 * if it is malformed.
 */
export function readLintedExtensions(reader: Reader): readonly LintedExtension[] {
  const list = reader.enter("extensions");
  const extensions: LintedExtension[] = [];
  while (list.tag !== undefined) {
    const item = list.enter("an extension");
    const oid = item.oid("its type");
    const flagged = item.tag === 0x01;
    const critical = flagged && item.content("critical", 0x01)[0] !== 0;
    extensions.push({
      oid,
      critical,
      value: item.octets("the value"),
      isFalseWritten: flagged && !critical,
    });
  }
  return extensions;
}

/**
 * Parses a GeneralNames value without checking the names. Returns the names up to the first
 * malformed one.
 */
function readLintedNames(value: Uint8Array | undefined): readonly LintedGeneralName[] {
  if (!value) return [];
  const names: LintedGeneralName[] = [];
  tryRead(() => {
    const list = readDer(value, "names").enter("GeneralNames");
    while (list.tag !== undefined) {
      const { tag, content } = list.element("a name");
      names.push({ tag, content, text: latin1(content) });
    }
  });
  return names;
}

/** Returns the value of an extension, or undefined if it is absent. */
export const valueOf = (
  { extensions }: { readonly extensions: readonly Extension[] },
  oid: string,
): Uint8Array | undefined => extensions.find((extension) => extension.oid === oid)?.value;

/** Reports whether a certificate, CRL or CRL entry has an extension. */
export const hasExtension = (
  holder: { readonly extensions: readonly Extension[] },
  oid: string,
): boolean => valueOf(holder, oid) !== undefined;

function readUsages(value: Uint8Array | undefined): readonly KeyUsage[] {
  const bits = value && tryRead(() => readDer(value, "key usage").bitString("the bits").bytes);
  return bits ? keyUsages.filter((_, i) => (((bits[i >> 3] ?? 0) << (i & 7)) & 0x80) !== 0) : [];
}

function readBasic(value: Uint8Array | undefined): {
  readonly isCa: boolean;
  readonly pathLength?: Uint8Array;
} {
  let isCa = false;
  let pathLength: Uint8Array | undefined;
  if (value)
    tryRead(() => {
      const body = readDer(value, "basic constraints").enter("BasicConstraints");
      isCa = body.tag === 0x01 && body.content("cA", 0x01)[0] !== 0;
      if (body.tag === 0x02) pathLength = body.content("the path length", 0x02);
    });
  return { isCa, ...(pathLength && { pathLength }) };
}

/** Parses a TBSCertificate leniently. Throws `CaError` if it is malformed. */
export function readLintedTbs(tbsDer: Uint8Array, outerAlgorithm?: Uint8Array): LintedCertificate {
  const tbs = readDer(tbsDer, "certificate").enter("TBSCertificate");
  const version = (tbs.optional("the version", 0xa0)?.number("the number") ?? 0) + 1;
  const serial = tbs.content("the serial number", 0x02);
  const algorithm = tbs.raw("the signature algorithm", 0x30);
  const issuer = readLintedName(tbs.raw("the issuer", 0x30));
  const validity = tbs.enter("the validity");
  const notBefore = readLintedTime(validity, "notBefore");
  const notAfter = readLintedTime(validity, "notAfter");
  const subject = readLintedName(tbs.raw("the subject", 0x30));
  const spki = tbs.raw("the public key", 0x30);
  const uniqueIds: string[] = [];
  for (const [tag, what] of [
    [0x81, "issuer"],
    [0x82, "subject"],
  ] as const)
    if (tbs.tag === tag) {
      uniqueIds.push(what);
      tbs.element("a unique identifier");
    }
  const list = tbs.optional("the extensions", 0xa3);
  const extensions = list ? readLintedExtensions(list) : [];
  const key = tryRead(() => parsePublicKey(spki));
  const value = (oid: string): Uint8Array | undefined => valueOf({ extensions }, oid);
  const purposes = value(extensionOid.extKeyUsage);
  return {
    version,
    serial,
    algorithm,
    ...(outerAlgorithm && { outerAlgorithm }),
    issuer,
    subject,
    isSelfIssued: equalBytes(issuer.der, subject.der),
    notBefore,
    notAfter,
    spki,
    ...(key && { key }),
    uniqueIds,
    hasExtensionList: list !== undefined,
    extensions,
    ...readBasic(value(extensionOid.basicConstraints)),
    keyUsage: readUsages(value(extensionOid.keyUsage)),
    extKeyUsage: (purposes && tryRead(() => readExtKeyUsage(purposes))) ?? [],
    names: readLintedNames(value(extensionOid.subjectAltName)),
    issuerNames: readLintedNames(value(extensionOid.issuerAltName)),
  };
}

/** Parses a certificate leniently. Throws `CaError` if it is not a certificate. */
export function readLintedCertificate(der: Uint8Array): LintedCertificate {
  const outer = readDer(der, "certificate").enter("Certificate");
  const tbs = outer.raw("TBSCertificate", 0x30);
  return readLintedTbs(tbs, outer.raw("the signature algorithm", 0x30));
}

/** Decodes UTF-8. Returns undefined if the bytes are not valid UTF-8. */
export function strictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return fromUtf8(bytes);
  } catch {
    return undefined;
  }
}
