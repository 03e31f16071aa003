import { asBytes, toBase64, toHex, type Bytes } from "../../../src/base/bytes.ts";
import { CaError } from "../../../src/base/errors.ts";
import { decodePem, encodePem } from "../../../src/base/pem.ts";
import { algorithmName } from "../../../src/x509/public-key.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../../src/x509/key-identifiers.ts";
import {
  findExtension,
  isCa,
  parseCertificate,
  type Certificate,
} from "../../../src/x509/certificate.ts";
import { parseCsr, verifyCsr } from "../../../src/x509/csr.ts";
import type { Extension } from "../../../src/x509/extension.ts";
import { extKeyUsageName, readExtKeyUsage } from "../../../src/x509/usage.ts";
import { nameText, nameValues } from "../../../src/x509/name.ts";
import { readCrlDistributionPoints } from "../../../src/x509/distribution-points.ts";
import { extensionOid, nameOid } from "../../../src/x509/oid.ts";
import { keyName } from "./key-name.ts";
import { signatureName } from "./signature-name.ts";
import { visible } from "../visible-text.ts";
import { namesOf, type Name } from "./alternative-names.ts";

/** A certificate for display. All untrusted text in it has been escaped with `visible`. */
export interface CertificateView {
  readonly pem: string;
  readonly der: Bytes;
  readonly sha256: string;
  /** The common name, else the first alternative name, else the serial number. */
  readonly title: string;
  /** The first common name in the subject, or an empty string if there is none. */
  readonly commonName: string;
  readonly subject: string;
  readonly issuer: string;
  readonly issuerTitle: string;
  /** Serial number in hexadecimal without separators. */
  readonly serial: string;
  readonly begins: Date;
  readonly ends: Date;
  readonly names: readonly Name[];
  /** Errors of alternative names that could not be parsed. */
  readonly brokenNames: readonly string[];
  readonly key: string;
  /** SHA-256 hash of the public key, which is equal for a certificate, its CSR and its key. */
  readonly keyPrint: string;
  readonly signature: string;
  readonly authority: boolean;
  readonly selfIssued: boolean;
  readonly subjectKeyId: string;
  readonly authorityKeyId: string;
  readonly extensions: readonly Extension[];
}

/** A certificate signing request for display. */
export interface CsrView {
  readonly pem: string;
  readonly der: Bytes;
  readonly title: string;
  /** The first common name in the subject, or an empty string if there is none. */
  readonly commonName: string;
  readonly subject: string;
  readonly names: readonly Name[];
  /** Errors of alternative names that could not be parsed. */
  readonly brokenNames: readonly string[];
  readonly key: string;
  readonly keyPrint: string;
  readonly signature: string;
  /** Whether the CSR is signed with its own key. */
  readonly signed: boolean;
  readonly extensions: readonly Extension[];
}

/**
 * Returns the DER in the input: bytes, the first PEM block with one of the labels, or base64
 * without PEM.
 */
export function bytesOf(input: string | Uint8Array, labels: readonly string[]): Bytes {
  if (typeof input !== "string") return asBytes(input);
  const block = decodePem(input.trim()).find(({ label }) => labels.includes(label));
  if (!block) throw new CaError("malformed", `This text contains no ${labels[0] ?? "PEM"} block.`);
  return block.der;
}

const sha256 = async (bytes: Uint8Array): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(bytes))));

export const moment = (seconds: number): Date => new Date(seconds * 1000);

/**
 * Returns the result of `read`, or `otherwise` if it throws a `CaError`, so that the rest is still
 * shown.
 */
export function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return otherwise;
    throw error;
  }
}

const subjectText = (name: Uint8Array): string => visible(nameText(name));

const commonName = (name: Uint8Array): string => nameValues(name, nameOid.commonName)[0] ?? "";

const keyIdentifier = (
  certificate: Certificate,
  oid: string,
  read: (value: Uint8Array) => Uint8Array | undefined,
): string => {
  const extension = findExtension(certificate, oid);
  return extension ? orElse("", () => toHex(read(extension.value) ?? new Uint8Array(0))) : "";
};

type Extended = Pick<CertificateView, "extensions">;

/**
 * Parses an extension that is a list. Returns an empty list if the extension is absent or
 * malformed.
 */
function listIn(
  { extensions }: Extended,
  oid: string,
  read: (value: Uint8Array) => readonly string[],
): readonly string[] {
  const extension = findExtension({ extensions }, oid);
  return extension ? orElse([], () => read(extension.value)) : [];
}

/** Returns the names of the extended key usages of a certificate. */
export const purposesOf = (view: Extended): readonly string[] =>
  listIn(view, extensionOid.extKeyUsage, readExtKeyUsage).map((oid) => extKeyUsageName(oid) ?? oid);

/** Returns the CRL distribution points of a certificate. */
export const crlAddresses = (view: Extended): readonly string[] =>
  listIn(view, extensionOid.crlDistributionPoints, readCrlDistributionPoints);

/** Parses a certificate from PEM text or DER. Throws `CaError` with the offset of the error. */
export async function readCertificate(input: string | Uint8Array): Promise<CertificateView> {
  const der = bytesOf(input, ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]);
  const certificate = parseCertificate(der);
  const { names, broken } = namesOf(certificate);
  const serial = toHex(certificate.serial);
  return {
    der,
    pem: encodePem("CERTIFICATE", der),
    sha256: await sha256(der),
    brokenNames: broken,
    commonName: visible(commonName(certificate.subject)),
    title:
      visible(commonName(certificate.subject)) ||
      names[0]?.value ||
      `Serial ${serial.slice(0, 16)}`,
    subject: subjectText(certificate.subject),
    issuer: subjectText(certificate.issuer),
    issuerTitle: visible(commonName(certificate.issuer)) || subjectText(certificate.issuer),
    serial,
    begins: moment(certificate.notBefore),
    ends: moment(certificate.notAfter),
    names,
    key: await keyName(certificate.spki),
    keyPrint: await sha256(certificate.spki),
    signature: signatureName(algorithmName(certificate.algorithm)),
    authority: orElse(false, () => isCa(certificate)),
    selfIssued: toBase64(certificate.subject) === toBase64(certificate.issuer),
    subjectKeyId: keyIdentifier(
      certificate,
      extensionOid.subjectKeyIdentifier,
      readSubjectKeyIdentifier,
    ),
    authorityKeyId: keyIdentifier(
      certificate,
      extensionOid.authorityKeyIdentifier,
      readAuthorityKeyIdentifier,
    ),
    extensions: certificate.extensions,
  };
}

/** Parses a certificate signing request from PEM text or DER. */
export async function readCsr(input: string | Uint8Array): Promise<CsrView> {
  const der = bytesOf(input, ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"]);
  const csr = parseCsr(der);
  const { names, broken } = namesOf(csr);
  return {
    der,
    pem: encodePem("CERTIFICATE REQUEST", der),
    title: visible(commonName(csr.subject)) || names[0]?.value || "Unnamed request",
    commonName: visible(commonName(csr.subject)),
    subject: subjectText(csr.subject),
    names,
    brokenNames: broken,
    key: await keyName(csr.spki),
    keyPrint: await sha256(csr.spki),
    signature: signatureName(algorithmName(csr.algorithm)),
    signed: await verifyCsr(csr).catch(() => false),
    extensions: csr.extensions,
  };
}

/** Reports whether a CA has the issuer name and authority key identifier of a certificate. */
export const isIssuerOf = (ca: CertificateView, of: CertificateView): boolean =>
  ca.subject === of.issuer && (of.authorityKeyId === "" || ca.subjectKeyId === of.authorityKeyId);
