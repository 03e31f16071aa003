import type { JoseNames, JwkMember } from "../algorithms/algorithm.ts";
import { spkiOf } from "../algorithms/form.ts";
import { offeredAlgorithms } from "../algorithms/offered-algorithms.ts";
import type { KnownAlgorithm } from "../algorithms/table.ts";
import { asBytes, fromBase64Url, toBase64Url, utf8 } from "../base/bytes.ts";
import { joinWithOr } from "../base/choice.ts";
import { CaError, recode } from "../base/errors.ts";
import { checkPublicKey, parsePublicKey, type PublicKey } from "../x509/public-key.ts";
import { schemeOfAlg } from "./signature.ts";

/**
 * A public key as a JWK with exactly the members that its key type requires, which RFC 7638 section
 * 3 hashes.
 */
export type Jwk = Readonly<Record<string, string>>;
/** Members of a JSON object. */
export type JsonMembers = Readonly<Record<string, unknown>>;
/** Reports whether a JSON value is an object. */
export const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A client's public key with its canonical JWK. */
export interface ClientKey {
  readonly jwk: Jwk;
  readonly key: PublicKey;
}

const refused = (why: string): CaError => new CaError("bad_public_key", `jwk: ${why}`);
/** A key algorithm with its JOSE names. */
interface JoseAlgorithm {
  readonly algorithm: KnownAlgorithm;
  readonly jose: JoseNames;
}
const joseAlgorithms: readonly JoseAlgorithm[] = offeredAlgorithms.flatMap((algorithm) =>
  algorithm.jose ? [{ algorithm, jose: algorithm.jose }] : [],
);
/** The `kty` values of all known algorithms, in the order of the algorithms. */
const keyTypes: readonly string[] = [...new Set(joseAlgorithms.map(({ jose }) => jose.named.kty))];

/** Reports whether a value is the `kty` of a known algorithm. */
export const isJoseKeyType = (kty: unknown): kty is string =>
  typeof kty === "string" && keyTypes.includes(kty);
const isNamed = ({ jose }: JoseAlgorithm, from: JsonMembers): boolean =>
  Object.entries(jose.named).every(([name, value]) => from[name] === value);
/** Returns the algorithm of a JWK (RFC 7518 section 6), or undefined if it is not known. */
export const algorithmOfJwk = (from: JsonMembers): KnownAlgorithm | undefined =>
  joseAlgorithms.find((one) => isNamed(one, from))?.algorithm;

/** Names of members that only private and symmetric keys have (RFC 7518 section 6). */
const secrets = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
/**
 * Returns the reason why a JWK is not a public key for verification according to its members (RFC
 * 7517 section 4), or undefined if it is.
 */
export function verifyKeyFault(jwk: JsonMembers): string | undefined {
  if (secrets.some((name) => Object.hasOwn(jwk, name)))
    return "it contains members of a private or symmetric key; send only the public key";
  const { use, key_ops: operations } = jwk;
  if (use !== undefined && use !== "sig") return "the key is not for signing";
  const verifies = Array.isArray(operations) && operations.includes("verify");
  return operations === undefined || verifies ? undefined : "the key is not for verifying";
}

/** Maximum length of a number in octets, which is the length of a modulus of 8192 bits. */
const maxNumber = 1024;
/** Decodes a member in canonical base64url: without padding, and with zeros as unused bits. */
function octetsOf(from: JsonMembers, { name, octets }: JwkMember): Uint8Array {
  const value = from[name];
  const max = octets ?? maxNumber;
  const bytes =
    typeof value === "string" && value.length <= 2 * max ? fromBase64Url(value) : undefined;
  if (!bytes || bytes.length === 0 || bytes.length > max)
    throw refused(`${name} must be base64url of at most ${max} octets without padding`);
  if (octets !== undefined && bytes.length !== octets)
    throw refused(`${name} must have ${octets} octets`);
  // if leading zeros were allowed, a key could have many thumbprints
  if (octets === undefined && bytes[0] === 0) throw refused(`${name} has leading zeros`);
  return bytes;
}

