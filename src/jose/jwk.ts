import type { KnownAlgorithm } from "../algorithms/table.ts";
import { keyAlgorithms } from "../algorithms/table.ts";
import { asBytes, concat, fromBase64Url, toBase64Url, utf8 } from "../base/bytes.ts";
import { bitString, integer, oid, sequence } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { Jwk } from "../engine/acme-records.ts";
import { checkPublicKey, parsePublicKey, type PublicKey } from "../x509/spki.ts";
import { refusedAs } from "./refused.ts";

/** A public key that a client has sent: its canonical JWK, and the key itself. */
export interface ClientKey {
  readonly jwk: Jwk;
  readonly key: PublicKey;
}

const refused = (why: string): CaError => new CaError("bad_public_key", `jwk: ${why}`);
type Members = Readonly<Record<string, unknown>>;
const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Curves by their names in JWK (RFC 7518 section 6.2.1.1), with the octets of a coordinate. */
const curves: Readonly<Record<string, number>> = { "P-256": 32, "P-384": 48, "P-521": 66 };
/** More octets than any modulus that is taken: 8192 bits. */
const longestMember = 1024;
/** Members of private and of symmetric keys (RFC 7518 section 6). */
const secrets = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Bytes of a member: base64url without padding and without stray bits, so in one spelling only. */
function octetsOf(from: Members, name: string): Uint8Array {
  const value = from[name];
  const bytes =
    typeof value === "string" && value.length <= 2 * longestMember
      ? fromBase64Url(value)
      : undefined;
  if (!bytes || bytes.length === 0 || bytes.length > longestMember)
    throw refused(`${name} must be base64url without padding`);
  return bytes;
}
/** A number without zeros in front: with them one key would have many thumbprints. */
function numberOf(from: Members, name: string): Uint8Array {
  const bytes = octetsOf(from, name);
  if (bytes[0] === 0) throw refused(`${name} has zeros in front`);
  return bytes;
}
function coordinate(from: Members, name: string, size: number): Uint8Array {
  const bytes = octetsOf(from, name);
  if (bytes.length !== size) throw refused(`${name} must have ${size} octets`);
  return bytes;
}

/** A key apart from its form: what it is called in the table, and the content of its BIT STRING. */
interface Parts {
  readonly name: string;
  readonly keyBits: Uint8Array;
  readonly jwk: Jwk;
}
function ec(from: Members): Parts {
  const { crv } = from;
  const size = typeof crv === "string" && Object.hasOwn(curves, crv) ? curves[crv] : undefined;
  if (typeof crv !== "string" || size === undefined)
    throw refused(`unsupported curve: use ${Object.keys(curves).join(", ")}`);
  const [x, y] = [coordinate(from, "x", size), coordinate(from, "y", size)];
  return {
    name: crv,
    keyBits: concat([Uint8Array.of(4), x, y]),
    jwk: { kty: "EC", crv, x: toBase64Url(x), y: toBase64Url(y) },
  };
}
function okp(from: Members): Parts {
  const { crv } = from;
  if (crv !== "Ed25519") throw refused("unsupported curve: use Ed25519");
  const keyBits = coordinate(from, "x", 32);
  return { name: crv, keyBits, jwk: { kty: "OKP", crv, x: toBase64Url(keyBits) } };
}
function rsa(from: Members): Parts {
  const [n, e] = [numberOf(from, "n"), numberOf(from, "e")];
  return {
    name: "RSA",
    keyBits: sequence(integer(n), integer(e)),
    jwk: { kty: "RSA", n: toBase64Url(n), e: toBase64Url(e) },
  };
}
function partsOf(from: Members): Parts {
  switch (from["kty"]) {
    case "EC":
      return ec(from);
    case "OKP":
      return okp(from);
    case "RSA":
      return rsa(from);
    default:
      throw refused("unsupported kty: use EC, OKP or RSA");
  }
}
const algorithmNamed = (name: string): KnownAlgorithm => {
  const found = keyAlgorithms.find((one) => one.name === name);
  if (!found) throw new TypeError(`no key algorithm ${name}`);
  return found;
};
/** SubjectPublicKeyInfo of the parts. */
const spkiOf = ({ name, keyBits }: Parts): Uint8Array => {
  const { oid: kind, parameters } = algorithmNamed(name).identifier;
  return sequence(sequence(oid(kind), parameters), bitString(keyBits));
};

/**
 * Reads a public key as JWK (RFC 7517; RFC 7518 section 6; RFC 8037). Refuses kinds that are not
 * known, weak and broken keys, more than one spelling of one key, private keys, and keys that are
 * not for signing (security row 20). Throws CaError `bad_public_key`.
 */
export function readJwk(value: unknown): ClientKey {
  if (!isMembers(value)) throw refused("expected a JSON object");
  if (secrets.some((name) => Object.hasOwn(value, name)))
    throw refused("send the public key alone: it has members of a secret one");
  const { use, key_ops: uses } = value;
  if (use !== undefined && use !== "sig") throw refused("the key is not for signing");
  if (uses !== undefined && !(Array.isArray(uses) && uses.includes("verify")))
    throw refused("the key is not for verifying");
  return soundKey(partsOf(value));
}
function soundKey(parts: Parts): ClientKey {
  return refusedAs(
    "bad_public_key",
    () => {
      const key = parsePublicKey(spkiOf(parts));
      checkPublicKey(key);
      return { jwk: parts.jwk, key };
    },
    "jwk: ",
  );
}

/** The JSON text that RFC 7638 hashes: members in the order of their names, no spaces. */
export const canonicalJwk = ({ kty, crv, x, y, n, e }: Jwk): string =>
  JSON.stringify({ crv, e, kty, n, x, y });

/**
 * Keys of accounts as they were read, by their canonical JWK. Clients come again with one key;
 * anybody may make accounts, so that few are held.
 */
const held = new Map<string, PublicKey>();
const mostHeld = 1000;
/**
 * The key of a JWK that was stored: it has been judged before. The same object for the same key:
 * what is taken in for a key is found by it.
 */
export function keyOfJwk(jwk: Jwk): PublicKey {
  const name = canonicalJwk(jwk);
  const known = held.get(name);
  if (known) return known;
  const key = parsePublicKey(spkiOf(partsOf({ ...jwk })));
  if (held.size >= mostHeld) held.clear();
  held.set(name, key);
  return key;
}

/** The thumbprint of a key (RFC 7638) with SHA-256, base64url: what key authorizations contain. */
export const thumbprintOf = async (jwk: Jwk): Promise<string> =>
  toBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(utf8(canonicalJwk(jwk))))),
  );
