import type { KeyPair } from "../algorithms/algorithm.ts";
import {
  algorithmOf,
  type KeyType,
  type KnownAlgorithm,
  signatureSchemes,
  type KnownScheme,
  type Scheme,
} from "../algorithms/table.ts";
import { equalBytes, type Bytes, toHex, asBytes } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { sha1 } from "../base/hashes.ts";
import { bigintOf } from "../algorithms/form.ts";
import { CaError } from "../base/errors.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";

/** A parsed public key. */
export interface PublicKey {
  readonly algorithm: KnownAlgorithm;
  readonly type: KeyType;
  /** Size of the modulus or the curve, in bits. */
  readonly bits: number;
  /** DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** Content of the BIT STRING, such as an RSAPublicKey or an uncompressed EC point. */
  readonly keyBits: Uint8Array;
}

/**
 * Parses a SubjectPublicKeyInfo strictly. Does not check the key; see `checkPublicKey`. Throws
 * `CaError` `malformed` if it is not DER, and `bad_key` for an unsupported type. Caches the result
 * per byte array, because several steps of a request need the key.
 */
export function parsePublicKey(spki: Uint8Array): PublicKey {
  const cached = parsed.get(spki);
  if (cached) return cached;
  const key = parse(spki);
  parsed.set(spki, key);
  return key;
}
const parsed = new WeakMap<Uint8Array, PublicKey>();

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
 * Rejects weak and invalid keys: RSA keys with an unsuitable size or exponent or with known
 * weaknesses, EC points that are not on their curve, and Ed25519 points of small order. Throws
 * `CaError` `bad_key`.
 */
export function checkPublicKey(key: PublicKey): void {
  if (sound.has(key)) return;
  key.algorithm.check(key.keyBits);
  sound.add(key);
}

/**
 * Returns the subject key identifier: SHA-1 over the content of the key's BIT STRING (RFC 5280
 * section 4.2.1.2, method 1).
 */
export async function keyIdentifier(spki: Uint8Array): Promise<Bytes> {
  const outer = readDer(spki, "public key").enter("SubjectPublicKeyInfo");
  outer.raw("the algorithm", 0x30);
  const keyBits = outer.wholeBits("the key");
  outer.end();
  return sha1(keyBits);
}

/** Reports whether two keys are equal, even if their algorithms are encoded differently. */
export const isSameKey = (one: PublicKey, other: PublicKey): boolean =>
  one.type === other.type && equalBytes(one.keyBits, other.keyBits);

/** Maximum length of a modulus in bits. */
const maxBits = 8192;
/**
 * Returns the number of squarings between two yields to the event loop, which take at most about 10
 * ms. The time for one squaring grows with the square of the modulus length.
 */
const squaringsPerTurn = (bits: number): number => Math.min(512, Math.floor(2 ** 33 / bits ** 2));

/** RSA public keys that this process generated, whose moduli are products of two primes. */
const generated = new WeakSet<Uint8Array>();
/**
 * Marks a public key that this process has just generated, so that its modulus is not tested. If
 * `keyBits` is given, the key is not parsed or checked either.
 */
export function trustGenerated(
  algorithm: KnownAlgorithm,
  bits: number,
  { spki, keyBits }: Pick<KeyPair, "spki" | "keyBits">,
): void {
  generated.add(spki);
  if (!keyBits) return;
  const key = { algorithm, type: algorithm.type, bits, spki, keyBits };
  parsed.set(spki, key);
  sound.add(key);
}

/**
 * Results of primality tests, by the SHA-256 of the modulus, so that the same modulus with a
 * different exponent needs no second test.
 */
const verdicts = new Map<string, boolean>();
const maxVerdicts = 1000;

/**
 * Rejects with `bad_key` an RSA key whose modulus is a prime, because its private key follows from
 * the public key. Accepts all other keys. Call it last, just before signing: for a key that was not
 * seen recently, it takes up to 70 ms of CPU time (4096 bits) or 0.3 s (8192 bits).
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
  // reinserted as the newest entry
  verdicts.delete(id);
  verdicts.set(id, isPrime);
  for (const oldest of verdicts.keys()) if (verdicts.size > maxVerdicts) verdicts.delete(oldest);
  if (isPrime) throw new CaError("bad_key", "RSA key: the modulus is a prime");
}

function modulusOf(keyBits: Uint8Array): Uint8Array {
  return readDer(keyBits, "RSA public key").enter("RSAPublicKey").unsigned("the modulus");
}

/**
 * Applies the Fermat test to base 2, which every prime passes. A composite number passes it only if
 * it was constructed to do so.
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

const byScheme = new Map(
  signatureSchemes.map((entry) => [`${entry.scheme.name} ${entry.scheme.hash ?? ""}`, entry]),
);
const byDer = new Map(
  signatureSchemes.flatMap((entry) => entry.der.map((der) => [toHex(der), entry])),
);
const byName = new Map(
  signatureSchemes.flatMap((entry) =>
    [entry.name, ...(entry.alias ? [entry.alias] : [])].map((name) => [name.toLowerCase(), entry]),
  ),
);
/** Canonical names of all schemes. */
export const schemeNames: readonly string[] = signatureSchemes.map(({ name }) => name);

/** Names of algorithms that are recognized but not supported, for error messages. */
const refusedNames: ReadonlyMap<string, string> = new Map([
  ["1.2.840.113549.1.1.2", "MD2WithRSA"],
  ["1.2.840.113549.1.1.4", "MD5WithRSA"],
  ["1.2.840.113549.1.1.5", "SHA1WithRSA"],
  ["1.3.14.3.2.29", "SHA1WithRSA"],
  ["1.2.840.113549.1.1.14", "SHA224WithRSA"],
  ["1.2.840.113549.1.1.10", "RSAPSS"],
  ["1.2.840.10045.4.1", "ECDSAWithSHA1"],
  ["1.2.840.10045.4.3.1", "ECDSAWithSHA224"],
  ["1.2.840.10040.4.3", "DSAWithSHA1"],
  ["2.16.840.1.101.3.4.3.2", "DSAWithSHA256"],
  ["1.3.101.113", "Ed448"],
]);

