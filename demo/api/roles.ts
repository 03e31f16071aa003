import { call, listing, readData } from "./call.ts";
import * as pki from "./endpoints/pki.ts";
import { namesPermitted } from "./permissions.ts";
import { isForbidden, unknownCall, type Reply } from "./transport.ts";
import type { Role, NamedRole, RoleInput } from "../lib/role.ts";

export const roleNames = async (): Promise<readonly string[]> =>
  (await listing(pki.listRoles)).keys;

/**
 * Returns the names of all roles, or of those that the policies mention if the token may not list
 * roles.
 */
export async function usableRoles(): Promise<readonly string[]> {
  try {
    return await roleNames();
  } catch (error) {
    if (isForbidden(error)) return namesPermitted(pki.issue, pki.sign, pki.readRole);
    throw error;
  }
}

export const role = (name: string): Promise<Role> => readData(pki.readRole, { name });

/** Returns a role with its name. The role has no fields if the token may not read it. */
export async function readableRole(name: string): Promise<NamedRole> {
  try {
    return [name, await role(name)];
  } catch (error) {
    if (isForbidden(error)) return [name, {}];
    throw error;
  }
}

/** Returns all roles of the mount. Older servers require a request for each. */
export async function roles(): Promise<readonly NamedRole[]> {
  const { keys, info } = await listing(pki.listRoles, { detailed: true });
  return Promise.all(
    keys.map(async (name): Promise<NamedRole> => {
      const fields = info[name];
      return fields ? [name, fields] : readableRole(name);
    }),
  );
}

export const saveRole = (name: string, fields: RoleInput): Promise<Reply<unknown>> =>
  call(pki.writeRole, { ...fields, name });

/** Changes fields of a role. On servers without PATCH, writes the whole role. */
export async function patchRole(
  name: string,
  fields: RoleInput,
  whole: RoleInput,
): Promise<Reply<unknown>> {
  try {
    return await call(pki.patchRole, { ...fields, name });
  } catch (error) {
    if (unknownCall(error)) return saveRole(name, whole);
    throw error;
  }
}

export const deleteRole = (name: string): Promise<Reply<unknown>> => call(pki.deleteRole, { name });
