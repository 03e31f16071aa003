import type { LoginMethodType } from "./login-method-type.ts";

/**
 * The `jwt` login method type: programs log in with a JWT, and users log in through an OpenID
 * provider in a browser.
 */
export const jwt = {
  type: "jwt",
  title: "JWT logins",
  about: "Tokens for JWTs from a trusted issuer, and for users of an OpenID provider.",
  rows: { config: "config", roles: "jwtrole/", pending: "oidclogin/" },
  sealed: { config: ["sealed_client_secret"] },
  jobs: ["oidc-login-end"],
} as const satisfies LoginMethodType;

/**
 * The `oidc` login method type, an alias of `jwt` with which most clients enable logins through an
 * OpenID provider.
 */
export const oidc = {
  ...jwt,
  type: "oidc",
  like: "jwt",
  jobs: [],
} as const satisfies LoginMethodType;
