import { decodePem } from "../../base/pem.ts";
import { CaError } from "../../base/errors.ts";
import {
  algorithmOfJwk,
  importJwk,
  isJoseKeyType,
  verifyKeyFault,
  type JsonMembers,
} from "../../jose/jwk.ts";
import { isJwsAlgorithm, schemeOfAlg } from "../../jose/signature.ts";
import { NetError } from "../../net/failure.ts";
import { readJson } from "../../base/json-members.ts";
import {
  importVerifyKey,
  checkPublicKey,
  parsePublicKey,
  type PublicKey,
} from "../../x509/public-key.ts";
import { certificateKey } from "../../x509/certificate.ts";

/** A public key that verifies JWT signatures. */
export interface VerifyKey {
  /** The algorithm of the key. Absent if its curve is not supported. */
  readonly algorithm?: PublicKey["algorithm"];
  /** The key ID, if any. */
  readonly kid?: string;
  /**
   * The only JWT algorithm with which the key may be used. Absent if any suitable algorithm is
   * allowed.
   */
  readonly alg?: string;
  /** Imports the key for a JWT algorithm, at most once per algorithm. */
  load(alg: string): Promise<CryptoKey>;
}

/** Reports whether a key can verify signatures with a JWT algorithm. */
export const supportsAlg = ({ algorithm, alg: own }: VerifyKey, alg: string): boolean =>
  algorithm !== undefined &&
  schemeOfAlg(algorithm, alg) !== undefined &&
  (own === undefined || own === alg);

/** Caches the imported key of each algorithm. */
function once(load: (alg: string) => Promise<CryptoKey>): VerifyKey["load"] {
  const imported = new Map<string, CryptoKey>();
  // caches the key and not the promise, because on Workers the promise of a cancelled request never
  // settles
  return async (alg) => {
    const cached = imported.get(alg);
    if (cached) return cached;
    const key = await load(alg);
    imported.set(alg, key);
    return key;
  };
}

/**
 * Parses a public key in PEM: a SubjectPublicKeyInfo, or a certificate, of which only the key is
 * used. Throws CaError `malformed` for any other string, and `bad_key` for a key that is weak or
 * that no JWT algorithm uses.
 */
export function keyOfPem(text: string): VerifyKey {
  const [block, ...more] = decodePem(text);
  if (!block || more.length > 0)
    throw new CaError(
      "malformed",
      "each key must be exactly one PEM block of type PUBLIC KEY or CERTIFICATE",
    );
  if (block.label !== "PUBLIC KEY" && block.label !== "CERTIFICATE")
    throw new CaError(
      "malformed",
      "each key must be a PEM block of type PUBLIC KEY or CERTIFICATE",
    );
  const spki = block.label === "CERTIFICATE" ? certificateKey(block.der) : block.der;
  const key = parsePublicKey(spki);
  checkPublicKey(key);
  const { algorithm } = key;
  if (!algorithm.jose) throw new CaError("bad_key", `no JWT algorithm uses ${algorithm.name} keys`);
  const load = once(async (alg) => {
    const scheme = schemeOfAlg(algorithm, alg);
    if (!scheme)
      throw new CaError(
        "bad_key",
        `${algorithm.name} keys cannot be used with the algorithm ${alg}`,
      );
    return importVerifyKey(spki, scheme);
  });
  return { algorithm, load };
}

/** Maximum number of keys in a set; further keys are ignored. */
const maxKeys = 100;
/**
 * Returns the verification keys of a JWK Set (RFC 7517 section 5). Ignores shared secrets, private
 * keys and keys for other uses. Throws `NetError` if no key is left.
 */
export function keysOfSet(bytes: Uint8Array): readonly VerifyKey[] {
  const { keys } = documentOf(bytes);
  const parsed = Array.isArray(keys) ? keys.slice(0, maxKeys).flatMap(keyOfJwk) : [];
  if (parsed.length === 0)
    throw new NetError("response", "the response has no public key for verifying signatures");
  return parsed;
}
/**
 * Parses a JSON object from another server. Throws `NetError` if the bytes are not a JSON object.
 */
export function documentOf(bytes: Uint8Array): JsonMembers {
  try {
    return readJson(bytes, null);
  } catch (error) {
    if (error instanceof CaError)
      throw new NetError("response", "the response is not a JSON object");
    throw error;
  }
}

function keyOfJwk(value: unknown): readonly VerifyKey[] {
  if (typeof value !== "object" || value === null) return [];
  const from: JsonMembers = { ...value };
  const { kty, kid, alg } = from;
  if (verifyKeyFault(from) !== undefined || !isJoseKeyType(kty)) return [];
  if (alg !== undefined && !isJwsAlgorithm(alg)) return [];
  const algorithm = algorithmOfJwk(from);
  return [
    {
      ...(algorithm ? { algorithm } : {}),
      ...(typeof kid === "string" ? { kid } : {}),
      ...(alg === undefined ? {} : { alg }),
      load: once((alg) => importJwk(from, alg)),
    },
  ];
}
