import { toBase64, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Method } from "../rows/methods.ts";
import { JwtFault } from "../../jose/compact.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import { NetError } from "../../net/failure.ts";
import { guardedFetch } from "../../net/guarded-fetch.ts";
import type { FetchRequest, FetchResponse } from "../../net/guarded-fetch-target.ts";
import { scopeFor } from "../../net/outgoing-scope.ts";
import { clientSecret, providerOf, type JwtConfig } from "./config.ts";
import { readProvider, type Provider } from "./discovery.ts";
import { cachedFetch, cacheEntry, fetchCache, fetchTimeout } from "./fetch-cache.ts";
import { documentOf } from "./verify-key.ts";

/** Maximum size of a response in bytes, enough for a user who belongs to thousands of groups. */
const maxBytes = 256 * 1024;

const caches = fetchCache<Provider>();
/**
 * Returns the endpoints of a method's provider. Throws CaError: `busy` if the provider's metadata
 * cannot be fetched, `malformed` if the method has no client ID.
 */
export async function providerFor(method: Method, config: JwtConfig): Promise<Provider> {
  if (config.oidc_client_id === "")
    throw new CaError("malformed", "OIDC is not configured for this method: set oidc_client_id");
  const { ports } = method.sys;
  const source = providerOf(method, config);
  return await cachedFetch(cacheEntry(caches, ports, source), ports, {
    what: "the metadata of the identity provider",
    fetch: () => readProvider(ports, source),
  });
}

/**
 * An authorization code to redeem, and the values of the authorization request to which it is
 * bound.
 */
interface CodeGrant {
  readonly code: string;
  readonly redirect_uri: string;
  /** The PKCE code verifier (RFC 7636). */
  readonly verifier: string;
}
/** The tokens that a provider issued for a code. */
interface TokenResponse {
  readonly idToken: string;
  readonly accessToken: string | undefined;
}
/** Error codes of token endpoints (RFC 6749 section 5.2). */
const tokenErrors = new Set<unknown>([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
]);

/** Encodes a client ID or client secret for HTTP Basic authentication (RFC 6749 section 2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);

/**
 * Redeems a code at the token endpoint. Throws {@link JwtFault} if the provider rejects it, and
 * `NetError` if the provider cannot be reached.
 */
export async function redeemCode(
  method: Method,
  { config, provider }: { readonly config: JwtConfig; readonly provider: Provider },
  { code, redirect_uri, verifier }: CodeGrant,
): Promise<TokenResponse> {
  const secret = await clientSecret(method, config);
  const id = config.oidc_client_id;
  const basic = secret !== undefined && !provider.secretInBody;
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri,
    code_verifier: verifier,
    ...(basic ? {} : { client_id: id }),
    ...(secret !== undefined && !basic ? { client_secret: secret } : {}),
  });
  const credentials = basic ? toBase64(utf8(`${formEncoded(id)}:${formEncoded(secret)}`)) : "";
  const response = await fetchOf(method, config, {
    url: provider.tokenEndpoint,
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      ...(basic ? { Authorization: `Basic ${credentials}` } : {}),
    },
    sent: utf8(form.toString()),
  });
  if (response.status !== 200) throw new JwtFault(`the provider returned ${faultOf(response)}`);
  const { id_token, access_token } = documentOf(response.body);
  if (typeof id_token !== "string") throw new JwtFault("the provider returned no ID token");
  return {
    idToken: id_token,
    accessToken: typeof access_token === "string" ? access_token : undefined,
  };
}
/**
 * Returns the error code of a response if it is registered, and otherwise the status. No other part
 * of a response may appear in an error.
 */
function faultOf({ status, body }: FetchResponse): string {
  try {
    const { error } = documentOf(body);
    if (tokenErrors.has(error)) return String(error);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
  }
  return `status ${status}`;
}

/**
 * Returns the claims from the userinfo endpoint (OpenID Connect Core 1.0 section 5.3). Throws
 * {@link JwtFault} if the response is not valid or is about a different subject, and `NetError` if
 * the provider cannot be reached.
 */
export async function readUserinfo(
  method: Method,
  config: JwtConfig,
  {
    url,
    accessToken,
    subject,
  }: { readonly url: string; readonly accessToken: string; readonly subject: unknown },
): Promise<JsonMembers> {
  const { status, body } = await fetchOf(method, config, {
    url,
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  if (status !== 200) throw new JwtFault(`the userinfo endpoint returned status ${status}`);
  const claims = documentOf(body);
  if (claims["sub"] === subject) return claims;
  throw new JwtFault(
    "the subject (sub) of the userinfo response differs from that of the ID token",
  );
}

function fetchOf(
  method: Method,
  config: JwtConfig,
  request: Pick<FetchRequest, "url" | "headers" | "sent">,
): Promise<FetchResponse> {
  const { roots, privateNetworks } = providerOf(method, config);
  return guardedFetch(method.sys.ports, {
    ...request,
    trust: roots.length === 0 ? "platform" : { roots },
    scope: scopeFor(privateNetworks, roots),
    maxBytes,
    limit: fetchTimeout,
  });
}
