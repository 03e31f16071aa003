import type { Ports } from "../../engine/ports.ts";
import { JwtFault, parseJwt, type Jwt } from "../../jose/compact.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import { schemeOfAlg, verifyJws } from "../../jose/signature.ts";
import { keysOf, type KeySource } from "./key-source.ts";
import { supportsAlg, type VerifyKey } from "./verify-key.ts";

/**
 * Maximum number of signature checks per token. Limits the work if all keys are tried, as for
 * tokens without a key ID.
 */
const maxTried = 8;

/**
 * Verifies that a JWT is signed by one of the source's keys with one of `algorithms`, and returns
 * its claims without validating them. Throws {@link JwtFault} if the token is not signed in this
 * way, and CaError `busy` if the keys cannot be fetched.
 */
export async function verifiedClaims(
  ports: Ports,
  source: KeySource,
  algorithms: readonly string[],
  text: string,
): Promise<JsonMembers> {
  const jwt = parseJwt(text);
  const { alg, kid, claims } = jwt;
  if (algorithms.length > 0 && !algorithms.includes(alg))
    throw new JwtFault("this login method does not accept the token's algorithm");
  const all = await keysOf(ports, source, source.from === "pinned" ? undefined : kid);
  const named =
    kid === undefined || source.from === "pinned" ? all : all.filter((key) => key.kid === kid);
  if (named.length === 0) throw new JwtFault("no key has the token's key ID (kid)");
  const candidates = named.filter((key) => supportsAlg(key, alg));
  for (const key of candidates.slice(0, maxTried)) if (await hasSigned(key, jwt)) return claims;
  throw new JwtFault(
    candidates.length > 0
      ? "the token was not signed with a key of this login method"
      : "the token's algorithm does not match the key",
  );
}

async function hasSigned(key: VerifyKey, jwt: Jwt): Promise<boolean> {
  const scheme = key.algorithm && schemeOfAlg(key.algorithm, jwt.alg);
  try {
    return scheme !== undefined && (await verifyJws(await key.load(jwt.alg), scheme, jwt));
  } catch {
    // a malformed key or signature counts as a failed verification
    return false;
  }
}
