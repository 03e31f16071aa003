import { CaError } from "../base/errors.ts";
import { decodePem } from "../base/pem.ts";

/** The binary types that callers may pass. */
export type BytesInput = Uint8Array | ArrayBuffer;

/**
 * A certificate, CSR or CRL: PEM text, DER or PEM bytes, or an object that has the DER in `rawData`
 * (@peculiar/x509), `raw` (Node's `X509Certificate`) or `der` (the parsers of this module).
 */
export type DerInput =
  | string
  | BytesInput
  | {
      /** The DER in objects of `@peculiar/x509`. */
      readonly rawData: BytesInput;
    }
  | {
      /** The DER in objects of Node. */
      readonly raw: BytesInput;
    }
  | {
      /** The DER in the results of this module's parsers. */
      readonly der: BytesInput;
    };

/** A kind of input, with its name in messages and its PEM labels. */
export interface InputKind {
  readonly what: string;
  readonly labels: readonly string[];
}

/** The input kind of certificates. */
export const certificateInput: InputKind = {
  what: "certificate",
  labels: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"],
};
/** The input kind of certificate signing requests. */
export const csrInput: InputKind = {
  what: "CSR",
  labels: ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"],
};
/** The input kind of certificate revocation lists. */
export const crlInput: InputKind = { what: "CRL", labels: ["X509 CRL"] };
/** The input kind of OCSP responses. */
export const ocspInput: InputKind = { what: "OCSP response", labels: ["OCSP RESPONSE"] };

/**
 * Reports whether bytes begin like DER, with a SEQUENCE of 128 octets or more. Such DER may itself
 * contain PEM text. Conversely, text before a PEM block may begin with "0" (0x30, the tag of a
 * SEQUENCE), but its next octet is not a length of this form.
 */
const isDer = ([tag, length = 0]: Uint8Array): boolean => tag === 0x30 && length >= 0x80;
const pemBegin = "-----BEGIN ";

function bytesIn(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

function derIn(value: object): Uint8Array | undefined {
  for (const member of ["rawData", "raw", "der"] as const) {
    const bytes = bytesIn((value as { readonly [member: string]: unknown })[member]);
    if (bytes) return bytes;
  }
  return undefined;
}

/**
 * Returns the DER of every object in an input. PEM may contain several objects. Throws `TypeError`
 * for an input of another type, and `CaError` `malformed` for PEM without a block of this kind.
 */
export function derOf(input: DerInput, { what, labels }: InputKind): readonly Uint8Array[] {
  const bytes =
    typeof input === "string"
      ? undefined
      : (bytesIn(input) ??
        (typeof input === "object" && input !== null ? derIn(input) : undefined));
  if (!bytes && typeof input !== "string")
    throw new TypeError(
      `${what}: expected PEM text, a Uint8Array, an ArrayBuffer, or an object with rawData`,
    );
  if (bytes && isDer(bytes)) return [bytes];
  const text = typeof input === "string" ? input : new TextDecoder().decode(bytes);
  if (bytes && !text.includes(pemBegin)) return [bytes];
  const blocks = decodePem(text).filter(({ label }) => labels.includes(label));
  if (blocks.length === 0)
    throw new CaError("malformed", `${what}: expected PEM with the label ${labels[0]}`);
  return blocks.map(({ der }) => der);
}

/** Returns the DER of the first object in an input. Throws as `derOf` does. */
export function firstDer(input: DerInput, kind: InputKind): Uint8Array {
  const [der = new Uint8Array(0)] = derOf(input, kind);
  return der;
}
