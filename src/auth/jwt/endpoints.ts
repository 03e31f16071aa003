import { roleNameForms, roleNamePattern } from "../method/roles.ts";
import * as sources from "./config.ts";
import { loginJwt } from "./login.ts";
import * as oidc from "./oidc.ts";
import * as roles from "./role.ts";

/** The endpoints of the login method for JWTs. */
const jwt = [
  loginJwt,
  oidc.beginOidcLogin,
  oidc.finishOidcLogin,
  oidc.receiveOidcCode,
  sources.readJwtConfig,
  sources.writeJwtConfig,
  roles.listJwtRoles,
  roles.readJwtRole,
  roles.writeJwtRole,
  roles.deleteJwtRole,
] as const;

/** Endpoints and path parameters of the login method type for JWTs. */
export const jwtMethod = {
  endpoints: jwt,
  parameters: { name: roleNamePattern },
  forms: roleNameForms,
} as const;
