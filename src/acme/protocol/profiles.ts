import { acmeConfig } from "../rows/config.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowPrefixes } from "../../pki/rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findRole, storedRole, type Role } from "../../pki/leaf/role.ts";
import { externalOf, isProfile, type DirectoryNames } from "./selection.ts";

/**
 * Maximum number of profiles listed in a directory; orders may also use profiles that are not
 * listed.
 */
const maxProfiles = 100;
/** Maximum number of roles read to find profiles. */
const maxRoles = 1000;

/**
 * Returns the profiles of a directory, each with a description. They are the roles that an order
 * may choose if the path contains no role (D 5). Returns none if the default directory policy is
 * `forbid` or an external policy decides.
 */
export async function profilesOf(
  mount: Mount,
  config: Snapshot,
  named: DirectoryNames,
): Promise<Readonly<Record<string, string>>> {
  const { role, issuer_ref } = named;
  if (externalOf(config, named) !== undefined) return {};
  if (role !== undefined || config.get(acmeConfig).default_directory_policy === "forbid") return {};
  const roles = await listedRoles(mount, config);
  return Object.fromEntries(
    roles
      .filter((listed) => isProfile(config, listed, issuer_ref))
      .slice(0, maxProfiles)
      .map(({ name }) => [name, `Certificates issued under the rules of the role ${name}.`]),
  );
}

interface ListedRole {
  readonly name: string;
  readonly role: Role;
}
/** The roles, cached per configuration because anyone can request a directory. */
const roleCache = memoize<Snapshot, readonly [], { roles?: readonly ListedRole[] }>(() => ({}));
async function listedRoles(mount: Mount, config: Snapshot): Promise<readonly ListedRole[]> {
  const cache = roleCache(config);
  // caches the result rather than the promise, because the promise of a cancelled request never
  // settles
  return (cache.roles ??= await readRoles(mount, config));
}
async function readRoles(mount: Mount, config: Snapshot): Promise<readonly ListedRole[]> {
  const { allowed_roles: names } = config.get(acmeConfig);
  if (names.includes("*")) {
    const rows = await mount.store.list(rowPrefixes.roles, { limit: maxRoles });
    return rows.map(([key, { value }]) => ({
      name: key.slice(rowPrefixes.roles.length),
      role: storedRole(value),
    }));
  }
  const rolesByName = await Promise.all(
    names.slice(0, maxRoles).map(async (name) => ({ name, role: await findRole(config, name) })),
  );
  return rolesByName.flatMap(({ name, role }) => (role ? [{ name, role }] : []));
}
