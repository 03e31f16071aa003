import { toHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { loginKeys, storedLogin } from "../rows/logins.ts";
import type { Batch, Store } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { groupsOf } from "./cached-entity.ts";
import { type StoredRecord, type IdentityKind, nameKeys } from "./find.ts";

/** Returns a new ID for an entity or group, and its row with a generated name. */
export function newIdentityRow<R>(
  { what, read }: IdentityKind<R>,
  { ports }: StoreContext,
  more: Readonly<Record<string, unknown>> = {},
): { readonly id: string; readonly row: R } {
  const name = `${what}_${toHex(ports.random(4))}`;
  const created = Math.floor(ports.now() / 1000);
  return { id: uuid(ports.random), row: read({ ...more, name, created }) };
}

/**
 * Returns the change that names or renames an entity or group. Throws `malformed` if another entity
 * or group already has the name, ignoring case.
 */
export async function renameChanges<R extends { readonly name: string }>(
  kind: IdentityKind<R>,
  { store }: StoreContext,
  stored: StoredRecord<R> | undefined,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<Required<Pick<Batch, "expect" | "put" | "del">>> {
  if (stored?.row.name === name) return { expect: [], put: [], del: [] };
  const keys = await nameKeys(kind, name);
  const rows = await store.get(keys);
  if (rows.some((row) => row && storedLogin.id(row.value).id !== id))
    throw new CaError("malformed", `${kind.what} name is already in use`);
  const [, key] = keys;
  const own = stored ? await namesOf(kind, store, stored) : [];
  return {
    expect: [...new Set(keys)].map((one, at) => [one, rows[at]?.rev ?? null]),
    put: [[key, { id }]],
    del: own.filter((one) => one !== key),
  };
}
/** Returns the keys of the rows that map names to an entity or group. */
export async function namesOf<R extends { readonly name: string }>(
  kind: IdentityKind<R>,
  store: Store,
  { id, row: { name } }: StoredRecord<R>,
): Promise<readonly string[]> {
  const keys = [...new Set(await nameKeys(kind, name))];
  const rows = await store.get(keys);
  // earlier versions stored names that differ only in case in separate rows
  return keys.filter((_, at) => rows[at] && storedLogin.id(rows[at].value).id === id);
}

/** Returns the change that removes a deleted entity or group from all groups. */
export async function groupRemoval(
  store: Store,
  id: string,
): Promise<Required<Pick<Batch, "expect" | "put" | "del">>> {
  const direct = (await groupsOf(store, id)).filter((group) => group.direct);
  const members = await store.list(loginKeys.member(id, ""), { values: false });
  const isOther = (member: string): boolean => member !== id;
  return {
    expect: direct.map((group) => [loginKeys.group(group.id), group.rev]),
    put: direct.map(({ id: of, group }) => [
      loginKeys.group(of),
      {
        ...group,
        member_entity_ids: group.member_entity_ids.filter(isOther),
        member_group_ids: group.member_group_ids.filter(isOther),
      },
    ]),
    del: members.map(([key]) => key),
  };
}

/**
 * Returns the sorted IDs of all entities or groups, with details of each. Returns undefined if
 * there are none.
 */
export async function listedIds<R, Told>(
  { below, read }: IdentityKind<R>,
  { store }: StoreContext,
  describe: (row: R) => Told,
) {
  const rows = await store.list(below);
  if (rows.length === 0) return undefined;
  const infos = rows.map(
    ([key, { value }]) => [key.slice(below.length), describe(read(value))] as const,
  );
  return { keys: infos.map(([id]) => id), key_info: Object.fromEntries(infos) };
}

/** Returns the sorted names of all entities or groups. Returns undefined if there are none. */
export async function listedNames<R extends { readonly name: string }>(
  { below, read }: IdentityKind<R>,
  { store }: StoreContext,
) {
  const rows = await store.list(below);
  if (rows.length === 0) return undefined;
  return { keys: rows.map(([, { value }]) => read(value).name).sort() };
}
