import * as appRoleLogin from "../auth/approle/login.ts";
import * as appRoles from "../auth/approle/roles.ts";
import { roleEnd, secretEnd } from "../auth/approle/secret-end.ts";
import * as secretIds from "../auth/approle/secret-ids.ts";
import { methodEndJob } from "../auth/method/end.ts";
import type { Job } from "../engine/deployment.ts";

/** Every endpoint of the login method AppRole. */
export const approle = [
  appRoleLogin.loginAppRole,
  appRoles.listAppRoles,
  appRoles.readRoleId,
  appRoles.writeRoleId,
  secretIds.makeSecretId,
  secretIds.makeCustomSecretId,
  secretIds.listSecretIds,
  secretIds.lookupSecretId,
  secretIds.lookupSecretAccessor,
  secretIds.destroySecretId,
  secretIds.destroySecretAccessor,
  appRoleLogin.tidySecretIds,
  appRoles.readRoleSetting,
  appRoles.writeRoleSetting,
  appRoles.deleteRoleSetting,
  appRoles.readAppRole,
  appRoles.writeAppRole,
  appRoles.deleteAppRole,
] as const;

/** The types of login methods: what they answer, and what parameters of their paths look like. */
export const methodTypes = {
  approle: { endpoints: approle, parameters: appRoles.parameters },
} as const;

/** What login methods set going in the system's own store. */
export const loginJobs: readonly Job[] = [methodEndJob, roleEnd, secretEnd];
