import type { LoginMethodType } from "./login-method-type.ts";

/** AppRole: logins of machines with a role id and a secret id. */
export const approle = {
  type: "approle",
  title: "AppRole logins",
  about: "Machines get tokens by the id of a role and a secret id.",
  rows: { roles: "approle/", roleIds: "approleid/", secretIds: "approlesecret/" },
  jobs: ["approle-role-end", "approle-secret-end"],
} as const satisfies LoginMethodType;
