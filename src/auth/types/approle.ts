import type { LoginMethodType } from "./login-method-type.ts";

/** The `approle` login method type: machines log in with a role ID and a secret ID. */
export const approle = {
  type: "approle",
  title: "AppRole logins",
  about: "Tokens for machines, by role ID and secret ID.",
  rows: { roles: "approle/", roleIds: "approleid/", secretIds: "approlesecret/" },
  jobs: ["approle-role-end", "approle-secret-end"],
} as const satisfies LoginMethodType;
