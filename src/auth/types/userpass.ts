import type { LoginMethodType } from "./login-method-type.ts";

/** Logins with names and passwords. */
export const userpass = {
  type: "userpass",
  title: "Password logins",
  about: "Tokens for users with passwords.",
  rows: { users: "userpass/", failures: "userpassfailure/", bcryptCost: "userpassbcrypt" },
} as const satisfies LoginMethodType;
