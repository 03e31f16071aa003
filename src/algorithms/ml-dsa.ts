import { asBytes, equalBytes, fromBase64Url, type Bytes } from "../base/bytes.ts";
import { absentPart, octets, oid, readDer, sequence } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { RandomBytes } from "../base/random-text.ts";
import type {
  ExplicitOnly,
  KeyAlgorithm,
  KeyPair,
  OwnSigning,
  ReadKey,
  SignatureScheme,
} from "./algorithm.ts";
import { pkcs8Of, spkiOf } from "./form.ts";

/** A parameter set of ML-DSA (FIPS 204 section 4). Lengths are in bytes. */
export interface MlDsaParameters {
  readonly name: "ML-DSA-44" | "ML-DSA-65" | "ML-DSA-87";
  /** Number of rows (k) and columns (l) of the matrix A. */
  readonly k: number;
  readonly l: number;
  /** Maximum absolute value of secret coefficients. */
  readonly eta: 2 | 4;
  readonly publicKey: number;
  readonly expandedKey: number;
  readonly signature: number;
}

const seedLength = 32;
const arithmetic = () => import("./ml-dsa-arithmetic.ts");
const keyIdentifiers = {
  "ML-DSA-44": { oid: "2.16.840.1.101.3.4.3.17", parameters: absentPart },
  "ML-DSA-65": { oid: "2.16.840.1.101.3.4.3.18", parameters: absentPart },
  "ML-DSA-87": { oid: "2.16.840.1.101.3.4.3.19", parameters: absentPart },
} as const;
const identified = ({ name }: MlDsaParameters) => ({ identifier: keyIdentifiers[name] });

/** The seed of a private key, or the expanded key if the seed is unknown. */
type Secret = { readonly seed: Uint8Array } | { readonly expanded: Uint8Array };

/**
 * Encodes a private key for PKCS#8 (RFC 9881 section 6): the seed if it is known, and the expanded
 * key otherwise.
 */
const encodeSecret = (secret: Secret): Bytes =>
  "seed" in secret ? octets(secret.seed, 0x80) : octets(secret.expanded);

/**
 * Parses an ML-DSA-PrivateKey, whose tag selects `seed`, `expandedKey` or `both` (RFC 9881 section
 * 6). In the result, `both` is the expanded key that accompanied the seed; it has not been checked.
 */
function parseSecret(
  key: Uint8Array,
  { name, expandedKey }: MlDsaParameters,
): { readonly secret: Secret; readonly both?: Uint8Array } {
  const what = `${name} private key`;
  const reader = readDer(key, what);
  const sized = (bytes: Uint8Array, length: number): Uint8Array => {
    if (bytes.length === length) return bytes;
    throw new CaError("bad_key", `${what}: expected ${length} bytes, got ${bytes.length}`);
  };
  if (reader.tag !== 0x30) {
    const secret =
      reader.tag === 0x80
        ? { seed: sized(reader.octets("the seed", 0x80), seedLength) }
        : { expanded: sized(reader.octets("the expanded key"), expandedKey) };
    reader.end();
    return { secret };
  }
  const parts = reader.enter("both");
  reader.end();
  const seed = sized(parts.octets("the seed"), seedLength);
  const both = sized(parts.octets("the expanded key"), expandedKey);
  parts.end();
  return { secret: { seed }, both };
}

/** Imports a seed into WebCrypto. */
async function importSeed(
  parameters: MlDsaParameters,
  seed: Uint8Array,
  extractable: boolean,
): Promise<CryptoKey> {
  const { name } = parameters;
  const pkcs8 = pkcs8Of(identified(parameters), encodeSecret({ seed }));
  try {
    return await crypto.subtle.importKey("pkcs8", pkcs8, { name }, extractable, ["sign"]);
  } finally {
    pkcs8.fill(0);
  }
}

/**
 * Computes the public key for a seed with WebCrypto. Returns undefined if the exported JWK does not
 * contain it.
 */
async function platformPublicKey(
  parameters: MlDsaParameters,
  seed: Uint8Array,
): Promise<Bytes | undefined> {
  const jwk: object = await crypto.subtle.exportKey(
    "jwk",
    await importSeed(parameters, seed, true),
  );
  return "pub" in jwk && typeof jwk.pub === "string" ? fromBase64Url(jwk.pub) : undefined;
}

const supported = new Map<string, Promise<boolean>>();
/**
 * Reports whether the platform's WebCrypto supports a parameter set, which is tested once by
 * computing a key.
 */
function isOnPlatform(parameters: MlDsaParameters): Promise<boolean> {
  const { name, publicKey } = parameters;
  const cached = supported.get(name);
  if (cached) return cached;
  const isSupported = platformPublicKey(parameters, new Uint8Array(seedLength)).then(
    (key) => key?.length === publicKey,
    // the error for an unknown algorithm differs between platforms
    () => false,
  );
  supported.set(name, isSupported);
  return isSupported;
}

/**
 * Computes the public key from a private key. Rejects with `CaError` `bad_key` if the private key
 * is inconsistent.
 */
async function publicKeyOf(parameters: MlDsaParameters, secret: Secret): Promise<Uint8Array> {
  if ("seed" in secret && (await isOnPlatform(parameters))) {
    const key = await platformPublicKey(parameters, secret.seed);
    if (key) return key;
  }
  const { expandSeed, publicKeyOfExpanded } = await arithmetic();
  if ("seed" in secret) return expandSeed(parameters, secret.seed).publicKey;
  const key = publicKeyOfExpanded(parameters, secret.expanded);
  if (!key)
    throw new CaError(
      "bad_key",
      `the parts of the ${parameters.name} private key are inconsistent`,
    );
  return key;
}

