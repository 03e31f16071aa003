import type { LoginMethodType } from "./login-method-type.ts";

/** Logins with TLS client certificates. */
export const cert = {
  type: "cert",
  title: "Certificate logins",
  about: "Tokens for TLS client certificates.",
  rows: { certificates: "certificate/" },
} as const satisfies LoginMethodType;
