import { fromBase64Url, utf8, type Bytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { readJson } from "../base/json-members.ts";
import type { JsonMembers } from "./jwk.ts";
import { isJwsAlgorithm, jwsAlgorithms, type SignedInput } from "./signature.ts";

/** A JWT whose signature has not been verified yet. */
export interface Jwt extends SignedInput {
  /** ID of the signer's key. It is only compared, never looked up. */
  readonly kid: string | undefined;
  readonly claims: JsonMembers;
}
/** The reason why a JWT is not trusted. The message does not quote the JWT. */
export class JwtFault extends Error {
  override readonly name = "JwtFault";
}

/** Maximum length of a JWT in characters. A JWT with hundreds of groups has a few thousand. */
export const maxJwt = 16 * 1024;
/** Maximum number of members and list items, in the header and in the claims. */
const maxMembers = 1000;

/**
 * Parses a JWT in Compact Serialization (RFC 7519 section 7.2). Ignores keys in the header (`jwk`,
 * `jku`, `x5c`, `x5u`). Throws {@link JwtFault} if the JWT is malformed, has an unsupported
 * algorithm, a critical extension or a duplicate member, or if its encoding is not canonical.
 */
export function parseJwt(text: string): Jwt {
  if (text.length > maxJwt) throw new JwtFault(`the token must have at most ${maxJwt} characters`);
  const parts = text.split(".");
  const [head, body, signature] = parts.map(fromBase64Url);
  if (parts.length !== 3 || !head || !body || !signature)
    throw new JwtFault("the token must have three parts of base64url without padding");
  const header = parseMembers(head, "the header");
  const { alg, kid } = header;
  if (!isJwsAlgorithm(alg))
    throw new JwtFault(
      `the token's algorithm (alg) is not supported; use one of ${jwsAlgorithms.join(", ")}`,
    );
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "b64"))
    throw new JwtFault("crit and b64 in the header are not supported");
  if (kid !== undefined && typeof kid !== "string") throw new JwtFault("kid must be a string");
  return {
    alg,
    kid,
    claims: parseMembers(body, "the claims"),
    data: utf8(text.slice(0, text.lastIndexOf("."))),
    signature,
  };
}

function parseMembers(bytes: Bytes, what: string): JsonMembers {
  const [first] = bytes;
  try {
    if (first !== 0x7b) throw new JwtFault(`${what} must be a JSON object`);
    return readJson(bytes, null, false, maxMembers);
  } catch (error) {
    if (error instanceof CaError) throw new JwtFault(`${what} of the token cannot be read`);
    throw error;
  }
}
