import type { LoginMethodType } from "./login-method-type.ts";

/** Logins with JWTs, and with a browser at an OpenID provider. */
export const jwt = {
  type: "jwt",
  title: "JWT logins",
  about: "Tokens for JWTs of a trusted issuer, and for users of an OpenID provider.",
  rows: { config: "config", roles: "jwtrole/", pending: "oidclogin/" },
  sealed: { config: ["sealed_client_secret"] },
  jobs: ["oidc-login-end"],
} as const satisfies LoginMethodType;

/** Alias of the type, by which most clients enable logins at an OpenID provider. */
export const oidc = {
  ...jwt,
  type: "oidc",
  like: "jwt",
  jobs: [],
} as const satisfies LoginMethodType;
