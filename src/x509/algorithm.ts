import { concat, asBytes, toHex, type Bytes } from "../base/bytes.ts";
import { explicit, integer, nullValue, oid, readDer, sequence } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { Scheme } from "../engine/ports.ts";
import { coordinateSize, verifyP224 } from "./curve.ts";
import { parsePublicKey, type PublicKey } from "./spki.ts";

/**
 * One way to sign, with all its spellings. Nothing outside this file takes an algorithm's name
 * apart.
 */
interface Entry {
  readonly scheme: Scheme;
  readonly key: PublicKey["type"];
  /** Canonical name, as in issuer records. */
  readonly name: string;
  /** AlgorithmIdentifier as we write it, then other forms that RFC 4055 lets others write. */
  readonly der: readonly [Bytes, ...Bytes[]];
}

const hashes = [
  ["SHA-256", "2.16.840.1.101.3.4.2.1", 11, 2],
  ["SHA-384", "2.16.840.1.101.3.4.2.2", 12, 3],
  ["SHA-512", "2.16.840.1.101.3.4.2.3", 13, 4],
] as const;

const digits = (hash: string): string => hash.slice(4);

/**
 * RSASSA-PSS-params: hash, MGF1 with the same hash, a salt as long as the hash (RFC 4055 section
 * 3.1).
 */
function pssIdentifier(
  hashOid: string,
  saltLength: number,
  hashNull: boolean,
  mgfNull: boolean,
): Bytes {
  const hash = (withNull: boolean): Bytes =>
    withNull ? sequence(oid(hashOid), nullValue) : sequence(oid(hashOid));
  const mask = sequence(oid("1.2.840.113549.1.1.8"), hash(mgfNull));
  return sequence(
    oid("1.2.840.113549.1.1.10"),
    sequence(explicit(0, hash(hashNull)), explicit(1, mask), explicit(2, integer(saltLength))),
  );
}

function pssForms(hash: string, hashOid: string): readonly [Bytes, ...Bytes[]] {
  const salt = Number(digits(hash)) / 8;
  const form = (hashNull: boolean, mgfNull: boolean): Bytes =>
    pssIdentifier(hashOid, salt, hashNull, mgfNull);
  return [form(true, true), form(true, false), form(false, true), form(false, false)];
}

const entries: readonly Entry[] = [
  ...hashes.flatMap(([hash, hashOid, rsaArc, ecArc]): readonly Entry[] => [
    {
      scheme: { name: "RSASSA-PKCS1-v1_5", hash },
      key: "rsa",
      name: `SHA${digits(hash)}WithRSA`,
      // the parameters may be absent, though they should not be (RFC 4055 section 5)
      der: [
        sequence(oid(`1.2.840.113549.1.1.${rsaArc}`), nullValue),
        sequence(oid(`1.2.840.113549.1.1.${rsaArc}`)),
      ],
    },
    {
      scheme: { name: "RSA-PSS", hash },
      key: "rsa",
      name: `SHA${digits(hash)}WithRSAPSS`,
      der: pssForms(hash, hashOid),
    },
    {
      scheme: { name: "ECDSA", hash },
      key: "ec",
      name: `ECDSAWithSHA${digits(hash)}`,
      der: [sequence(oid(`1.2.840.10045.4.3.${ecArc}`))],
    },
  ]),
  {
    scheme: { name: "Ed25519" },
    key: "ed25519",
    name: "Ed25519",
    der: [sequence(oid("1.3.101.112"))],
  },
];

const byScheme = new Map(
  entries.map((entry) => [`${entry.scheme.name} ${entry.scheme.hash ?? ""}`, entry]),
);
const byDer = new Map(entries.flatMap((entry) => entry.der.map((der) => [toHex(der), entry])));
const byName = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));

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

