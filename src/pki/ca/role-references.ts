import type { Mount } from "../../engine/mount.ts";
import { below } from "../../engine/records.ts";
import { storedRole } from "../leaf/role.ts";

/** Of so many roles one is told by name; more are "at least" as many. */
export const mostRoles = 10;
/** Names of the roles that refer to an issuer so, ten at most, of the first hundred roles. */
export async function rolesNaming(ca: Mount, reference: string): Promise<readonly string[]> {
  if (reference === "") return [];
  const prefix = below.roles;
  const rows = await ca.store.list(prefix, { limit: 100 });
  return rows
    .filter(([, row]) => storedRole(row.value).issuer_ref === reference)
    .map(([key]) => key.slice(prefix.length))
    .slice(0, mostRoles);
}
