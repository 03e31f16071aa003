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
export function parsePublicKey(spki: Uint8Array): PublicKey {
  const known = parsed.get(spki);
  if (known) return known;
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
/**
 * Marks a public key that this process has just generated: it needs no test, nor is it parsed where
 * its parts are known.
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

/** Names for messages about what is recognised and not used. */
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
  const known = entries.get(scheme);
  if (known) return known;
  const entry = byScheme.get(`${scheme.name} ${scheme.hash ?? ""}`);
  if (!entry)
    throw new TypeError(`no signature scheme ${scheme.name} with ${scheme.hash ?? "no hash"}`);
  entries.set(scheme, entry);
  return entry;
}

/**
 * AlgorithmIdentifier of a scheme, DER: NULL parameters for RSA, none for ECDSA and Ed25519, PSS
 * with a salt as long as its hash.
 */
export const algorithmIdentifier = (scheme: Scheme): Bytes => entryOf(scheme).der[0];

/**
 * The scheme that an AlgorithmIdentifier names; undefined for unknown ones, other parameters, SHA-1
 * and MD5.
 */
export const schemeOf = (algorithm: Uint8Array): Scheme | undefined =>
  byDer.get(toHex(algorithm))?.scheme;

/**
 * Name of an AlgorithmIdentifier for messages, also of those that verify nothing here; the object
 * identifier when there is no name.
 */
export function algorithmName(algorithm: Uint8Array): string {
  const known = byDer.get(toHex(algorithm));
  if (known) return known.name;
  const dotted = readDer(algorithm, "signature algorithm")
    .enter("AlgorithmIdentifier")
    .oid("the algorithm");
  return refusedNames.get(dotted) ?? dotted;
}

/**
 * Reports whether an AlgorithmIdentifier signs with SHA-1 or MD5 (or MD2): recognised, never
 * trusted.
 */
export const isWeakAlgorithm = (algorithm: Uint8Array): boolean =>
  /^(MD|SHA1With|ECDSAWithSHA1$|DSAWithSHA1$)/.test(algorithmName(algorithm));

/**
 * Canonical name of a scheme: `SHA256WithRSA`, `SHA256WithRSAPSS`, `ECDSAWithSHA256`, `Ed25519`.
 */
export const schemeName = (scheme: Scheme): string => entryOf(scheme).name;

/** Scheme of a canonical name, any case; `PureEd25519` is Ed25519. Undefined for other names. */
export const schemeFromName = (text: string): Scheme | undefined =>
  byName.get(text.trim().toLowerCase())?.scheme;

/** Reports whether a key can sign under a scheme. */
export const schemeFits = (scheme: Scheme, key: PublicKey): boolean =>
  key.algorithm.schemes.includes(entryOf(scheme));

/**
 * The scheme a signing key uses. `signatureBits` (0, 256, 384, 512; 0 is 256) and `pss` matter for
 * RSA only; a curve has its own hash. Throws `CaError` `invalid_field` on other bits.
 */
export const defaultScheme = (key: PublicKey, signatureBits = 0, pss = false): Scheme =>
  key.algorithm.scheme(signatureBits, pss);

/**
 * Imports a public key for verifying under a scheme. Throws `CaError` `bad_key` when they do not
 * fit, or for one that WebCrypto lacks.
 */
export async function importVerifyKey(spki: Uint8Array, scheme: Scheme): Promise<CryptoKey> {
  const key = parsePublicKey(spki);
  const { name, signing } = key.algorithm;
  if (!schemeFits(scheme, key))
    throw new CaError("bad_key", `a key of type ${key.type} cannot verify ${schemeName(scheme)}`);
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
 * Verifies a signature as it stands in certificates, CSRs and CRLs. False whenever it cannot be
 * trusted: unknown or weak algorithms (SHA-1, MD5), a key of another type, a key or a signature
 * that is malformed. The key itself is not judged: see `checkPublicKey`.
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
    return schemeFits(scheme, key) && (await verifyWithKey(key, scheme, data, signature));
  } catch (error) {
    // A platform refuses keys it cannot hold with a DOMException; anything else is a defect and
    // must show.
    if (error instanceof CaError || error instanceof DOMException) return false;
    throw error;
  }
}
