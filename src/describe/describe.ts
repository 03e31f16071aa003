import { colonHex, toHex, utf8 } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { decodePem } from "../base/pem.ts";
import { certificateNames, parseCertificate } from "../x509/certificate.ts";
import type { Extension } from "../x509/extension.ts";
import { nameText } from "../x509/name.ts";
import { describedExtensionName } from "./extension-names.ts";
import { extensionReaders } from "./extensions/table.ts";
import { keyText, signatureText } from "./key-text.ts";
import { stringText } from "./string-text.ts";

/** A human-readable description of a certificate. */
export interface Description {
  /** Distinguished name of the subject. */
  readonly subject: string;
  /** Distinguished name of the issuer. */
  readonly issuer: string;
  /** Serial number: lower-case hexadecimal pairs, joined by colons. */
  readonly serial: string;
  /** Start of the validity period (Unix seconds). */
  readonly notBefore: number;
  /** End of the validity period (Unix seconds). */
  readonly notAfter: number;
  /**
   * Type and size of the key, such as `EC P-256`, `RSA 2048` or `Ed25519`, or the reason why it
   * cannot be parsed.
   */
  readonly key: string;
  /** Name such as `ECDSAWithSHA256`, or the object identifier if the algorithm is unknown. */
  readonly signatureAlgorithm: string;
  /** Common names and subject alternative names, without duplicates. */
  readonly names: readonly string[];
  /** The extensions, in the same order as in the certificate. */
  readonly extensions: readonly DescribedExtension[];
}

/** A human-readable description of an extension. */
export interface DescribedExtension {
  readonly oid: string;
  /** Name such as `Basic Constraints`, or the object identifier if the extension is unknown. */
  readonly name: string;
  readonly critical: boolean;
  /**
   * The parts of the value, one line for each. If the extension cannot be parsed, or is unknown and
   * not a string, its bytes are shown in hexadecimal.
   */
  readonly value: readonly string[];
}

/**
 * Returns the result of `read`. If `read` throws a CaError, returns the result of `otherwise`, so
 * that the other parts can still be described.
 */
function readable<T>(read: () => T, otherwise: (refusal: CaError) => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return otherwise(error);
    throw error;
  }
}

/** Returns a value as text if it is a single string, and its bytes in hexadecimal otherwise. */
const otherLines = (value: Uint8Array): readonly string[] => [
  readable(
    () => stringText(readDer(value, "extension").element("the value")),
    () => undefined,
  ) ?? toHex(value),
];

/** Describes an extension. */
export function describeExtension({ oid, critical, value }: Extension): DescribedExtension {
  const read = extensionReaders.get(oid) ?? otherLines;
  return {
    oid,
    name: describedExtensionName(oid) ?? oid,
    critical,
    value: readable(
      () => read(value),
      () => [toHex(value)],
    ),
  };
}

const pemBegin = utf8("-----BEGIN ");
/**
 * A kind of input: its name with an article, its PEM labels, and the name of the function that
 * describes it.
 */
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
 * Returns the DER of an input. For PEM, this is the first block whose label is in `labels`. Throws
 * `CaError` `malformed` if there is no such block, and TypeError if the input is neither a string
 * nor bytes.
 */
export function derOf(
  input: Uint8Array | string,
  { by, what, labels }: Kind = ofCertificates,
): Uint8Array {
  if (typeof input !== "string") {
    if (!((input as unknown) instanceof Uint8Array))
      throw new TypeError(`${by} requires ${what} as PEM text or as a Uint8Array`);
    if (!pemBegin.every((byte, at) => input[at] === byte)) return input;
  }
  const text = typeof input === "string" ? input : new TextDecoder().decode(input);
  const block = decodePem(text).find(({ label }) => labels.includes(label));
  if (!block)
    throw new CaError("malformed", `the text contains no PEM block with the label ${labels[0]}`);
  return block.der;
}

/**
 * Describes a certificate in DER, or the first certificate in PEM as a string or bytes. If the key
 * cannot be parsed, the description contains the error instead; if an extension cannot be parsed,
 * it contains the extension's bytes in hexadecimal. Throws `CaError` `malformed` if the input is
 * not a certificate, and TypeError if it is neither a string nor bytes.
 */
export function describeCertificate(input: Uint8Array | string): Description {
  const certificate = parseCertificate(derOf(input));
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
    signatureAlgorithm: signatureText(certificate.algorithm),
    names: [...new Set([...names.common, ...names.dns, ...names.email, ...names.ip, ...names.uri])],
    extensions: certificate.extensions.map(describeExtension),
  };
}