/** A parsed public key, and its canonical JWK. */
interface ParsedJwk {
  readonly spki: Uint8Array;
  readonly jwk: Jwk;
}
function parseKey(from: JsonMembers): ParsedJwk {
  const { algorithm, jose } = algorithmOf(from);
  const members = jose.members.map((member) => [member.name, octetsOf(from, member)] as const);
  return {
    spki: spkiOf(algorithm, jose.keyBits(members.map(([, octets]) => octets))),
    jwk: {
      ...jose.named,
      ...Object.fromEntries(members.map(([name, octets]) => [name, toBase64Url(octets)])),
    },
  };
}
function algorithmOf(from: JsonMembers): JoseAlgorithm {
  const algorithm = joseAlgorithms.find((one) => isNamed(one, from));
  if (algorithm) return algorithm;
  const alike = joseAlgorithms.filter(({ jose }) => jose.named.kty === from["kty"]);
  if (alike.length === 0) throw refused(`unsupported kty; use ${joinWithOr(keyTypes)}`);
  const names = alike.flatMap(({ jose: { named } }) =>
    Object.entries(named).flatMap(([name, value]) => (name === "kty" ? [] : [`${name} ${value}`])),
  );
  throw refused(`unsupported kind of ${String(from["kty"])} key; use ${joinWithOr(names)}`);
}

/**
 * Parses a public key from a JWK (RFC 7517; RFC 7518 section 6; RFC 8037). Throws CaError
 * `bad_public_key` for unknown kinds of keys, weak, invalid and private keys, keys that are not for
 * signatures, and encodings that are not canonical (security row 20).
 */
export function readJwk(value: unknown): ClientKey {
  if (!isMembers(value)) throw refused("expected a JSON object");
  const fault = verifyKeyFault(value);
  if (fault !== undefined) throw refused(fault);
  const { spki, jwk } = parseKey(value);
  return recode(
    "bad_public_key",
    () => {
      const key = parsePublicKey(spki);
      checkPublicKey(key);
      return { jwk, key };
    },
    "jwk: ",
  );
}

/**
 * Returns the JSON text that is hashed according to RFC 7638, with sorted members and without white
 * space.
 */
export const canonicalJwk = (jwk: Jwk): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(jwk).sort(([one], [other]) => (one < other ? -1 : 1))),
  );

/**
 * Public keys of accounts by canonical JWK. The size of the cache is limited, because anyone can
 * register accounts.
 */
const cache = new Map<string, PublicKey>();
const maxCached = 1000;
/**
 * Returns the public key of a stored JWK, which was validated before it was stored. For the same
 * JWK, returns the same object, because caches use the object as their key.
 */
export function keyOfJwk(jwk: Jwk): PublicKey {
  const name = canonicalJwk(jwk);
  const cached = cache.get(name);
  if (cached) return cached;
  const key = parsePublicKey(parseKey(jwk).spki);
  if (cache.size >= maxCached) cache.clear();
  cache.set(name, key);
  return key;
}

/** Returns the SHA-256 thumbprint of a key (RFC 7638) in base64url. */
export const thumbprintOf = async (jwk: Jwk): Promise<string> =>
  toBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(utf8(canonicalJwk(jwk))))),
  );

/**
 * Imports a JWK from a key set for use with one `alg`. Accepts more than {@link readJwk}, because
 * key sets come from other servers and need not be canonical. Rejects with CaError `bad_key` for a
 * weak or unsuitable key, and with the platform's error for an unsupported key.
 */
export async function importJwk(from: JsonMembers, alg: string): Promise<CryptoKey> {
  const { algorithm, jose } = algorithmOf(from);
  const { name, signing, minSize = 0 } = algorithm;
  const scheme = schemeOfAlg(algorithm, alg);
  if (!scheme || !signing.platform)
    throw new CaError("bad_key", `${name} keys cannot be used with the algorithm ${alg}`);
  const members = jose.members.flatMap((member) => {
    const value = from[member.name];
    return typeof value === "string" ? [[member.name, value] as const] : [];
  });
  const jwk = { ...jose.named, ...Object.fromEntries(members) };
  const parameters = signing.importedFor(scheme);
  const key = await crypto.subtle.importKey("jwk", jwk, parameters, false, ["verify"]);
  // only RSA keys have a minimum size, and a `modulusLength`, which the types do not declare
  const { modulusLength = 0 } = key.algorithm as { readonly modulusLength?: number };
  if (modulusLength < minSize) throw new CaError("bad_key", `${name} keys must have more bits`);
  return key;
}
