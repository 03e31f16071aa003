import { colonHex, toHex, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { decodePem } from "../base/pem.ts";
import { algorithmName, parsePublicKey } from "../x509/public-key.ts";
import { readAuthorityKeyIdentifier, readSubjectKeyIdentifier } from "../x509/key-identifiers.ts";
import { certificateNames, parseCertificate } from "../x509/certificate.ts";
import { extKeyUsageName, readExtKeyUsage, readKeyUsage } from "../x509/usage.ts";
import { readAuthorityInfoAccess, readCrlDistributionPoints } from "../x509/distribution-points.ts";
import { readBasicConstraints } from "../x509/basic-constraints.ts";
import { readCertificatePolicies } from "../x509/policies.ts";
import { readNameConstraints, type ReadSubtrees } from "../x509/name-constraints.ts";
import type { Extension } from "../x509/extension.ts";
import { nameText } from "../x509/name.ts";
import { extensionName, extensionOid } from "../x509/oid.ts";
import { parseSan, type ParsedNames } from "../x509/san.ts";

/** A human-readable description of a certificate. */
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
  /** `EC P-256`, `RSA 2048`, `Ed25519`, or why the key cannot be parsed. */
  readonly key: string;
  /** `ECDSAWithSHA256`; the object identifier of an unknown algorithm. */
  readonly signatureAlgorithm: string;
  /** Common names and subject alternative names without duplicates. */
  readonly names: readonly string[];
  /** The extensions, in their order. */
  readonly extensions: readonly DescribedExtension[];
}

/** A human-readable description of an extension. */
export interface DescribedExtension {
  readonly oid: string;
  /** `Basic Constraints`; the object identifier of an unknown extension. */
  readonly name: string;
  readonly critical: boolean;
  /** One line per part; hexadecimal bytes if the extension is unknown or cannot be parsed. */
  readonly value: readonly string[];
}

/** Returns a line for each name, prefixed with its kind. */
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

/** Functions that describe the values of known extensions. */
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
 * Returns the result of `read`; if it fails, that of `otherwise`, so that the rest of the
 * description still appears.
 */
function readable<T>(read: () => T, otherwise: (refusal: CaError) => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return otherwise(error);
    throw error;
  }
}

/** Describes an extension. */
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
/** A kind of input: the function that describes it, its name and its PEM labels. */
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
 * Returns the DER of an input; for PEM, the first block of the kind. Throws TypeError for input
 * that is neither text nor bytes.
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

/** Describes a public key, or says why it cannot be parsed. */
export const keyText = (spki: Uint8Array): string =>
  readable(
    () => {
      const { algorithm, bits } = parsePublicKey(spki);
      return algorithm.words(bits);
    },
    (refusal) => refusal.message,
  );

/**
 * Describes a certificate: DER, or PEM as text or bytes, of which the first certificate is used.
 * Keys and extensions that cannot be parsed are shown as hexadecimal or as an error. Throws
 * `CaError` `malformed` if it is not a certificate, and TypeError for input that is neither text
 * nor bytes.
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
