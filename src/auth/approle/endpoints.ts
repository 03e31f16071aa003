import * as login from "./login.ts";
import * as roles from "./roles.ts";
import * as secretIds from "./secret-ids.ts";
import { roleNameForms } from "../method/roles.ts";

/** The endpoints of the AppRole login method. */
const approle = [
  login.loginAppRole,
  roles.listAppRoles,
  roles.readRoleId,
  roles.writeRoleId,
  secretIds.makeSecretId,
  secretIds.makeCustomSecretId,
  secretIds.listSecretIds,
  secretIds.lookupSecretId,
  secretIds.lookupSecretAccessor,
  secretIds.destroySecretId,
  secretIds.destroySecretAccessor,
  login.tidySecretIds,
  roles.readRoleSetting,
  roles.writeRoleSetting,
  roles.deleteRoleSetting,
  roles.readAppRole,
  roles.writeAppRole,
  roles.deleteAppRole,
] as const;

/** Endpoints and path parameters of the AppRole login method type. */
export const approleMethod = {
  endpoints: approle,
  parameters: roles.parameters,
  forms: roleNameForms,
} as const;
