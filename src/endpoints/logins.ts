import * as appRoles from "../auth/approle/roles.ts";
import { roleEnd } from "../auth/approle/secret-end.ts";
import { methodEndJob } from "../auth/method/end.ts";
import type { Job } from "../engine/deployment.ts";

/** Every endpoint of the login method AppRole. */
export const approle = [
  appRoles.listAppRoles,
  appRoles.readRoleId,
  appRoles.writeRoleId,
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
export const loginJobs: readonly Job[] = [methodEndJob, roleEnd];
