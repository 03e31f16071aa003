import { expectMethod, type Method } from "../rows/methods.ts";
import { CaError } from "../../base/errors.ts";
import { caselessParameter } from "../../base/forms.ts";
import type { Forms } from "../../wire/endpoint-list.ts";

/** The roles of a login method type. */
export interface RoleKind<R> {
  /** Prefix of the row keys, relative to the method. */
  readonly below: string;
  /** Parses the stored row of a role. */
  read(value: unknown): R;
}

/** Normalizes a role name to lower case, so that policies apply to every spelling. */
export const roleNamed = (name: string): string => name.toLowerCase();
/** Normal forms of role and user names in paths: lower case. */
export const roleNameForms: Forms = { name: caselessParameter, username: caselessParameter };
/** Matches valid role names. */
export const roleNamePattern = /^\w(?:[\w.-]{0,126}\w)?$/;

const keyOf = (method: Method, { below }: RoleKind<unknown>, name: string): string =>
  method.key(`${below}${roleNamed(name)}`);

/** A role with its name, and the key and the revision of its row. */
export interface StoredRole<R> {
  readonly name: string;
  readonly key: string;
  readonly rev: number;
  readonly role: R;
}
/** Finds a role in the store. Returns undefined if it does not exist or the name is not valid. */
export async function findRole<R>(
  method: Method,
  kind: RoleKind<R>,
  name: string,
): Promise<StoredRole<R> | undefined> {
  if (!roleNamePattern.test(name)) return undefined;
  const key = keyOf(method, kind, name);
  const [row] = await method.sys.store.get([key]);
  return row && { name: roleNamed(name), key, rev: row.rev, role: kind.read(row.value) };
}

/**
 * Creates or changes a role. `make` receives the current role, or undefined if there is none, and
 * returns the new role.
 */
export function changeStoredRole<R>(
  method: Method,
  kind: RoleKind<R>,
  name: string,
  make: (current: R | undefined) => R,
): Promise<void> {
  const key = keyOf(method, kind, name);
  return method.sys.change(
    async () => {
      const enabled = await expectMethod(method);
      const current = await findRole(method, kind, name);
      const put = [[key, make(current?.role)] as const];
      return { reply: undefined, batch: { expect: [enabled, [key, current?.rev ?? null]], put } };
    },
    { what: "the role" },
  );
}

/** Deletes a role, if it exists. */
export async function deleteStoredRole<R>(
  method: Method,
  kind: RoleKind<R>,
  name: string,
): Promise<void> {
  if (await findRole(method, kind, name))
    await method.sys.commit({ del: [keyOf(method, kind, name)] });
}

/**
 * Returns the sorted names of the roles, with the values of their rows if `values` is set. Throws
 * `not_found` if there are none.
 */
export async function listedRoles(
  method: Method,
  { below }: RoleKind<unknown>,
  values: boolean,
): Promise<readonly (readonly [name: string, value: unknown])[]> {
  const prefix = method.key(below);
  const rows = await method.sys.store.list(prefix, { values });
  if (rows.length === 0) throw new CaError("not_found", "");
  return rows.map(([key, { value }]) => [key.slice(prefix.length), value]);
}
