import { algorithmOf, type KeyType, type KnownAlgorithm } from "../algorithms/table.ts";
import { readDer, type Reader } from "../base/der.ts";
import { encodePem } from "../base/pem.ts";

/** A PKCS#8 text opened as far as every kind has it in common. */
export interface OpenedPkcs8 {
  readonly version: number;
  readonly algorithm: KnownAlgorithm;
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
  const identifier = rest.raw("the algorithm", 0x30);
  const key = rest.octets("the key");
  return { version, algorithm: algorithmOf(identifier, "private key"), key, rest };
}

/** The kind of a PKCS#8 key. */
export const privateKeyType = (pkcs8: Uint8Array): KeyType => openPkcs8(pkcs8).algorithm.type;

/**
 * The key in the form its kind had before PKCS#8: RSAPrivateKey (RFC 8017), ECPrivateKey with its
 * curve (RFC 5915); a kind that had none stays PKCS#8. DER.
 */
export function traditionalDer(pkcs8: Uint8Array): Uint8Array {
  const { algorithm, key } = openPkcs8(pkcs8);
  return algorithm.older?.write(key) ?? pkcs8;
}

/**
 * `traditionalDer` as PEM: `RSA PRIVATE KEY`, `EC PRIVATE KEY` or `PRIVATE KEY`, without a newline
 * at its end.
 */
export function traditionalPem(pkcs8: Uint8Array): string {
  const { older } = openPkcs8(pkcs8).algorithm;
  return encodePem(older?.label ?? "PRIVATE KEY", traditionalDer(pkcs8));
}
