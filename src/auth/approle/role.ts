import { approle } from "../types/approle.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { hashedName } from "../rows/logins.ts";
import type { Method } from "../rows/methods.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { flag, withNormalForm, int, list, type Parsed, seconds, text } from "../../wire/field.ts";
import { checkRanges, rangesForm } from "../method/address.ts";
import {
  plainTokens,
  tokenFields,
  tokenReply,
  type TokenSettings,
  tokenSettingsOf,
  withTokenFields,
} from "../method/token-fields.ts";

/** A stored role of the AppRole login method. */
export interface Role extends TokenSettings {
  /**
   * Random ID, part of the key prefix of the role's secret IDs. Keeps a new role from inheriting
   * the secret IDs of a deleted role with the same name.
   */
  readonly id: string;
  readonly role_id: string;
  readonly bind_secret_id: boolean;
  readonly secret_id_bound_cidrs: readonly string[];
  readonly secret_id_num_uses: number;
  readonly secret_id_ttl: number;
  readonly local_secret_ids: boolean;
}
/** Parses the stored row of a role. */
export const storedRole = rowReader<Role>({
  ...plainTokens,
  id: "",
  role_id: "",
  bind_secret_id: true,
  secret_id_bound_cidrs: [],
  secret_id_num_uses: 0,
  secret_id_ttl: 0,
  local_secret_ids: false,
});

/** The fields of a role in requests. Absent fields keep their values. */
export const roleFields = {
  bind_secret_id: flag.optional("Whether a login requires a secret ID."),
  secret_id_bound_cidrs: withNormalForm(list, rangesForm).optional(
    "Address ranges (CIDR) from which secret IDs may be used.",
  ),
  bound_cidr_list: withNormalForm(list, rangesForm).alias("secret_id_bound_cidrs"),
  secret_id_num_uses: int.optional("Number of times a secret ID may be used; 0 means unlimited."),
  secret_id_ttl: seconds.optional("Lifetime of secret IDs; 0 means that they do not expire."),
  local_secret_ids: flag.optional("Has no effect. Can only be set when the role is created."),
  ...tokenFields,
} as const;
/** The fields of a role in responses. */
export const roleReply = {
  bind_secret_id: flag.required("Whether a login requires a secret ID."),
  secret_id_bound_cidrs: list.required("Address ranges (CIDR) from which secret IDs may be used."),
  secret_id_num_uses: int.required("Number of times a secret ID may be used; 0 means unlimited."),
  secret_id_ttl: seconds.required("Lifetime of secret IDs; 0 means that they do not expire."),
  local_secret_ids: flag.required("Stored and returned, but has no effect."),
  ...tokenReply,
} as const;
/** Returns a role, formatted for responses. */
export const toRoleReply = (role: Role): Parsed<typeof roleReply> => ({
  bind_secret_id: role.bind_secret_id,
  secret_id_bound_cidrs: role.secret_id_bound_cidrs,
  secret_id_num_uses: role.secret_id_num_uses,
  secret_id_ttl: role.secret_id_ttl,
  local_secret_ids: role.local_secret_ids,
  ...tokenSettingsOf(role),
});
/** The field for a role ID in requests that create or update a role. */
export const roleIdField = text.optional("ID of the role; generated if not sent.");

/** Returns a role with default settings. */
export const newRole = ({ sys }: Method): Role =>
  storedRole({ id: uuid(sys.ports.random), role_id: uuid(sys.ports.random) });

/** Returns the role with the requested changes. Throws `malformed` if the result is not valid. */
export function withRoleFields(current: Role, changes: Readonly<Record<string, unknown>>): Role {
  const names = ["bind_secret_id", "secret_id_num_uses", "secret_id_ttl", "local_secret_ids"];
  const sent = Object.fromEntries(
    names.flatMap((name) => (changes[name] === undefined ? [] : [[name, changes[name]]])),
  );
  const ranges = changes["secret_id_bound_cidrs"] ?? changes["bound_cidr_list"];
  // `roleFields` validated the types
  const role = {
    ...current,
    ...withTokenFields(current, changes),
    ...sent,
    ...(ranges === undefined ? {} : { secret_id_bound_cidrs: ranges }),
  } as Role;
  if (role.secret_id_num_uses < 0)
    throw new CaError("malformed", "secret_id_num_uses cannot be negative");
  checkRanges("secret_id_bound_cidrs", role.secret_id_bound_cidrs);
  if (!role.bind_secret_id && !role.secret_id_bound_cidrs.length && !role.token_bound_cidrs.length)
    throw new CaError(
      "malformed",
      "at least one constraint should be enabled on the role: bind_secret_id, secret_id_bound_cidrs or token_bound_cidrs",
    );
  return role;
}

/** Normalizes a role name to lower case, as stored. */
export const roleName = (name: string): string => name.toLowerCase();
/** Returns the key of a role's row. */
export const roleKey = (method: Method, name: string): string =>
  method.key(`${approle.rows.roles}${roleName(name)}`);
/**
 * Returns the key of the row that maps a role ID to its role. The key contains a hash, because
 * users may choose role IDs.
 */
export const roleIdKey = async (method: Method, roleId: string): Promise<string> =>
  method.key(`${approle.rows.roleIds}${await hashedName(roleId)}`);

/** A role with the key and the revision of its row. */
export interface StoredRole {
  readonly key: string;
  readonly rev: number;
  readonly role: Role;
}
/** Finds a role in the store. */
export async function findRole(method: Method, name: string): Promise<StoredRole | undefined> {
  const key = roleKey(method, name);
  const [row] = await method.sys.store.get([key]);
  return row && { key, rev: row.rev, role: storedRole(row.value) };
}
