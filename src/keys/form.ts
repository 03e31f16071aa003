import { concat } from "../base/bytes.ts";
import {
  bitString,
  explicit,
  integer,
  nullValue,
  octets,
  oid,
  readDer,
  sequence,
  tlvOf,
  type Reader,
} from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { encodePem } from "../base/pem.ts";
import { keyOid } from "../x509/oid.ts";

/** The kinds of private keys there are. */
export type PrivateKeyType = "rsa" | "ec" | "ed25519";

const zero = integer(0);
const one = integer(1);
const rsaAlgorithm = sequence(oid(keyOid.rsa), nullValue);
const ed25519Algorithm = sequence(oid(keyOid.ed25519));

/** PKCS#8 (RFC 5958) around an RSAPrivateKey. */
export const rsaPkcs8 = (rsaPrivateKey: Uint8Array): Uint8Array =>
  sequence(zero, rsaAlgorithm, octets(rsaPrivateKey));

/**
 * PKCS#8 of an EC key: the curve's object identifier, the scalar at full length, the uncompressed
 * point when it is known.
 */
export function ecPkcs8(curveOid: string, scalar: Uint8Array, point?: Uint8Array): Uint8Array {
  const content = [one, octets(scalar), ...(point ? [explicit(1, bitString(point))] : [])];
  return sequence(zero, sequence(oid(keyOid.ec), oid(curveOid)), octets(tlvOf(0x30, content)));
}

/**
 * What stands around the numbers of a key of one curve: all of it but scalar and coordinates is the
 * same for every key.
 */
interface Frame {
  readonly beforeScalar: Uint8Array;
  readonly beforePoint: Uint8Array;
  readonly spki: Uint8Array;
}
const frames = new Map<string, Frame>();
function frameOf(curveOid: string, size: number): Frame {
  let frame = frames.get(curveOid);
  if (!frame) {
    const point = new Uint8Array(1 + 2 * size);
    point[0] = 4;
    const [pkcs8, spki] = [ecPkcs8(curveOid, new Uint8Array(size), point), ecSpki(curveOid, point)];
    const scalarEnd = pkcs8.length - explicit(1, bitString(point)).length;
    frame = {
      beforeScalar: pkcs8.slice(0, scalarEnd - size),
      beforePoint: pkcs8.slice(scalarEnd, pkcs8.length - 2 * size),
      spki: spki.slice(0, spki.length - 2 * size),
    };
    frames.set(curveOid, frame);
  }
  return frame;
}
/**
 * PKCS#8 and SubjectPublicKeyInfo of an EC key from its numbers, each at the full length of the
 * curve.
 */
export function ecForms(
  curveOid: string,
  scalar: Uint8Array,
  x: Uint8Array,
  y: Uint8Array,
): { readonly pkcs8: Uint8Array; readonly spki: Uint8Array } {
  const { beforeScalar, beforePoint, spki } = frameOf(curveOid, scalar.length);
  return { pkcs8: concat([beforeScalar, scalar, beforePoint, x, y]), spki: concat([spki, x, y]) };
}

/** PKCS#8 of an Ed25519 seed of 32 bytes (RFC 8410 section 7). */
export const ed25519Pkcs8 = (seed: Uint8Array): Uint8Array =>
  sequence(zero, ed25519Algorithm, octets(octets(seed)));

/** SubjectPublicKeyInfo of an RSA key, modulus and exponent unsigned. */
export const rsaSpki = (modulus: Uint8Array, exponent: Uint8Array): Uint8Array =>
  sequence(rsaAlgorithm, bitString(sequence(integer(modulus), integer(exponent))));
/** SubjectPublicKeyInfo of an uncompressed point. */
export const ecSpki = (curveOid: string, point: Uint8Array): Uint8Array =>
  sequence(sequence(oid(keyOid.ec), oid(curveOid)), bitString(point));
/** SubjectPublicKeyInfo of 32 bytes. */
export const ed25519Spki = (key: Uint8Array): Uint8Array =>
  sequence(ed25519Algorithm, bitString(key));

/** A PKCS#8 text opened as far as every kind has it in common. */
export interface OpenedPkcs8 {
  readonly version: number;
  readonly type: PrivateKeyType;
  /** Stands before the parameters of the algorithm. */
  readonly parameters: Reader;
  /** What the OCTET STRING holds. */
  readonly key: Uint8Array;
  /** Stands behind the OCTET STRING, before attributes and public key. */
  readonly rest: Reader;
}

/**
 * Opens PKCS#8. Throws `CaError`: `malformed` when it is not DER, `bad_key` when the kind is not
 * supported.
 */
export function openPkcs8(pkcs8: Uint8Array): OpenedPkcs8 {
  const rest = readDer(pkcs8, "private key").enter("PrivateKeyInfo");
  const version = rest.number("the version");
  const parameters = rest.enter("the algorithm");
  const kind = parameters.oid("the key type");
  const key = rest.octets("the key");
  const type =
    kind === keyOid.ec
      ? "ec"
      : kind === keyOid.rsa
        ? "rsa"
        : kind === keyOid.ed25519
          ? "ed25519"
          : undefined;
  if (!type) throw new CaError("bad_key", `private key: unsupported type ${kind}`);
  return { version, type, parameters, key, rest };
}

/** The kind of a PKCS#8 key. */
export const privateKeyType = (pkcs8: Uint8Array): PrivateKeyType => openPkcs8(pkcs8).type;

/**
 * The key in the form its kind had before PKCS#8: RSAPrivateKey (RFC 8017), ECPrivateKey with its
 * curve (RFC 5915); Ed25519 stays PKCS#8. DER.
 */
export function traditionalDer(pkcs8: Uint8Array): Uint8Array {
  return traditional(pkcs8).der;
}

/**
 * `traditionalDer` as PEM: `RSA PRIVATE KEY`, `EC PRIVATE KEY` or `PRIVATE KEY`, without a newline
 * at its end.
 */
export function traditionalPem(pkcs8: Uint8Array): string {
  const { label, der } = traditional(pkcs8);
  return encodePem(label, der);
}

function traditional(pkcs8: Uint8Array): { readonly label: string; readonly der: Uint8Array } {
  const { type, parameters, key } = openPkcs8(pkcs8);
  if (type === "ed25519") return { label: "PRIVATE KEY", der: pkcs8 };
  if (type === "rsa") return { label: "RSA PRIVATE KEY", der: key };
  const curve = parameters.raw("the curve", 0x06);
  const inner = readDer(key, "EC private key").enter("ECPrivateKey");
  const [version, scalar] = [inner.raw("the version"), inner.raw("the key", 0x04)];
  // Inside PKCS#8 the curve stands only outside; alone, OpenSSL and Go look for it here.
  inner.optional("the curve", 0xa0);
  const point = inner.tag === 0xa1 ? [inner.raw("the public key")] : [];
  return { label: "EC PRIVATE KEY", der: sequence(version, scalar, explicit(0, curve), ...point) };
}