function entryOf(scheme: Scheme): Entry {
  const entry = byScheme.get(`${scheme.name} ${scheme.hash ?? ""}`);
  if (!entry)
    throw new TypeError(`no signature scheme ${scheme.name} with ${scheme.hash ?? "no hash"}`);
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
 * Tells whether an AlgorithmIdentifier signs with SHA-1 or MD5 (or MD2): recognised, never trusted.
 */
export const isWeakAlgorithm = (algorithm: Uint8Array): boolean =>
  /^(MD|SHA1With|ECDSAWithSHA1$|DSAWithSHA1$)/.test(algorithmName(algorithm));

/**
 * Canonical name of a scheme: `SHA256WithRSA`, `SHA256WithRSAPSS`, `ECDSAWithSHA256`, `Ed25519`.
 */
export const schemeName = (scheme: Scheme): string => entryOf(scheme).name;

/** Scheme of a canonical name, any case; `PureEd25519` is Ed25519. Undefined for other names. */
export function schemeFromName(text: string): Scheme | undefined {
  const name = text.trim().toLowerCase();
  return byName.get(name === "pureed25519" ? "ed25519" : name)?.scheme;
}

/** Tells whether a key can sign under a scheme. */
export const schemeFits = (scheme: Scheme, key: PublicKey): boolean =>
  entryOf(scheme).key === key.type;

const ecHash = {
  "P-224": "SHA-256",
  "P-256": "SHA-256",
  "P-384": "SHA-384",
  "P-521": "SHA-512",
} as const;

/**
 * The scheme a signing key uses. `signatureBits` (0, 256, 384, 512; 0 is 256) and `pss` matter for
 * RSA only; a curve has its own hash. Throws `CaError` `invalid_field` on other bits.
 */
export function defaultScheme(key: PublicKey, signatureBits = 0, pss = false): Scheme {
  if (key.type === "ed25519") return { name: "Ed25519" };
  if (key.type === "ec") return { name: "ECDSA", hash: ecHash[key.curve ?? "P-256"] };
  const hash = hashes.find(
    ([name]) => digits(name) === String(signatureBits === 0 ? 256 : signatureBits),
  )?.[0];
  if (!hash)
    throw new CaError("invalid_field", `unsupported hash signature algorithm: ${signatureBits}`);
  return { name: pss ? "RSA-PSS" : "RSASSA-PKCS1-v1_5", hash };
}

/**
 * Imports a public key for verifying under a scheme. Throws `CaError` `bad_key` when they do not
 * fit, or for P-224, which WebCrypto lacks.
 */
export async function importVerifyKey(spki: Uint8Array, scheme: Scheme): Promise<CryptoKey> {
  const key = parsePublicKey(spki);
  if (!schemeFits(scheme, key))
    throw new CaError("bad_key", `a key of type ${key.type} cannot verify ${schemeName(scheme)}`);
  if (key.curve === "P-224")
    throw new CaError("bad_key", "P-224 keys cannot be imported into WebCrypto");
  const parameters = key.curve
    ? { name: "ECDSA", namedCurve: key.curve }
    : { name: scheme.name, ...(scheme.hash && { hash: scheme.hash }) };
  return await crypto.subtle.importKey("spki", asBytes(spki), parameters, false, ["verify"]);
}

/** What WebCrypto's sign and verify take for a scheme. */
export function webCryptoParameters(scheme: Scheme): {
  name: string;
  hash?: string;
  saltLength?: number;
} {
  const { name, hash } = entryOf(scheme).scheme;
  if (name === "ECDSA" && hash) return { name, hash };
  return name === "RSA-PSS" && hash ? { name, saltLength: Number(digits(hash)) / 8 } : { name };
}

async function verifyWithKey(
  key: PublicKey,
  scheme: Scheme,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const raw = key.curve ? ecdsaToRaw(signature, coordinateSize(key.curve)) : signature;
  if (key.curve === "P-224") {
    const digest = await crypto.subtle.digest(scheme.hash ?? "SHA-256", asBytes(data));
    return verifyP224(key.keyBits, new Uint8Array(digest), raw);
  }
  const verifier = await importVerifyKey(key.spki, scheme);
  return await crypto.subtle.verify(
    webCryptoParameters(scheme),
    verifier,
    asBytes(raw),
    asBytes(data),
  );
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

/**
 * DER `Ecdsa-Sig-Value` of r and s joined at equal length (RFC 3279 section 2.2.3). Throws
 * `TypeError` on an odd length.
 */
export function ecdsaToDer(raw: Uint8Array): Bytes {
  const size = raw.length / 2;
  if (!Number.isInteger(size) || size === 0)
    throw new TypeError("r and s do not have the same length");
  return sequence(integer(raw.subarray(0, size)), integer(raw.subarray(size)));
}

/**
 * r and s at `size` bytes each of a DER `Ecdsa-Sig-Value`. Throws `CaError` `malformed` unless it
 * is the one DER form with both in range.
 */
export function ecdsaToRaw(der: Uint8Array, size: number): Bytes {
  const value = readDer(der, "ECDSA signature").enter("Ecdsa-Sig-Value");
  const halves = ["r", "s"].map((name) => {
    const signed = value.unsigned(name);
    const bytes = signed[0] === 0 ? signed.subarray(1) : signed;
    if (bytes.length === 0 || bytes.length > size) throw value.refuse(`${name} is out of range`);
    return concat([new Uint8Array(size - bytes.length), bytes]);
  });
  value.end();
  return concat(halves);
}
