import type { Scheme } from "../algorithms/table.ts";
import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { memoize } from "../base/memo.ts";
import { importVerifyKey, schemeFits, webCryptoParameters } from "../x509/algorithm.ts";
import type { PublicKey } from "../x509/spki.ts";

/** What an `alg` stands for; `on`: the one curve it goes with (RFC 7518 section 3.4). */
interface Algorithm {
  readonly scheme: Scheme;
  readonly on?: string;
}
const ed25519: Algorithm = { scheme: { name: "Ed25519" } };
/** By their names in JWS (RFC 7518 section 3.1, RFC 8037, RFC 9864). */
const algorithms: Readonly<Record<string, Algorithm>> = {
  ES256: { scheme: { name: "ECDSA", hash: "SHA-256" }, on: "P-256" },
  ES384: { scheme: { name: "ECDSA", hash: "SHA-384" }, on: "P-384" },
  ES512: { scheme: { name: "ECDSA", hash: "SHA-512" }, on: "P-521" },
  EdDSA: ed25519,
  Ed25519: ed25519,
  RS256: { scheme: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } },
  RS384: { scheme: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-384" } },
  RS512: { scheme: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512" } },
  PS256: { scheme: { name: "RSA-PSS", hash: "SHA-256" } },
  PS384: { scheme: { name: "RSA-PSS", hash: "SHA-384" } },
  PS512: { scheme: { name: "RSA-PSS", hash: "SHA-512" } },
};
/** Every `alg` that is taken, as problem documents list them. */
export const jwsAlgorithms: readonly string[] = Object.keys(algorithms);

const refused = (why: string): CaError => new CaError("bad_signature_algorithm", why);

/**
 * The algorithm of a header. `none`, keyed hashes and all else that is not listed is refused before
 * any key is looked at (security row 20). Throws CaError `bad_signature_algorithm`.
 */
export function demandAlgorithm(alg: unknown): string {
  if (typeof alg === "string" && Object.hasOwn(algorithms, alg)) return alg;
  throw refused(`unsupported alg: use ${jwsAlgorithms.join(", ")}`);
}

/**
 * A key as WebCrypto holds it, by `alg`, for as long as the key itself is held: taking it in costs
 * as much as a signature.
 */
const heldOf = memoize((_key: PublicKey) => new Map<string, CryptoKey>());
async function verifyKeyOf(key: PublicKey, alg: string, scheme: Scheme): Promise<CryptoKey> {
  const held = heldOf(key);
  const known = held.get(alg);
  if (known) return known;
  const taken = await importVerifyKey(key.spki, scheme);
  held.set(alg, taken);
  return taken;
}

/** A signature over some bytes, as JWS has it: of ECDSA r and s joined. */
export interface Signed {
  /** One that {@link demandAlgorithm} has taken. */
  readonly alg: string;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Whether a key has signed. Throws CaError `bad_signature_algorithm` where `alg` does not fit the
 * key.
 */
export async function isSignedBy(
  key: PublicKey,
  { alg, data, signature }: Signed,
): Promise<boolean> {
  const { scheme, on } = algorithms[alg] ?? {};
  if (!scheme || !schemeFits(scheme, key) || (on !== undefined && key.algorithm.name !== on))
    throw refused(`alg ${alg} does not fit a key of ${key.algorithm.words(key.bits)}`);
  return await crypto.subtle.verify(
    webCryptoParameters(scheme),
    await verifyKeyOf(key, alg, scheme),
    asBytes(signature),
    asBytes(data),
  );
}
