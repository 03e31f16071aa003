import { offeredAlgorithms } from "../algorithms/offered-algorithms.ts";
import type { KnownAlgorithm, Scheme } from "../algorithms/table.ts";
import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { memoize } from "../base/memo.ts";
import { importVerifyKey, webCryptoParameters, type PublicKey } from "../x509/public-key.ts";

/**
 * The accepted values of `alg`, as problem documents list them. Neither `none` nor MACs are among
 * them, so that a public key is never used as a shared secret (security row 20).
 */
export const jwsAlgorithms: readonly string[] = [
  ...new Set(offeredAlgorithms.flatMap(({ jose }) => jose?.signatures.map(({ alg }) => alg) ?? [])),
];

/** Reports whether a value is an accepted value of `alg`. */
export const isJwsAlgorithm = (alg: unknown): alg is string =>
  typeof alg === "string" && jwsAlgorithms.includes(alg);

const refused = (why: string): CaError => new CaError("bad_signature_algorithm", why);

/**
 * Validates the `alg` of a header before any key is read (security row 20). Throws CaError
 * `bad_signature_algorithm`.
 */
export function parseAlgorithm(alg: unknown): string {
  if (isJwsAlgorithm(alg)) return alg;
  throw refused(`unsupported alg; use ${jwsAlgorithms.join(", ")}`);
}

/**
 * Returns the signature scheme of `alg` for keys of an algorithm, or undefined if they do not match
 * (RFC 7518 section 3.4).
 */
export const schemeOfAlg = (
  { jose }: Pick<KnownAlgorithm, "jose">,
  alg: string,
): Scheme | undefined => jose?.signatures.find((one) => one.alg === alg)?.scheme;

/** Signed bytes, and their JWS signature, which is the concatenation of r and s for ECDSA. */
export interface SignedInput {
  /** One of {@link jwsAlgorithms}. */
  readonly alg: string;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}

/** Verifies a signature with an imported key. */
export const verifyJws = (
  key: CryptoKey,
  scheme: Scheme,
  { data, signature }: Omit<SignedInput, "alg">,
): Promise<boolean> =>
  crypto.subtle.verify(webCryptoParameters(scheme), key, asBytes(signature), asBytes(data));

/**
 * Returns the cache of imported keys by `alg` for a key object. Keys are cached because importing a
 * key takes as long as a signature operation.
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
 * Reports whether a signature was made with a key. Throws CaError `bad_signature_algorithm` if
 * `alg` does not match the key.
 */
export async function isSignedBy(key: PublicKey, signed: SignedInput): Promise<boolean> {
  const { alg } = signed;
  const scheme = schemeOfAlg(key.algorithm, alg);
  if (!scheme)
    throw refused(
      `alg ${alg} cannot be used with a key of type ${key.algorithm.describe(key.bits)}`,
    );
  return verifyJws(await importedKey(key, alg, scheme), scheme, signed);
}
