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
 * A public key as JWK in the form that RFC 7638 section 3 hashes: exactly the members that the key
 * type requires.
 */
export type Jwk = Readonly<Record<string, string>>;
/** Members of a JSON object. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** A client's public key with its canonical JWK. */
export interface ClientKey {
  readonly jwk: Jwk;
  readonly key: PublicKey;
}

const refused = (why: string): CaError => new CaError("bad_public_key", `jwk: ${why}`);
const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A key algorithm with its JOSE names. */
interface JoseAlgorithm {
  readonly algorithm: KnownAlgorithm;
  readonly jose: JoseNames;
}
const joseAlgorithms: readonly JoseAlgorithm[] = offeredAlgorithms.flatMap((algorithm) =>
  algorithm.jose ? [{ algorithm, jose: algorithm.jose }] : [],
);
/** Every `kty` of these keys, in the order of the algorithms. */
const keyTypes: readonly string[] = [...new Set(joseAlgorithms.map(({ jose }) => jose.named.kty))];

/** Reports whether a value is the `kty` of a known algorithm. */
export const isJoseKeyType = (kty: unknown): kty is string =>
  typeof kty === "string" && keyTypes.includes(kty);
const isNamed = ({ jose }: JoseAlgorithm, from: JsonMembers): boolean =>
  Object.entries(jose.named).every(([name, value]) => from[name] === value);
/** Returns the algorithm of a JWK (RFC 7518 section 6). */
export const algorithmOfJwk = (from: JsonMembers): KnownAlgorithm | undefined =>
  joseAlgorithms.find((one) => isNamed(one, from))?.algorithm;

/** Members of private and symmetric keys (RFC 7518 section 6). */
const secrets = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
/**
 * Returns why a JWK is not a public key for verification, according to its members (RFC 7517
 * section 4); undefined if it is one.
 */
export function verifyKeyFault(jwk: JsonMembers): string | undefined {
  if (secrets.some((name) => Object.hasOwn(jwk, name)))
    return "send the public key alone: it has members of a secret one";
  const { use, key_ops: operations } = jwk;
  if (use !== undefined && use !== "sig") return "the key is not for signing";
  const verifies = Array.isArray(operations) && operations.includes("verify");
  return operations === undefined || verifies ? undefined : "the key is not for verifying";
}

/** Maximum octets of a number: a modulus of 8192 bits. */
const maxNumber = 1024;
/** Decodes a member: base64url without padding and stray bits, so that it has one spelling only. */
function octetsOf(from: JsonMembers, { name, octets }: JwkMember): Uint8Array {
  const value = from[name];
  const max = octets ?? maxNumber;
  const bytes =
    typeof value === "string" && value.length <= 2 * max ? fromBase64Url(value) : undefined;
  if (!bytes || bytes.length === 0 || bytes.length > max)
    throw refused(`${name} must be base64url of at most ${max} octets without padding`);
  if (octets !== undefined && bytes.length !== octets)
    throw refused(`${name} must have ${octets} octets`);
  // with leading zeros one key would have many thumbprints
  if (octets === undefined && bytes[0] === 0) throw refused(`${name} has leading zeros`);
  return bytes;
}

/** A key apart from its form. */
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
  if (alike.length === 0) throw refused(`unsupported kty: use ${joinWithOr(keyTypes)}`);
  const names = alike.flatMap(({ jose: { named } }) =>
    Object.entries(named).flatMap(([name, value]) => (name === "kty" ? [] : [`${name} ${value}`])),
  );
  throw refused(`unsupported kind of ${String(from["kty"])} key: use ${joinWithOr(names)}`);
}

/**
 * Parses a public key as JWK (RFC 7517; RFC 7518 section 6; RFC 8037). Rejects unknown kinds, weak
 * and invalid keys, alternative spellings of a key, private keys, and keys not for signing
 * (security row 20). Throws CaError `bad_public_key`.
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

/** Returns the JSON text that RFC 7638 hashes: sorted members, no spaces. */
export const canonicalJwk = (jwk: Jwk): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(jwk).sort(([one], [other]) => (one < other ? -1 : 1))),
  );

/** Cached keys of accounts by canonical JWK; limited, because anyone can register accounts. */
const cache = new Map<string, PublicKey>();
const maxCached = 1000;
/**
 * Returns the key of a stored JWK, which was checked before. Returns the same object for the same
 * key, because caches use it as key.
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

/** Returns the SHA-256 thumbprint of a key (RFC 7638), base64url. */
export const thumbprintOf = async (jwk: Jwk): Promise<string> =>
  toBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(utf8(canonicalJwk(jwk))))),
  );

/**
 * Imports a JWK for one `alg`. More lenient than {@link readJwk}, because key sets come from other
 * servers and are not identified by their members. Rejects with the platform's error for an
 * unsupported key, and with CaError `bad_key`.
 */
export async function importJwk(from: JsonMembers, alg: string): Promise<CryptoKey> {
  const { algorithm, jose } = algorithmOf(from);
  const { name, signing, minSize = 0 } = algorithm;
  const scheme = schemeOfAlg(algorithm, alg);
  if (!scheme || !signing.platform)
    throw new CaError("bad_key", `${name} keys do not verify ${alg}`);
  const members = jose.members.flatMap((member) => {
    const value = from[member.name];
    return typeof value === "string" ? [[member.name, value] as const] : [];
  });
  const jwk = { ...jose.named, ...Object.fromEntries(members) };
  const parameters = signing.importedFor(scheme);
  const key = await crypto.subtle.importKey("jwk", jwk, parameters, false, ["verify"]);
  // only RSA keys have a length, which the types lack, and a minimum
  const { modulusLength = 0 } = key.algorithm as { readonly modulusLength?: number };
  if (modulusLength < minSize) throw new CaError("bad_key", `${name} keys must have more bits`);
  return key;
}
