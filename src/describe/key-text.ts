import { readDer, type Reader } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { tryRead } from "../base/try-read.ts";
import { algorithmName, parsePublicKey } from "../x509/public-key.ts";
import { algorithmOidName } from "./algorithm-names.ts";

const bitLength = (integer: Uint8Array): number => {
  const at = integer.findIndex((byte) => byte !== 0);
  return at < 0 ? 0 : 8 * (integer.length - at) - Math.clz32(integer[at] ?? 0) + 24;
};

/** Returns the bit length of the prime in DSA or DH parameters. */
const primeBits = (algorithm: Reader): number =>
  bitLength(algorithm.enter("the parameters").unsigned("the prime"));

const modulusBits = (keyBits: Uint8Array): number =>
  bitLength(readDer(keyBits, "RSA public key").enter("RSAPublicKey").unsigned("the modulus"));

function curveText(algorithm: Reader): string {
  if (algorithm.tag === 0x06) {
    const curve = algorithm.oid("the curve");
    return `EC ${algorithmOidName(curve) ?? curve}`;
  }
  if (algorithm.tag !== 0x30) return "EC without a curve";
  const parameters = algorithm.enter("the parameters");
  parameters.number("the version");
  const field = parameters.enter("the field");
  field.oid("the type");
  return field.tag === 0x02
    ? `EC of ${bitLength(field.unsigned("the prime"))} bits, with explicit parameters`
    : "EC, with explicit parameters";
}

/** Functions that describe keys with a size or curve, by the algorithm's object identifier. */
const sized: Readonly<Record<string, (algorithm: Reader, keyBits: Uint8Array) => string>> = {
  "1.2.840.113549.1.1.1": (_, keyBits) => `RSA ${modulusBits(keyBits)}`,
  "1.2.840.113549.1.1.10": (_, keyBits) => `RSA ${modulusBits(keyBits)} for PSS only`,
  "1.2.840.113549.1.1.7": (_, keyBits) => `RSA ${modulusBits(keyBits)} for OAEP only`,
  "1.2.840.10040.4.1": (algorithm) =>
    algorithm.tag === 0x30
      ? `DSA ${primeBits(algorithm)}`
      : "DSA, with the parameters of its issuer",
  "1.2.840.10046.2.1": (algorithm) => `DH ${primeBits(algorithm)}`,
  "1.2.840.113549.1.3.1": (algorithm) => `DH ${primeBits(algorithm)}`,
  "1.2.840.10045.2.1": curveText,
};

function unsupportedText(spki: Uint8Array): string {
  const outer = readDer(spki, "public key").enter("SubjectPublicKeyInfo");
  const algorithm = outer.enter("the algorithm");
  const { bytes } = outer.bitString("the key");
  const oid = algorithm.oid("the key type");
  const read = Object.hasOwn(sized, oid) ? sized[oid] : undefined;
  return read ? read(algorithm, bytes) : (algorithmOidName(oid) ?? `unknown type ${oid}`);
}

/**
 * Describes a public key of any type, such as `EC P-256`, `RSA 2048`, `Ed448` or `ML-DSA-65`.
 * Returns the error message if the key cannot be parsed.
 */
export function keyText(spki: Uint8Array): string {
  const supported = tryRead(() => parsePublicKey(spki));
  if (supported) return supported.algorithm.describe(supported.bits);
  try {
    return unsupportedText(spki);
  } catch (error) {
    if (error instanceof CaError) return error.message;
    throw error;
  }
}

/**
 * Returns the name of a signature algorithm, such as `ECDSAWithSHA256`, or its object identifier if
 * it is unknown.
 */
export function signatureText(algorithm: Uint8Array): string {
  const name = algorithmName(algorithm);
  return algorithmOidName(name) ?? name;
}
