import { colonHex, toHex, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { decodePem } from "../base/pem.ts";
import { algorithmName, parsePublicKey } from "./public-key.ts";
import { readAuthorityKeyIdentifier, readSubjectKeyIdentifier } from "./key-identifiers.ts";
import { certificateNames, parseCertificate } from "./certificate.ts";
import { extKeyUsageName, readExtKeyUsage, readKeyUsage } from "./usage.ts";
import { readAuthorityInfoAccess, readCrlDistributionPoints } from "./distribution-points.ts";
import { readBasicConstraints } from "./basic-constraints.ts";
import { readCertificatePolicies } from "./policies.ts";
import { readNameConstraints, type ReadSubtrees } from "./name-constraints.ts";
import type { Extension } from "./extension.ts";
import { nameText } from "./name.ts";
import { extensionName, extensionOid } from "./oid.ts";
import { parseSan, type ParsedNames } from "./san.ts";

/** A certificate in words, for a person to read. */
export interface Description {
  /** Distinguished name of the subject. */
  readonly subject: string;
  /** Distinguished name of the issuer. */
  readonly issuer: string;
  /** Lower-case hexadecimal pairs joined by colons. */
  readonly serial: string;
  /** Unix seconds. */
  readonly notBefore: number;
  /** Unix seconds. */
  readonly notAfter: number;
  /** `EC P-256`, `RSA 2048`, `Ed25519`, or what makes the key unreadable. */
  readonly key: string;
  /** `ECDSAWithSHA256`; a dotted identifier when there is no name. */
  readonly signatureAlgorithm: string;
  /** Common names and subject alternative names, each once. */
  readonly names: readonly string[];
  /** The extensions, in their order. */
  readonly extensions: readonly DescribedExtension[];
}

/** One extension in words. */
export interface DescribedExtension {
  readonly oid: string;
  /** `Basic Constraints`; the identifier again when it has no name. */
  readonly name: string;
  readonly critical: boolean;
  /**
   * One line for each part; hexadecimal bytes when the extension is not known or cannot be read.
   */
  readonly value: readonly string[];
}

/** Every name of a list with its kind in front. */
function nameLines(names: ParsedNames): readonly string[] {
  return [
    ...names.dns.map((name) => `DNS: ${name}`),
    ...names.email.map((name) => `E-mail: ${name}`),
    ...names.ip.map((name) => `IP: ${name}`),
    ...names.uri.map((name) => `URI: ${name}`),
    ...names.other.map(({ oid, value }) => `Other ${oid}: ${value}`),
    ...names.directory.map((name) => `Directory: ${nameText(name)}`),
    ...names.unreadable,
  ];
}

const subtreeLines = (word: string, trees: ReadSubtrees): readonly string[] =>
  nameLines({ ...trees, other: [] }).map((line) => `${word} ${line}`);

function constraintLines(value: Uint8Array): readonly string[] {
  const { ca, pathLength } = readBasicConstraints(value);
  return [
    ca ? "Certificate authority" : "Not a certificate authority",
    ...(pathLength === undefined ? [] : [`Path length: ${pathLength}`]),
  ];
}

function accessLines(value: Uint8Array): readonly string[] {
  const { ocsp, issuers } = readAuthorityInfoAccess(value);
  return [...ocsp.map((url) => `OCSP: ${url}`), ...issuers.map((url) => `Issuer: ${url}`)];
}

function limitLines(value: Uint8Array): readonly string[] {
  const { permitted, excluded } = readNameConstraints(value);
  return [...subtreeLines("Permitted", permitted), ...subtreeLines("Excluded", excluded)];
}

/** Descriptions of known extensions' values. */
const readers: ReadonlyMap<string, (value: Uint8Array) => readonly string[]> = new Map<
  string,
  (value: Uint8Array) => readonly string[]
>([
  [extensionOid.keyUsage, readKeyUsage],
  [
    extensionOid.extKeyUsage,
    (value) => readExtKeyUsage(value).map((oid) => extKeyUsageName(oid) ?? oid),
  ],
  [extensionOid.basicConstraints, constraintLines],
  [extensionOid.subjectKeyIdentifier, (value) => [colonHex(readSubjectKeyIdentifier(value))]],
  [
    extensionOid.authorityKeyIdentifier,
    (value) => [colonHex(readAuthorityKeyIdentifier(value) ?? new Uint8Array(0))],
  ],
  [extensionOid.authorityInfoAccess, accessLines],
  [extensionOid.subjectAltName, (value) => nameLines(parseSan(value))],
  [extensionOid.certificatePolicies, readCertificatePolicies],
  [extensionOid.nameConstraints, limitLines],
  [extensionOid.crlDistributionPoints, readCrlDistributionPoints],
  [extensionOid.freshestCrl, readCrlDistributionPoints],
]);

/**
 * Runs a reader; what it refuses is shown by `otherwise`, because a person wants to see the rest.
 */
function readable<T>(read: () => T, otherwise: (refusal: CaError) => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return otherwise(error);
    throw error;
  }
}

