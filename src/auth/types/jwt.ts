import type { LoginMethodType } from "./login-method-type.ts";

/** Logins with JWTs. */
export const jwt = {
  type: "jwt",
  title: "JWT logins",
  about: "Tokens for JWTs of a trusted issuer.",
  rows: { config: "config", roles: "jwtrole/" },
} as const satisfies LoginMethodType;

/** Alias of the type, used by clients that enable JWT logins as `oidc` with roles of type `jwt`. */
export const oidc = { ...jwt, type: "oidc", like: "jwt" } as const satisfies LoginMethodType;
