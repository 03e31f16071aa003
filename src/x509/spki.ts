import { algorithmOf, type KeyType, type KnownAlgorithm } from "../algorithms/table.ts";
import { equalBytes, type Bytes } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { memoize } from "../base/memo.ts";
import { sha1 } from "../base/sha1.ts";

/** A public key taken apart. */
export interface PublicKey {
  readonly algorithm: KnownAlgorithm;
  readonly type: KeyType;
  /** Bits of the modulus or of the curve. */
  readonly bits: number;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /** Content of the BIT STRING: RSAPublicKey, an uncompressed point, or 32 bytes. */
  readonly keyBits: Uint8Array;
}

/**
 * Takes a SubjectPublicKeyInfo apart, strictly. Whether the key is any good is for
 * `checkPublicKey`. Throws `CaError`: `malformed` when it is not DER, `bad_key` when its kind is
 * not supported. Kept with the bytes: several steps of one request ask for its key.
 */
export const parsePublicKey: (spki: Uint8Array) => PublicKey = memoize(parse);

function parse(spki: Uint8Array): PublicKey {
  const outer = readDer(spki, "public key").enter("SubjectPublicKeyInfo");
  const identifier = outer.raw("the algorithm", 0x30);
  const keyBits = outer.wholeBits("the key");
  outer.end();
  const algorithm = algorithmOf(identifier, "public key");
  return { algorithm, type: algorithm.type, bits: algorithm.bits(keyBits), spki, keyBits };
}

const sound = new WeakSet<PublicKey>();
/**
 * Refuses keys that are weak or not valid: sizes and exponent of RSA, known-weak RSA, EC points off
 * their curve, Ed25519 points of small order. Throws `CaError` `bad_key`.
 */
export function checkPublicKey(key: PublicKey): void {
  if (sound.has(key)) return;
  key.algorithm.check(key.keyBits);
  sound.add(key);
}

/**
 * Subject key identifier: SHA-1 over the content of the key's BIT STRING (RFC 5280 section 4.2.1.2,
 * method 1).
 */
export async function keyIdentifier(spki: Uint8Array): Promise<Bytes> {
  const outer = readDer(spki, "public key").enter("SubjectPublicKeyInfo");
  outer.raw("the algorithm", 0x30);
  const keyBits = outer.wholeBits("the key");
  outer.end();
  return sha1(keyBits);
}

/** One key, however its kind is spelled. */
export const isSameKey = (one: PublicKey, other: PublicKey): boolean =>
  one.type === other.type && equalBytes(one.keyBits, other.keyBits);