/** One extension in words. */
export function describeExtension({ oid, critical, value }: Extension): DescribedExtension {
  const read = readers.get(oid);
  const raw = [toHex(value)];
  return {
    oid,
    name: extensionName(oid) ?? oid,
    critical,
    value: read
      ? readable(
          () => read(value),
          () => raw,
        )
      : raw,
  };
}

const pemBegin = utf8("-----BEGIN ");
/** A kind of description: its function, and its PEM labels. */
interface Kind {
  readonly by: string;
  readonly what: string;
  readonly labels: readonly string[];
}
const ofCertificates: Kind = {
  by: "describeCertificate",
  what: "a certificate",
  labels: ["CERTIFICATE"],
};
/**
 * The DER of PEM or DER: of PEM, the first block of the kind. Throws TypeError for what is neither
 * text nor bytes.
 */
export function derOf(
  given: Uint8Array | string,
  { by, what, labels }: Kind = ofCertificates,
): Uint8Array {
  if (typeof given !== "string") {
    if (!((given as unknown) instanceof Uint8Array))
      throw new TypeError(`${by} requires ${what} as PEM text or as a Uint8Array`);
    if (!pemBegin.every((byte, at) => given[at] === byte)) return given;
  }
  const text = typeof given === "string" ? given : new TextDecoder().decode(given);
  const block = decodePem(text).find(({ label }) => labels.includes(label));
  if (!block) throw new CaError("malformed", `the text has no PEM block ${labels[0]}`);
  return block.der;
}

/** A public key in words, or why it cannot be read. */
export const keyText = (spki: Uint8Array): string =>
  readable(
    () => {
      const { algorithm, bits } = parsePublicKey(spki);
      return algorithm.words(bits);
    },
    (refusal) => refusal.message,
  );

/**
 * Puts a certificate in words: DER, or PEM as text or bytes, of which the first certificate counts.
 * Keys and extensions that cannot be read are shown as they are. Throws `CaError` `malformed` when
 * it is not a certificate, and TypeError for what is neither text nor bytes.
 */
export function describeCertificate(given: Uint8Array | string): Description {
  const certificate = parseCertificate(derOf(given));
  const names = readable(
    () => certificateNames(certificate),
    () => certificateNames({ ...certificate, extensions: [] }),
  );
  return {
    subject: nameText(certificate.subject),
    issuer: nameText(certificate.issuer),
    serial: colonHex(certificate.serial),
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    key: keyText(certificate.spki),
    signatureAlgorithm: algorithmName(certificate.algorithm),
    names: [...new Set([...names.common, ...names.dns, ...names.email, ...names.ip, ...names.uri])],
    extensions: certificate.extensions.map(describeExtension),
  };
}
