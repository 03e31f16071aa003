import type { LoginMethodType } from "./login-method-type.ts";

/** Logins with names and passwords. */
export const userpass = {
  type: "userpass",
  title: "Password logins",
  about: "Users, their passwords, and tokens for them.",
  rows: { users: "userpass/", failures: "userpassfailure/", bcryptCost: "userpassbcrypt" },
} as const satisfies LoginMethodType;
