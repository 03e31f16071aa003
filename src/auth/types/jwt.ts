import type { LoginMethodType } from "./login-method-type.ts";

/** The type `jwt`: clients log in with JWTs, and users in a browser at an OpenID provider. */
export const jwt = {
  type: "jwt",
  title: "JWT logins",
  about: "Tokens for JWTs from a trusted issuer, and for users of an OpenID provider.",
  rows: { config: "config", roles: "jwtrole/", pending: "oidclogin/" },
  sealed: { config: ["sealed_client_secret"] },
  jobs: ["oidc-login-end"],
} as const satisfies LoginMethodType;

/** The type `oidc`, an alias of `jwt`: most clients enable logins at an OpenID provider with it. */
export const oidc = {
  ...jwt,
  type: "oidc",
  like: "jwt",
  jobs: [],
} as const satisfies LoginMethodType;
