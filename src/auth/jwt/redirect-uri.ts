import { CaError } from "../../base/errors.ts";
import type { Method } from "../rows/methods.ts";
import type { JwtRole } from "./role.ts";

type Redirects = Pick<JwtRole, "allowed_redirect_uris">;

/** Maximum length of a redirect URI in characters. */
const maxLength = 2000;
/** Matches the beginning of an http loopback URI with an optional port. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;
/**
 * Reports whether a URI is an http loopback URI, at which a program on the user's machine listens
 * on a port of its choice.
 */
const isLoopback = (uri: string): boolean => loopback.test(uri);
/** Removes the port from an http loopback URI. Returns other strings unchanged. */
const withoutLoopbackPort = (uri: string): string => uri.replace(loopback, "$1");

/**
 * Requires that a role allows a redirect URI. The match is exact, except that an http loopback URI
 * may have any port (RFC 8252 section 7.3). Throws `malformed` otherwise.
 */
export function requireRedirect({ allowed_redirect_uris: allowed }: Redirects, uri: string): void {
  if (uri === "") throw new CaError("malformed", "missing redirect_uri");
  if (uri.length > maxLength)
    throw new CaError("malformed", `redirect_uri must have at most ${maxLength} characters`);
  const requested = withoutLoopbackPort(uri);
  if (!allowed.some((one) => withoutLoopbackPort(one) === requested))
    throw new CaError(
      "malformed",
      `unauthorized redirect_uri: "${uri.slice(0, 256)}" is not in allowed_redirect_uris of the role`,
    );
}

/**
 * Returns the URI for the provider's `form_post` response. It is the redirect URI itself on
 * loopback, and otherwise the method's `oidc/callback` at the same origin. Throws `malformed` if
 * the role does not allow that URI.
 */
export function providerRedirect(
  { path }: Pick<Method, "path">,
  { allowed_redirect_uris: allowed }: Redirects,
  uri: string,
): string {
  if (isLoopback(uri)) return uri;
  const { origin } = new URL(uri);
  const end = `/v1/auth/${path}/oidc/callback`;
  const callback = allowed.find((one) => one.endsWith(end) && new URL(one).origin === origin);
  if (callback === uri)
    throw new CaError(
      "malformed",
      `redirect_uri "${uri}" is the URI to which the provider posts its response: begin the login with the URI of the client`,
    );
  if (callback !== undefined) return callback;
  throw new CaError(
    "malformed",
    `with oidc_response_mode form_post, the role's allowed_redirect_uris must contain ${origin}${end}`,
  );
}
