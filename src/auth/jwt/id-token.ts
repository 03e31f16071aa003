import { toBase64Url, utf8 } from "../../base/bytes.ts";
import type { Ports } from "../../engine/ports.ts";
import { JwtFault, parseJwt } from "../../jose/compact.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import { audiencesOf, claimAt, validateTimes, type Leeways } from "./claims.ts";
import type { JwtConfig } from "./config.ts";
import type { KeySource } from "./key-source.ts";
import { verifiedClaims } from "./verify.ts";

/** The values that the ID token of a login must match. */
interface IdTokenRules {
  readonly config: JwtConfig;
  readonly source: KeySource;
  readonly nonce: string;
  readonly role: Leeways;
  /** The access token from the same response, if any. */
  readonly accessToken: string | undefined;
}

/**
 * Verifies an ID token and returns its claims (OpenID Connect Core 1.0 section 3.1.3.7). Throws
 * {@link JwtFault} if the token is not valid, and CaError `busy` if the keys cannot be fetched.
 */
export async function idTokenClaims(
  ports: Ports,
  { config, source, nonce, role, accessToken }: IdTokenRules,
  text: string,
): Promise<JsonMembers> {
  const claims = await verifiedClaims(ports, source, config.jwt_supported_algs, text);
  const issuer = claimAt(claims, "iss");
  if (
    issuer !== config.oidc_discovery_url ||
    (config.bound_issuer !== "" && issuer !== config.bound_issuer)
  )
    throw new JwtFault("invalid issuer (iss) claim");
  requireClient(claims, config.oidc_client_id);
  for (const name of ["sub", "exp", "iat"])
    if (claimAt(claims, name) === undefined)
      throw new JwtFault(`the ID token has no ${name} claim`);
  validateTimes(claims, role, Math.floor(ports.now() / 1000));
  if (claimAt(claims, "nonce") !== nonce) throw new JwtFault("invalid nonce claim");
  await requireAccessTokenHash(claimAt(claims, "at_hash"), accessToken, parseJwt(text).alg);
  return claims;
}

/** Requires that an ID token was issued to this client. Throws {@link JwtFault} otherwise. */
function requireClient(claims: JsonMembers, client: string): void {
  const audiences = audiencesOf(claims);
  if (!audiences.includes(client))
    throw new JwtFault("invalid audience (aud) claim: the ID token is for another client");
  const party = claimAt(claims, "azp");
  if (party === undefined ? audiences.length > 1 : party !== client)
    throw new JwtFault("invalid authorized party (azp) claim");
}

/**
 * Requires that `at_hash`, if present, is the hash of the access token (OpenID Connect Core 1.0
 * section 3.1.3.6).
 */
async function requireAccessTokenHash(
  expected: unknown,
  accessToken: string | undefined,
  alg: string,
): Promise<void> {
  if (expected === undefined) return;
  // uses the hash function of the signature algorithm, which is SHA-512 for Ed25519
  const hash = alg.endsWith("256") ? "SHA-256" : alg.endsWith("384") ? "SHA-384" : "SHA-512";
  const digest = new Uint8Array(await crypto.subtle.digest(hash, utf8(accessToken ?? "")));
  if (accessToken === undefined || toBase64Url(digest.subarray(0, digest.length / 2)) !== expected)
    throw new JwtFault("invalid at_hash claim");
}
