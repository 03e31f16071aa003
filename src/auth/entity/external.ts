import { hashedName, loginKeys, storedLogin } from "../rows/logins.ts";
import type { Batch } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";

/**
 * Returns the change that replaces the external groups that a login method assigned to an entity
 * with the groups that the method reported. Ignores reported groups that have no alias in the login
 * method.
 */
export async function externalMembership(
  sys: StoreContext,
  entity: string,
  accessor: string,
  names: readonly string[],
): Promise<Batch> {
  const below = loginKeys.member(entity, "");
  const aliases = await Promise.all(
    [...new Set(names)].map(async (name) => loginKeys.groupAlias(accessor, await hashedName(name))),
  );
  const [rows, current] = await Promise.all([
    aliases.length > 0 ? sys.store.get(aliases) : [],
    sys.store.list(below),
  ]);
  const groups = new Set(rows.flatMap((row) => (row ? storedLogin.id(row.value).id : [])));
  const own = current.filter(([, { value }]) => storedLogin.member(value).accessor === accessor);
  const isMember = new Set(own.map(([key]) => key));
  return {
    // the commit fails and is retried if a group's alias changes concurrently
    expect: aliases.map((key, at) => [key, rows[at]?.rev ?? null]),
    put: [...groups]
      .map((id) => loginKeys.member(entity, id))
      .filter((key) => !isMember.has(key))
      .map((key) => [key, { accessor }]),
    del: own.map(([key]) => key).filter((key) => !groups.has(key.slice(below.length))),
  };
}
