import type { LoginMethodType } from "./login-method-type.ts";

/** The `userpass` login method type: users log in with a name and a password. */
export const userpass = {
  type: "userpass",
  title: "Password logins",
  about: "Tokens for users with passwords.",
  rows: { users: "userpass/", failures: "userpassfailure/", bcryptCost: "userpassbcrypt" },
} as const satisfies LoginMethodType;
