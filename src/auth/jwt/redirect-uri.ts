import { CaError } from "../../base/errors.ts";
import type { Method } from "../rows/methods.ts";
import type { JwtRole } from "./role.ts";

type Redirects = Pick<JwtRole, "allowed_redirect_uris">;

/** Maximum characters of a redirect URI. */
const maxLength = 2000;
/** The start of an http URI on loopback, with an optional port. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;
/** Reports whether a URI leads to a program on the user's machine, which chooses its own port. */
const isLoopback = (uri: string): boolean => loopback.test(uri);
/** Returns an http URI on loopback without its port; other texts unchanged. */
const withoutLoopbackPort = (uri: string): string => uri.replace(loopback, "$1");

/**
 * Requires that a role allows a redirect URI: the same text, or for http on loopback any port
 * (RFC 8252 section 7.3). Throws `malformed`.
 */
export function requireRedirect({ allowed_redirect_uris: allowed }: Redirects, uri: string): void {
  if (uri === "") throw new CaError("malformed", "missing redirect_uri");
  if (uri.length > maxLength)
    throw new CaError("malformed", `redirect_uri has more than ${maxLength} characters`);
  const requested = withoutLoopbackPort(uri);
  if (!allowed.some((one) => withoutLoopbackPort(one) === requested))
    throw new CaError(
      "malformed",
      `unauthorized redirect_uri: "${uri.slice(0, 256)}" is not in allowed_redirect_uris of the role`,
    );
}

/**
 * Returns where a provider posts its response: to a program on loopback itself, else to
 * `oidc/callback` of the method at the same origin, which the role must allow. Throws `malformed`.
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
      `redirect_uri "${uri}" is where the provider posts: begin with the URI of the client`,
    );
  if (callback !== undefined) return callback;
  throw new CaError(
    "malformed",
    `with oidc_response_mode form_post, allowed_redirect_uris of the role must contain ${origin}${end}`,
  );
}
