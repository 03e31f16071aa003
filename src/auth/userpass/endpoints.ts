import { loginUser } from "./login.ts";
import * as users from "./users.ts";
import { roleNameForms } from "../method/roles.ts";

/** The endpoints of the login method for user names and passwords. */
const userpass = [
  loginUser,
  users.listUsers,
  users.readUser,
  users.writeUser,
  users.deleteUser,
  users.writePassword,
  users.writeUserPolicies,
] as const;

/** Endpoints and path parameters of the login method type for passwords. */
export const userpassMethod = {
  endpoints: userpass,
  parameters: users.parameters,
  forms: roleNameForms,
} as const;
