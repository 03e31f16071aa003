import { algorithmOf, type KeyType, type KnownAlgorithm } from "../algorithms/table.ts";
import { equalBytes, type Bytes, toHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { memoize } from "../base/memo.ts";
import { sha1 } from "../base/sha1.ts";
import { bigintOf } from "../algorithms/form.ts";
import { CaError } from "../base/errors.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";

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

/** Length of the longest modulus that is accepted, bits. */
const maxBits = 8192;
/**
 * Returns the number of squarings between two turns of the event loop: at most about 10 ms. The
 * time of one grows with the square of the length.
 */
const squaringsPerTurn = (bits: number): number => Math.min(512, Math.floor(2 ** 33 / bits ** 2));

/** Keys that this process generated: products of two primes. */
const generated = new WeakSet<Uint8Array>();
/** Marks a public key (SPKI) that this process has just generated, which needs no test. */
export const trustGenerated = (spki: Uint8Array): void => void generated.add(spki);

/** Verdicts by the SHA-256 of the modulus: the same modulus with another exponent costs nothing. */
const verdicts = new Map<string, boolean>();
const maxVerdicts = 1000;

/**
 * Refuses (`bad_key`) an RSA key whose modulus is a prime: its private key follows from its public
 * key. Other keys pass. Call it last, before a certificate is signed: for a key that it has not
 * seen recently, it takes up to 70 ms of processor time (4096 bits) or 0.3 s (8192 bits).
 */
export async function refusePrimeModulus({
  type,
  bits,
  spki,
  keyBits,
}: Pick<PublicKey, "type" | "bits" | "spki" | "keyBits">): Promise<void> {
  if (type !== "rsa" || bits > maxBits || generated.has(spki)) return;
  const modulus = modulusOf(keyBits);
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(modulus));
  const id = toHex(new Uint8Array(digest));
  const isPrime =
    verdicts.get(id) ?? (await isProbablePrime(bigintOf(modulus), squaringsPerTurn(bits)));
  // entered again as the newest
  verdicts.delete(id);
  verdicts.set(id, isPrime);
  for (const oldest of verdicts.keys()) if (verdicts.size > maxVerdicts) verdicts.delete(oldest);
  if (isPrime) throw new CaError("bad_key", "RSA key: the modulus is a prime");
}

function modulusOf(keyBits: Uint8Array): Uint8Array {
  return readDer(keyBits, "RSA public key").enter("RSAPublicKey").unsigned("the modulus");
}

/**
 * Applies the test of Fermat to base 2, which every prime passes. A composite number passes it only
 * if it was constructed to do so.
 */
async function isProbablePrime(n: bigint, perTurn: number): Promise<boolean> {
  let power = 1n;
  let squarings = 0;
  for (const bit of (n - 1n).toString(2)) {
    power = (power * power) % n;
    if (bit === "1") power <<= 1n;
    if (++squarings % perTurn === 0) await yieldToEventLoop();
  }
  return power % n === 1n;
}
