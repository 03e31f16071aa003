import type { JWK } from "jose";
import { encodePem, decodePem } from "../../base/pem.ts";
import { CaError } from "../../base/errors.ts";
import { NetError } from "../../net/failure.ts";
import { readJson } from "../../wire/json.ts";
import { certificateKey } from "../../x509/certificate.ts";
import { checkPublicKey, parsePublicKey } from "../../x509/spki.ts";
import {
  isJwtAlgorithm,
  jwtAlgorithms,
  type JwtAlgorithm,
  type Members,
} from "../../jose/compact.ts";

/** A public key that signatures of JWTs are verified with. */
export interface VerifyKey {
  readonly kty: string;
  readonly crv?: string;
  /** The name that tokens call it by, where its owner gave it one. */
  readonly kid?: string;
  /** The one algorithm that it is for, where its owner said so. */
  readonly alg?: string;
  /** Takes it in for an algorithm that it goes with, once. */
  load(alg: JwtAlgorithm): Promise<CryptoKey>;
}

/** What takes keys in and verifies, loaded with the first login that needs it. */
export const jose = () => import("./jose.ts");

/** Whether a key goes with an algorithm. */
export function goesWith(key: VerifyKey, alg: JwtAlgorithm): boolean {
  const { kty, crv }: { readonly kty: string; readonly crv?: string } = jwtAlgorithms[alg];
  return key.kty === kty && key.crv === crv && (key.alg === undefined || key.alg === alg);
}

/** Takes a key in once for each algorithm. */
function once(load: (alg: JwtAlgorithm) => Promise<CryptoKey>): VerifyKey["load"] {
  const held = new Map<JwtAlgorithm, CryptoKey>();
  // the key is kept, never the promise: another request may have been what it waits for
  return async (alg) => {
    const known = held.get(alg);
    if (known) return known;
    const key = await load(alg);
    held.set(alg, key);
    return key;
  };
}

/** Kinds of keys in JWK, by the names of our table. */
const kinds: Readonly<Record<string, Pick<VerifyKey, "kty" | "crv">>> = {
  RSA: { kty: "RSA" },
  "P-256": { kty: "EC", crv: "P-256" },
  "P-384": { kty: "EC", crv: "P-384" },
  "P-521": { kty: "EC", crv: "P-521" },
  Ed25519: { kty: "OKP", crv: "Ed25519" },
};

/**
 * The public key of a PEM text: a SubjectPublicKeyInfo or a certificate, whose other content is not
 * looked at. Throws CaError for anything else, weak keys too.
 */
export function keyOfPem(text: string): VerifyKey {
  const [block, ...more] = decodePem(text);
  if (!block || more.length > 0)
    throw new CaError("malformed", "a key must be one PEM block: PUBLIC KEY or CERTIFICATE");
  if (block.label !== "PUBLIC KEY" && block.label !== "CERTIFICATE")
    throw new CaError("malformed", "a key must be a PEM block PUBLIC KEY or CERTIFICATE");
  const spki = block.label === "CERTIFICATE" ? certificateKey(block.der) : block.der;
  const key = parsePublicKey(spki);
  checkPublicKey(key);
  const kind = kinds[key.algorithm.name];
  if (!kind) throw new CaError("bad_key", `no algorithm of JWTs goes with ${key.algorithm.name}`);
  const pem = encodePem("PUBLIC KEY", spki);
  return { ...kind, load: once(async (alg) => (await jose()).importSPKI(pem, alg)) };
}

/** Keys of a set that are looked at. */
const mostKeys = 100;
/** Members of private and of symmetric keys (RFC 7518 section 6). */
const secrets = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * The keys of a JWK Set (RFC 7517 section 5) that verify: shared secrets, private keys, and keys
 * for something else are left out. Throws `NetError` where there is none.
 */
export function keysOfSet(bytes: Uint8Array): readonly VerifyKey[] {
  const { keys } = documentOf(bytes);
  const found = Array.isArray(keys) ? keys.slice(0, mostKeys).flatMap(keyOfJwk) : [];
  if (found.length === 0)
    throw new NetError("response", "the answer has no public key that verifies signatures");
  return found;
}
/** The members of a JSON document of another server. Throws `NetError`. */
export function documentOf(bytes: Uint8Array): Members {
  try {
    return readJson(bytes, null);
  } catch (error) {
    if (error instanceof CaError) throw new NetError("response", "the answer cannot be read");
    throw error;
  }
}

function keyOfJwk(value: unknown): readonly VerifyKey[] {
  if (typeof value !== "object" || value === null) return [];
  const from: Members = { ...value };
  const { kty, crv, n, e, x, y, kid, alg, use, key_ops: uses } = from;
  if (secrets.some((name) => Object.hasOwn(from, name))) return [];
  if (use !== undefined && use !== "sig") return [];
  if (uses !== undefined && !(Array.isArray(uses) && uses.includes("verify"))) return [];
  if (alg !== undefined && !isJwtAlgorithm(alg)) return [];
  const texts = Object.entries({ kty, crv, n, e, x, y }).flatMap(([name, member]) =>
    typeof member === "string" ? [[name, member] as const] : [],
  );
  const jwk: JWK = Object.fromEntries(texts);
  if (jwk.kty !== "RSA" && jwk.kty !== "EC" && jwk.kty !== "OKP") return [];
  const load = once(async (wanted) => {
    const taken = await (await jose()).importJWK(jwk, wanted);
    if (taken instanceof Uint8Array) throw new TypeError("a shared secret in the place of a key");
    return taken;
  });
  return [
    {
      kty: jwk.kty,
      ...(jwk.kty !== "RSA" && jwk.crv !== undefined ? { crv: jwk.crv } : {}),
      ...(typeof kid === "string" ? { kid } : {}),
      ...(alg === undefined ? {} : { alg }),
      load,
    },
  ];
}
