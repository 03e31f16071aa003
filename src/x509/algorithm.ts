import { signatureSchemes, type KnownScheme, type Scheme } from "../algorithms/table.ts";
import { asBytes, toHex, type Bytes } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { parsePublicKey, type PublicKey } from "./public-key.ts";

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

function entryOf(scheme: Scheme): KnownScheme {
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
export const schemeFromName = (text: string): Scheme | undefined =>
  byName.get(text.trim().toLowerCase())?.scheme;

/** Tells whether a key can sign under a scheme. */
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

/** What WebCrypto's sign and verify take for a scheme. */
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
