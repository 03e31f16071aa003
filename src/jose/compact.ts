import { fromBase64Url, type Bytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { readJson } from "../wire/json.ts";

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;
/** A JWT that was taken apart; whether to believe it is not known yet. */
export interface Jwt {
  readonly text: string;
  readonly alg: JwtAlgorithm;
  /** Names one of the signer's keys, and is only ever compared. */
  readonly kid: string | undefined;
  readonly claims: Members;
}
/** Why a JWT is not believed, in words that quote nothing of it. */
export class JwtFault extends Error {
  override readonly name = "JwtFault";
}

/** Characters of a JWT; tokens with hundreds of groups have some thousands. */
export const longestJwt = 16 * 1024;
/** Most members and list items of the header and of the claims, each. */
const mostMembers = 1000;

/** The keys that an algorithm goes with, as JWK says it (RFC 7518 section 6, RFC 8037). */
interface Goes {
  readonly kty: "RSA" | "EC" | "OKP";
  readonly crv?: string;
}
const rsa: Goes = { kty: "RSA" };
const ed25519: Goes = { kty: "OKP", crv: "Ed25519" };
/**
 * Every algorithm that is taken (RFC 7518 section 3.1, RFC 8037): signatures only. `none` and keyed
 * hashes are not among them, so that no public key is ever taken for a shared secret.
 */
export const jwtAlgorithms = {
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  ES256: { kty: "EC", crv: "P-256" },
  ES384: { kty: "EC", crv: "P-384" },
  ES512: { kty: "EC", crv: "P-521" },
  PS256: rsa,
  PS384: rsa,
  PS512: rsa,
  EdDSA: ed25519,
  Ed25519: ed25519,
} as const satisfies Record<string, Goes>;
/** Name of an algorithm that is taken. */
export type JwtAlgorithm = keyof typeof jwtAlgorithms;

/** Whether a text names an algorithm that is taken. */
export const isJwtAlgorithm = (text: unknown): text is JwtAlgorithm =>
  typeof text === "string" && Object.hasOwn(jwtAlgorithms, text);

/**
 * Takes a JWT in Compact Serialization apart (RFC 7519 section 7.2): no unknown algorithm, nothing
 * critical, no member twice, one spelling of each part. What a header says of keys (`jwk`, `jku`,
 * `x5c`, `x5u`) is not looked at. Throws {@link JwtFault}.
 */
export function takeJwtApart(text: string): Jwt {
  if (text.length > longestJwt)
    throw new JwtFault(`the token is longer than ${longestJwt} characters`);
  const parts = text.split(".");
  const [head, body, signature] = parts.map(fromBase64Url);
  if (parts.length !== 3 || !head || !body || !signature)
    throw new JwtFault("the token must have three parts of base64url without padding");
  const header = membersOf(head, "the header");
  const { alg, kid } = header;
  if (!isJwtAlgorithm(alg))
    throw new JwtFault(
      `the algorithm of the token is not taken: use ${Object.keys(jwtAlgorithms).join(", ")}`,
    );
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "b64"))
    throw new JwtFault("crit and b64 in the header are not taken");
  if (kid !== undefined && typeof kid !== "string") throw new JwtFault("kid must be a text");
  return { text, alg, kid, claims: membersOf(body, "the claims") };
}

function membersOf(bytes: Bytes, what: string): Members {
  const [first] = bytes;
  try {
    if (first !== 0x7b) throw new JwtFault(`${what} must be a JSON object`);
    return readJson(bytes, null, false, mostMembers);
  } catch (error) {
    if (error instanceof CaError) throw new JwtFault(`${what} of the token cannot be read`);
    throw error;
  }
}
