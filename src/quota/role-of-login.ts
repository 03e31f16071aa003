import { approle } from "../auth/types/approle.ts";
import { jwt } from "../auth/types/jwt.ts";
import type { Deployment } from "../engine/deployment.ts";
import { hashedName, storedLogin } from "../auth/rows/logins.ts";
import { methods } from "../engine/methods.ts";
import { rowReader } from "../engine/row-reader.ts";
import { methodKeys } from "../engine/method-records.ts";

const config = rowReader<{ readonly default_role: string }>({ default_role: "" });

/**
 * Returns the role of a login that names none, in lower case: that of an AppRole role id, or the
 * default of a method; "" without one. `mount`: `auth/…`.
 */
export async function unnamedRole(
  { sys }: Deployment,
  mount: string,
  { role, role_id }: Readonly<Record<string, unknown>>,
): Promise<string> {
  const method = (await methods(sys)).get(mount.slice("auth/".length));
  const rowOf = async (rest: string): Promise<unknown> =>
    method && (await sys.store.get([methodKeys.data(method.uuid, rest)]))[0]?.value;
  if (typeof role_id === "string" && role_id !== "")
    return storedLogin.id(await rowOf(`${approle.rows.roleIds}${await hashedName(role_id)}`)).id;
  return role === "" ? config(await rowOf(jwt.rows.config)).default_role.toLowerCase() : "";
}
