import type { LoginMethodType } from "./login-method-type.ts";

/** AppRole: logins of machines with a role id and a secret id. */
export const approle = {
  type: "approle",
  title: "AppRole logins",
  about: "Tokens for machines, by role ID and secret ID.",
  rows: { roles: "approle/", roleIds: "approleid/", secretIds: "approlesecret/" },
  jobs: ["approle-role-end", "approle-secret-end"],
} as const satisfies LoginMethodType;