/** Parses a private key. If it contains both a seed and an expanded key, checks that they match. */
async function read(parameters: MlDsaParameters, key: Uint8Array): Promise<ReadKey> {
  const { secret, both } = parseSecret(key, parameters);
  if (both && "seed" in secret) {
    const { expandSeed } = await arithmetic();
    if (!equalBytes(expandSeed(parameters, secret.seed).secretKey, both))
      throw new CaError(
        "bad_key",
        `${parameters.name} private key: the seed and the expanded key do not match`,
      );
  }
  return { key: encodeSecret(secret), keyBits: await publicKeyOf(parameters, secret) };
}

/** Signs and verifies with WebCrypto if it supports ML-DSA, and otherwise with a package. */
const signing = (parameters: MlDsaParameters): OwnSigning => ({
  platform: false,
  webCrypto: { name: parameters.name },
  async publicBits(key) {
    try {
      return await publicKeyOf(parameters, parseSecret(key, parameters).secret);
    } catch (error) {
      if (error instanceof CaError) return undefined;
      throw error;
    }
  },
  /** Uses the hedged variant of ML-DSA, which resists weak randomness and fault attacks. */
  async sign(key, { data, random }) {
    const { name } = parameters;
    const { secret } = parseSecret(key, parameters);
    if ("seed" in secret && (await isOnPlatform(parameters))) {
      const imported = await importSeed(parameters, secret.seed, false);
      return new Uint8Array(await crypto.subtle.sign({ name }, imported, asBytes(data)));
    }
    const { expandSeed, signExpanded } = await arithmetic();
    if ("expanded" in secret) return signExpanded(parameters, secret.expanded, data, random);
    const { secretKey } = expandSeed(parameters, secret.seed);
    const signature = signExpanded(parameters, secretKey, data, random);
    secretKey.fill(0);
    return signature;
  },
  async verify(keyBits, { data, signature }) {
    const { name } = parameters;
    if (keyBits.length !== parameters.publicKey || signature.length !== parameters.signature)
      return false;
    if (!(await isOnPlatform(parameters)))
      return (await arithmetic()).verifySignature(parameters, keyBits, data, signature);
    const spki = spkiOf(identified(parameters), keyBits);
    const key = await crypto.subtle.importKey("spki", spki, { name }, false, ["verify"]);
    return crypto.subtle.verify({ name }, key, asBytes(signature), asBytes(data));
  },
});

async function generate(parameters: MlDsaParameters, random: RandomBytes): Promise<KeyPair> {
  const seed = random(seedLength);
  if (seed.length !== seedLength)
    throw new TypeError(`the random source returned ${seed.length} bytes instead of ${seedLength}`);
  const keyBits = await publicKeyOf(parameters, { seed });
  const own = identified(parameters);
  const pkcs8 = pkcs8Of(own, encodeSecret({ seed }));
  seed.fill(0);
  return { pkcs8, spki: spkiOf(own, keyBits), keyBits };
}

/** Returns the algorithm for a parameter set. `tls` is the SignatureScheme for TLS 1.3. */
function mlDsa<Type extends string, Name extends MlDsaParameters["name"]>(
  type: Type,
  { tls, ...parameters }: MlDsaParameters & { readonly name: Name; readonly tls: number },
): KeyAlgorithm<Type, Name> & ExplicitOnly {
  const { name } = parameters;
  const scheme: SignatureScheme<Name> = {
    scheme: { name },
    name,
    // pure ML-DSA with an empty context; RFC 9881 section 8.3 excludes HashML-DSA
    der: [sequence(oid(keyIdentifiers[name].oid))],
    webCrypto: { name },
  };
  return {
    type,
    name,
    describe: () => name,
    ...identified(parameters),
    keyOctets: parameters.publicKey,
    sizes: [],
    explicitOnly: true,
    schemes: [scheme],
    choosesScheme: false,
    scheme: () => scheme.scheme,
    signing: signing(parameters),
    misuses: [
      {
        section: "RFC 9881 5",
        rule: "an ML-DSA key can only sign",
        isMisused: (usage) => /Encipherment|KeyAgreement|Only/.test(usage),
        forbidden: true,
      },
    ],
    tls: [{ id: tls, scheme: scheme.scheme, tls13Only: true }],
    bits(keyBits) {
      if (keyBits.length !== parameters.publicKey)
        throw new CaError(
          "bad_key",
          `${name} public key: expected ${parameters.publicKey} bytes, got ${keyBits.length}`,
        );
      return 0;
    },
    // every key of the right length is valid
    check: () => undefined,
    generate: (_bits, random) => generate(parameters, random),
    read: (key) => read(parameters, key),
  };
}

/** ML-DSA-44 (FIPS 204, RFC 9881). */
export const mlDsa44 = mlDsa("ml-dsa-44", {
  name: "ML-DSA-44",
  k: 4,
  l: 4,
  eta: 2,
  publicKey: 1312,
  expandedKey: 2560,
  signature: 2420,
  tls: 0x0904,
});

/** ML-DSA-65 (FIPS 204, RFC 9881). */
export const mlDsa65 = mlDsa("ml-dsa-65", {
  name: "ML-DSA-65",
  k: 6,
  l: 5,
  eta: 4,
  publicKey: 1952,
  expandedKey: 4032,
  signature: 3309,
  tls: 0x0905,
});

/** ML-DSA-87 (FIPS 204, RFC 9881). */
export const mlDsa87 = mlDsa("ml-dsa-87", {
  name: "ML-DSA-87",
  k: 8,
  l: 7,
  eta: 2,
  publicKey: 2592,
  expandedKey: 4896,
  signature: 4627,
  tls: 0x0906,
});