const entries = new WeakMap<Scheme, KnownScheme>();
function entryOf(scheme: Scheme): KnownScheme {
  const cached = entries.get(scheme);
  if (cached) return cached;
  const entry = byScheme.get(`${scheme.name} ${scheme.hash ?? ""}`);
  if (!entry)
    throw new TypeError(`no signature scheme ${scheme.name} with ${scheme.hash ?? "no hash"}`);
  entries.set(scheme, entry);
  return entry;
}

/**
 * Encodes the AlgorithmIdentifier of a scheme: with NULL parameters for RSA, with a salt as long as
 * the hash for PSS, and without parameters for ECDSA and Ed25519.
 */
export const algorithmIdentifier = (scheme: Scheme): Bytes => entryOf(scheme).der[0];

/**
 * Returns the scheme of an AlgorithmIdentifier, or undefined for unknown algorithms, unsupported
 * parameters, SHA-1 and MD5.
 */
export const schemeOf = (algorithm: Uint8Array): Scheme | undefined =>
  byDer.get(toHex(algorithm))?.scheme;

/**
 * Returns the name of an AlgorithmIdentifier for messages, even if it is unsupported, or its object
 * identifier if it has no name.
 */
export function algorithmName(algorithm: Uint8Array): string {
  const match = byDer.get(toHex(algorithm));
  if (match) return match.name;
  const dotted = readDer(algorithm, "signature algorithm")
    .enter("AlgorithmIdentifier")
    .oid("the algorithm");
  return refusedNames.get(dotted) ?? dotted;
}

/**
 * Reports whether an AlgorithmIdentifier uses SHA-1, MD5 or MD2, which are recognized but never
 * trusted.
 */
export const isWeakAlgorithm = (algorithm: Uint8Array): boolean =>
  /^(MD|SHA1With|ECDSAWithSHA1$|DSAWithSHA1$)/.test(algorithmName(algorithm));

/**
 * Returns the canonical name of a scheme, such as `SHA256WithRSA`, `SHA256WithRSAPSS` or `Ed25519`.
 */
export const schemeName = (scheme: Scheme): string => entryOf(scheme).name;

/**
 * Returns the scheme with a canonical name, ignoring case; `PureEd25519` means Ed25519. Returns
 * undefined for other names.
 */
export const schemeFromName = (text: string): Scheme | undefined =>
  byName.get(text.trim().toLowerCase())?.scheme;

/** Reports whether a key can sign under a scheme. */
export const supportsScheme = (scheme: Scheme, key: PublicKey): boolean =>
  key.algorithm.schemes.includes(entryOf(scheme));

/**
 * Returns the scheme that a signing key uses. `signatureBits` (0, 256, 384 or 512; 0 means 256) and
 * `pss` only matter for RSA; each curve has its own hash. Throws `CaError` `invalid_field` for
 * other values of `signatureBits`.
 */
export const defaultScheme = (key: PublicKey, signatureBits = 0, pss = false): Scheme =>
  key.algorithm.scheme(signatureBits, pss);

/**
 * Imports a public key for verifying signatures under a scheme. Throws `CaError` `bad_key` if the
 * key and the scheme do not match, or if WebCrypto does not support the key.
 */
export async function importVerifyKey(spki: Uint8Array, scheme: Scheme): Promise<CryptoKey> {
  const key = parsePublicKey(spki);
  const { name, signing } = key.algorithm;
  if (!supportsScheme(scheme, key))
    throw new CaError(
      "bad_key",
      `a key of type ${key.type} cannot be used with the signature scheme ${schemeName(scheme)}`,
    );
  if (!signing.platform)
    throw new CaError("bad_key", `${name} keys cannot be imported into WebCrypto`);
  const parameters = signing.importedFor(scheme);
  return await crypto.subtle.importKey("spki", asBytes(spki), parameters, false, ["verify"]);
}

/** Returns the parameters of WebCrypto's sign and verify for a scheme. */
export const webCryptoParameters = (scheme: Scheme): KnownScheme["webCrypto"] =>
  entryOf(scheme).webCrypto;

async function verifyWithKey(
  { algorithm, spki, keyBits }: PublicKey,
  scheme: Scheme,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const { signing } = algorithm;
  if (!signing.platform) return await signing.verify(keyBits, { scheme, data, signature });
  const raw = signing.form?.read(signature) ?? signature;
  const key = await importVerifyKey(spki, scheme);
  return await crypto.subtle.verify(webCryptoParameters(scheme), key, asBytes(raw), asBytes(data));
}

/**
 * Verifies a signature as encoded in certificates, CSRs and CRLs. Returns false for unknown or weak
 * algorithms (SHA-1, MD5), a key of another type, and a malformed key or signature. Does not check
 * the key itself; see `checkPublicKey`.
 */
export async function verifySignature(
  spki: Uint8Array,
  algorithm: Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const scheme = schemeOf(algorithm);
  if (!scheme) return false;
  try {
    const key = parsePublicKey(spki);
    return supportsScheme(scheme, key) && (await verifyWithKey(key, scheme, data, signature));
  } catch (error) {
    // a malformed key throws `CaError`, and a key that the platform does not support throws a
    // DOMException; any other error is a bug
    if (error instanceof CaError || error instanceof DOMException) return false;
    throw error;
  }
}
