import { toBase64Url, utf8 } from "../../base/bytes.ts";
import { deepEqual } from "../../base/deep-equal.ts";
import { CaError, malformed } from "../../base/errors.ts";
import type { Method } from "../rows/methods.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import { NetError } from "../../net/failure.ts";
import { methodEndpoint, type Caller } from "../../wire/endpoint.ts";
import { secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { login } from "../method/login.ts";
import { audiencesOf, claimAt } from "./claims.ts";
import { providerFor, readUserinfo, redeemCode } from "./code-exchange.ts";
import { sourceOf, type JwtConfig } from "./config.ts";
import { idTokenClaims } from "./id-token.ts";
import { requireAudience, faultsAs, loginOf, requireSubject, roleFor } from "./login.ts";
import { addPendingLogin, consumePendingLogin, storePostedCode } from "./pending-login.ts";
import { providerRedirect, requireRedirect } from "./redirect-uri.ts";
import type { JwtRole } from "./role.ts";

/**
 * Limits on a request body. Most authorization codes have a few hundred characters, but some
 * providers' codes have two thousand.
 */
const accepted = { bytes: 32 * 1024, members: 30 } as const;

/**
 * Returns the role and the configuration for a browser login. Throws `malformed` if the role is not
 * of type `oidc`.
 */
async function oidcRole(method: Method, named: string) {
  const context = await roleFor(method, named);
  if (context.stored.role.role_type !== "oidc")
    throw malformed(`role "${context.stored.name}" has the role_type jwt: log in with a JWT`);
  return context;
}

export const beginOidcLogin = methodEndpoint({
  id: "beginOidcLogin",
  // anonymous callers can begin any number of logins; only finished logins are audited
  audits: false,
  at: ["POST /oidc/auth_url"],
  access: "open",
  style: envelope,
  doc: "Begins a login at the OpenID provider: returns the URL to open in a browser. The login expires after 10 minutes and can be finished once.",
  bodyLimits: accepted,
  body: {
    role: text.default("", "Name of the role; by default, `default_role` of the configuration."),
    redirect_uri: text.default(
      "",
      "Redirect URI to which the provider sends the browser; one of the role's `allowed_redirect_uris`.",
    ),
    client_nonce: secret.default(
      "",
      "Random string chosen by the client, which must send it again to finish the login.",
    ),
  },
  reply: { auth_url: text.required("URL of the authorization request.") },
  refuses: ["malformed", "busy"],
  run: async (method, { role: named, redirect_uri, client_nonce }, caller) => {
    const { config, stored } = await oidcRole(method, named);
    const { name, role } = stored;
    requireRedirect(role, redirect_uri);
    const isPosted = config.oidc_response_mode === "form_post";
    const target = isPosted ? providerRedirect(method, role, redirect_uri) : redirect_uri;
    const { authorizationEndpoint } = await providerFor(method, config);
    const { state, nonce, verifier } = await addPendingLogin(method, {
      role: name,
      redirect_uri,
      provider_redirect_uri: target,
      clientNonce: client_nonce,
      address: caller.address,
    });
    const challenge = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(verifier)));
    const url = new URL(authorizationEndpoint);
    for (const [key, value] of Object.entries({
      response_type: "code",
      ...(isPosted ? { response_mode: "form_post" } : {}),
      client_id: config.oidc_client_id,
      redirect_uri: target,
      scope: [...new Set(["openid", ...role.oidc_scopes])].join(" "),
      state,
      nonce,
      code_challenge: toBase64Url(challenge),
      code_challenge_method: "S256",
      ...(role.max_age > 0 ? { max_age: String(role.max_age) } : {}),
    }))
      url.searchParams.set(key, value);
    return { auth_url: url.href };
  },
});

export const finishOidcLogin = methodEndpoint({
  id: "finishOidcLogin",
  audits: { always: true },
  at: ["GET /oidc/callback"],
  access: "open",
  style: envelope,
  doc: "Finishes a login at the OpenID provider: redeems the code and logs in the user of the ID token.",
  // the server stored the nonce when the login began
  ignores: ["nonce"],
  body: {
    state: text.default("", "State from the authorization response."),
    code: secret.default(
      "",
      "Code from the authorization response, or from the redirect that follows a `form_post` response.",
    ),
    client_nonce: secret.default("", "The `client_nonce` that was sent to begin the login."),
    iss: text.default("", "Issuer from the authorization response (RFC 9207), if it has one."),
  },
  reply: {},
  nullable: true,
  refuses: ["malformed", "forbidden", "busy"],
  run: async (method, { state, code, client_nonce, iss }, caller) => {
    const pending = await consumePendingLogin(method, { state, code, clientNonce: client_nonce });
    const { config, stored } = await oidcRole(method, pending.role);
    if (iss !== "" && iss !== config.oidc_discovery_url)
      throw malformed("the authorization response comes from another issuer (iss)");
    const grant = {
      code: pending.code,
      redirect_uri: pending.provider_redirect_uri,
      verifier: pending.verifier,
    };
    if (grant.code === "") throw malformed("missing code: the provider returned no code");
    const claims = await verifiedUser(method, caller, {
      config,
      role: stored.role,
      grant,
      nonce: pending.nonce,
    });
    return await login(method, caller, async () => {
      const current = await oidcRole(method, stored.name);
      // the claims were verified for the role and the configuration before the exchange
      if (current.stored.rev !== stored.rev || !deepEqual(current.config, config))
        throw malformed("the role or the configuration was changed: begin the login again");
      return loginOf(stored, claims);
    });
  },
});

