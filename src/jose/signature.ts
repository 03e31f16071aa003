import { offeredAlgorithms } from "../algorithms/offered-algorithms.ts";
import type { KnownAlgorithm, Scheme } from "../algorithms/table.ts";
import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { memoize } from "../base/memo.ts";
import { importVerifyKey, webCryptoParameters, type PublicKey } from "../x509/public-key.ts";

/**
 * The accepted `alg` values, as listed in problem documents. Without `none` and MACs, so that a
 * public key is never used as a shared secret (security row 20).
 */
export const jwsAlgorithms: readonly string[] = [
  ...new Set(offeredAlgorithms.flatMap(({ jose }) => jose?.signatures.map(({ alg }) => alg) ?? [])),
];

/** Reports whether a value is an accepted `alg`. */
export const isJwsAlgorithm = (alg: unknown): alg is string =>
  typeof alg === "string" && jwsAlgorithms.includes(alg);

const refused = (why: string): CaError => new CaError("bad_signature_algorithm", why);

/**
 * Returns the `alg` of a header. Rejects unaccepted ones before any key is read (security row 20).
 * Throws CaError `bad_signature_algorithm`.
 */
export function parseAlgorithm(alg: unknown): string {
  if (isJwsAlgorithm(alg)) return alg;
  throw refused(`unsupported alg: use ${jwsAlgorithms.join(", ")}`);
}

/**
 * Returns the scheme of `alg` under keys of an algorithm; undefined if they do not match (RFC 7518
 * section 3.4).
 */
export const schemeOfAlg = (
  { jose }: Pick<KnownAlgorithm, "jose">,
  alg: string,
): Scheme | undefined => jose?.signatures.find((one) => one.alg === alg)?.scheme;

/** Signed bytes with their JWS signature; for ECDSA r and s joined. */
export interface SignedInput {
  /** One of {@link jwsAlgorithms}. */
  readonly alg: string;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}

/** Verifies a signature with an imported key under a scheme. */
export const verifyJws = (
  key: CryptoKey,
  scheme: Scheme,
  { data, signature }: Omit<SignedInput, "alg">,
): Promise<boolean> =>
  crypto.subtle.verify(webCryptoParameters(scheme), key, asBytes(signature), asBytes(data));

/**
 * Imported keys by `alg`, cached as long as the key object lives: an import costs as much as a
 * signature.
 */
const imported = memoize((_key: PublicKey) => new Map<string, CryptoKey>());
async function importedKey(key: PublicKey, alg: string, scheme: Scheme): Promise<CryptoKey> {
  const cache = imported(key);
  const cached = cache.get(alg);
  if (cached) return cached;
  const fresh = await importVerifyKey(key.spki, scheme);
  cache.set(alg, fresh);
  return fresh;
}

/**
 * Verifies the signature of a key. Throws CaError `bad_signature_algorithm` if `alg` does not match
 * the key.
 */
export async function isSignedBy(key: PublicKey, signed: SignedInput): Promise<boolean> {
  const { alg } = signed;
  const scheme = schemeOfAlg(key.algorithm, alg);
  if (!scheme)
    throw refused(`alg ${alg} does not fit a key of ${key.algorithm.describe(key.bits)}`);
  return verifyJws(await importedKey(key, alg, scheme), scheme, signed);
}
