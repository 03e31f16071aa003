import type { LoginMethodType } from "./login-method-type.ts";

/** The `cert` login method type: clients log in with TLS client certificates. */
export const cert = {
  type: "cert",
  title: "Certificate logins",
  about: "Tokens for TLS client certificates.",
  rows: { certificates: "certificate/" },
} as const satisfies LoginMethodType;
