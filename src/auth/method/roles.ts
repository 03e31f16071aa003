import { expectMethod, type Method } from "../../engine/methods.ts";
import { CaError } from "../../base/errors.ts";
import { caselessParameter } from "../../base/forms.ts";
import type { Forms } from "../../wire/endpoint-list.ts";

/** Roles of one type of login methods. */
export interface RoleKind<R> {
  /** What the keys of their rows begin with, below the method. */
  readonly below: string;
  /** A role as it is read from its row. */
  read(value: unknown): R;
}

/** Names of roles as they are kept: in lower case, so that policies see one spelling. */
export const roleNamed = (name: string): string => name.toLowerCase();
/** Forms of names of roles and users in paths: they are stored in lower case. */
export const roleNameForms: Forms = { name: caselessParameter, username: caselessParameter };
/** What the name of a role may look like. */
export const roleNamePattern = /^\w(?:[\w.-]{0,126}\w)?$/;

const keyOf = (method: Method, { below }: RoleKind<unknown>, name: string): string =>
  method.key(`${below}${roleNamed(name)}`);

/** A role with its name, and the revision of its row. */
export interface HeldRole<R> {
  readonly name: string;
  readonly key: string;
  readonly rev: number;
  readonly role: R;
}
/** The role of a name, asked of the store now; undefined for a name that no role can have. */
export async function findRole<R>(
  method: Method,
  kind: RoleKind<R>,
  name: string,
): Promise<HeldRole<R> | undefined> {
  if (!roleNamePattern.test(name)) return undefined;
  const key = keyOf(method, kind, name);
  const [row] = await method.sys.store.get([key]);
  return row && { name: roleNamed(name), key, rev: row.rev, role: kind.read(row.value) };
}

/** Makes or changes a role; `make` gets it as it is, or undefined. */
export function changeHeldRole<R>(
  method: Method,
  kind: RoleKind<R>,
  name: string,
  make: (held: R | undefined) => R,
): Promise<void> {
  const key = keyOf(method, kind, name);
  return method.sys.change(
    async () => {
      const enabled = await expectMethod(method);
      const held = await findRole(method, kind, name);
      const put = [[key, make(held?.role)] as const];
      return { reply: undefined, batch: { expect: [enabled, [key, held?.rev ?? null]], put } };
    },
    { what: "the role" },
  );
}

/** Deletes a role, if there is one of that name. */
export async function deleteHeldRole<R>(
  method: Method,
  kind: RoleKind<R>,
  name: string,
): Promise<void> {
  if (await findRole(method, kind, name))
    await method.sys.commit({ del: [keyOf(method, kind, name)] });
}

/** The names of the roles, sorted. Throws `not_found` where there is none. */
export async function roleNames(
  method: Method,
  { below }: RoleKind<unknown>,
): Promise<readonly string[]> {
  const prefix = method.key(below);
  const rows = await method.sys.store.list(prefix, { values: false });
  if (rows.length === 0) throw new CaError("not_found", "");
  return rows.map(([key]) => key.slice(prefix.length));
}