/** An authorization response from the provider, and the pending login to which it belongs. */
interface AuthorizationResponse {
  readonly config: JwtConfig;
  readonly role: JwtRole;
  readonly grant: Parameters<typeof redeemCode>[2];
  readonly nonce: string;
}
/**
 * Returns the claims of a user who logged in at the provider. Throws `malformed` if the response is
 * not valid, and `busy` if the provider cannot be reached.
 */
async function verifiedUser(
  method: Method,
  caller: Pick<Caller, "audit">,
  { config, role, grant, nonce }: AuthorizationResponse,
): Promise<JsonMembers> {
  const provider = await providerFor(method, config);
  const { idToken, accessToken } = await reached(caller, "error exchanging oidc code", () =>
    redeemCode(method, { config, provider }, grant),
  );
  const claims = await faultsAs("error verifying id_token", async () => {
    const source = sourceOf(method, config);
    const rules = { config, source, nonce, role, accessToken };
    const claims = await idTokenClaims(method.sys.ports, rules, idToken);
    requireSubject(claims, role);
    if (role.bound_audiences.length > 0) requireAudience(audiencesOf(claims), role.bound_audiences);
    return claims;
  });
  const { userinfoEndpoint: url } = provider;
  if (url === undefined || accessToken === undefined || hasNeededClaims(claims, role))
    return claims;
  const subject = claims["sub"];
  const userinfo = await reached(caller, "error reading userinfo", () =>
    readUserinfo(method, config, { url, accessToken, subject }),
  );
  // claims of the signed ID token take precedence
  return { ...userinfo, ...claims };
}

/**
 * Reports whether an ID token has all claims that a role needs, in which case userinfo is not read.
 */
function hasNeededClaims(claims: JsonMembers, role: JwtRole): boolean {
  const user = role.user_claim_json_pointer
    ? `/${role.user_claim.replace(/^\//, "")}`
    : role.user_claim;
  const names = [
    user,
    role.groups_claim,
    ...Object.keys(role.bound_claims),
    ...Object.keys(role.claim_mappings),
  ];
  return names.every((name) => name === "" || claimAt(claims, name) !== undefined);
}

/**
 * Runs a request to the provider. An invalid response becomes `malformed` with the reason; any
 * other failure becomes `busy`, with the reason only in the audit log.
 */
async function reached<T>(
  caller: Pick<Caller, "audit">,
  what: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await faultsAs(what, call);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    if (error.failed === "response")
      throw new CaError("malformed", `${what}: ${error.message}`, { cause: error });
    caller.audit.note({ reason: error.message });
    throw new CaError(
      "busy",
      `${what}: the identity provider is currently unreachable; try again later`,
      {
        cause: error,
        retryAfter: 5,
      },
    );
  }
}

export const receiveOidcCode = methodEndpoint({
  id: "receiveOidcCode",
  // only `GET` on this path logs in
  audits: false,
  at: ["POST /oidc/callback"],
  access: "open",
  style: envelope,
  doc: "Receives the response that the OpenID provider posts in the response mode `form_post`, and sends the browser to the redirect URI of the client (303), which finishes the login with `GET`.",
  bodyLimits: accepted,
  rest: true,
  body: {
    state: text.default("", "State from the authorization response."),
    code: secret.default("", "Authorization code."),
    error: text.default("", "Error code, if the provider rejected the login."),
  },
  reply: {},
  status: 303,
  refuses: ["malformed"],
  run: async (method, { state, code, error }, caller) => {
    if (error === "" && code === "") throw malformed("missing code: the provider returned no code");
    const { redirect_uri, ticket } = await storePostedCode(method, state, code);
    const to = new URL(redirect_uri);
    to.searchParams.set("state", state);
    if (code !== "") to.searchParams.set("code", ticket);
    if (error !== "") to.searchParams.set("error", error.slice(0, 64));
    caller.reply.respond({ status: 303, headers: { location: to.href } });
    return null;
  },
});
