import { CaError } from "../../base/errors.ts";
import type { Method } from "../rows/methods.ts";
import { JwtFault, maxJwt } from "../../jose/compact.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { login, type Login } from "../method/login.ts";
import { findRole, type StoredRole } from "../method/roles.ts";
import {
  audiencesOf,
  claimAt,
  validateBoundClaims,
  validateTimes,
  groupsIn,
  metadataIn,
  nameIn,
} from "./claims.ts";
import { jwtConfig, sourceOf, type JwtConfig } from "./config.ts";
import { jwtRoles, type JwtRole } from "./role.ts";
import { verifiedClaims } from "./verify.ts";

const malformed = (why: string, cause?: unknown): CaError =>
  new CaError("malformed", why, cause === undefined ? {} : { cause });

export const loginJwt = methodEndpoint({
  id: "loginJwt",
  audits: { always: true },
  at: ["POST /login"],
  access: "open",
  style: envelope,
  doc: "Logs in with a JWT.",
  bodyLimits: { bytes: 4 * maxJwt, members: 100 },
  body: {
    role: text.default("", "Name of the role; by default, `default_role` of the configuration."),
    jwt: secret.default("", "The signed JWT."),
  },
  reply: {},
  nullable: true,
  refuses: ["malformed", "forbidden", "busy"],
  run: (method, input, caller) => login(method, caller, () => loginBy(method, input)),
});

async function loginBy(
  method: Method,
  { role: named, jwt }: { readonly role: string; readonly jwt: string },
): Promise<Login> {
  const { config, stored } = await roleFor(method, named);
  if (stored.role.role_type !== "jwt")
    throw malformed("role with oidc role_type is not allowed: log in with the browser");
  if (jwt === "") throw malformed("missing token");
  const claims = await faultsAs("error validating token", () =>
    believed(method, { config, role: stored.role, jwt }),
  );
  return await loginOf(stored, claims);
}

/** The role that a login uses, and the configuration of the method. */
interface RoleOfLogin {
  readonly config: JwtConfig;
  readonly stored: StoredRole<JwtRole>;
}
/**
 * Returns the named role, or the default role if the name is empty. Throws `malformed` if there is
 * no such role, or if the method is not configured.
 */
export async function roleFor(method: Method, named: string): Promise<RoleOfLogin> {
  const config = await jwtConfig(method);
  if (!config) throw malformed("could not load configuration");
  const roleName = named || config.default_role;
  if (roleName === "") throw malformed("missing role");
  const stored = await findRole(method, jwtRoles, roleName);
  if (!stored) throw malformed(`role "${roleName.slice(0, 128)}" could not be found`);
  return { config, stored };
}

/**
 * Returns the login for a user with these verified claims. Throws `malformed` if the role rejects
 * the claims.
 */
export function loginOf(
  { name, role, key, rev }: StoredRole<JwtRole>,
  claims: JsonMembers,
): Promise<Login> {
  return faultsAs("error validating claims", async () => {
    validateBoundClaims(claims, role.bound_claims, role.bound_claims_type === "glob");
    const user = nameIn(claims, role.user_claim, role.user_claim_json_pointer);
    // this field was validated when the role was written
    const metadata = metadataIn(claims, role.claim_mappings as Readonly<Record<string, string>>);
    return {
      alias: { name: user, metadata },
      // a role without groups also ends memberships from logins with other roles
      groups: groupsIn(claims, role.groups_claim),
      metadata: { ...metadata, role: name },
      display_name: user,
      role: name,
      source: key,
      token: role,
      more: { expect: [[key, rev]] },
    };
  });
}

/**
 * Runs `check`, and converts a {@link JwtFault} to a CaError `malformed` whose message begins with
 * `what`.
 */
export async function faultsAs<T>(what: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof JwtFault) throw malformed(`${what}: ${error.message}`, error);
    throw error;
  }
}

/**
 * Verifies a token, validates its claims against the method and the role, and returns the claims.
 */
async function believed(
  { sys }: Method,
  {
    config,
    role,
    jwt,
  }: { readonly config: JwtConfig; readonly role: JwtRole; readonly jwt: string },
  source = sourceOf({ sys }, config),
): Promise<JsonMembers> {
  const claims = await verifiedClaims(sys.ports, source, config.jwt_supported_algs, jwt);
  const issuer =
    config.bound_issuer || (source.from === "discovery" ? config.oidc_discovery_url : "");
  if (issuer !== "" && claimAt(claims, "iss") !== issuer)
    throw new JwtFault("invalid issuer (iss) claim");
  requireSubject(claims, role);
  validateTimes(claims, role, Math.floor(sys.ports.now() / 1000));
  requireAudience(audiencesOf(claims), role.bound_audiences);
  return claims;
}
/**
 * Requires that the subject equals the role's `bound_subject`, if that is set. Throws {@link
 * JwtFault} otherwise.
 */
export function requireSubject(
  claims: JsonMembers,
  { bound_subject: subject }: Pick<JwtRole, "bound_subject">,
): void {
  if (subject !== "" && claimAt(claims, "sub") !== subject)
    throw new JwtFault("invalid subject (sub) claim");
}
/**
 * Checks the audiences of a token. If the token has audiences, the role must have
 * `bound_audiences`. If the role has `bound_audiences`, the token must have one of them. Throws
 * `malformed` otherwise.
 */
export function requireAudience(named: readonly string[], bound: readonly string[]): void {
  if (named.length > 0 && bound.length === 0)
    throw malformed("audience claim found in JWT but no audiences bound to the role");
  if (bound.length > 0 && !named.some((one) => bound.includes(one)))
    throw new JwtFault(
      "invalid audience (aud) claim: audience claim does not match any bound audience",
    );
}
