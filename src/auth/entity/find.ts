import {
  aliasIds,
  belowLogin,
  type EntityRow,
  type GroupRow,
  hashedName,
  loginKeys,
  storedLogin,
} from "../rows/logins.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { foldedName, idPattern } from "./names.ts";

/** A stored entity or group with its ID and the revision of its row. */
export interface StoredRecord<R> {
  readonly id: string;
  readonly rev: number;
  readonly row: R;
}
/** A query for an entity or a group. Only the first member that is set counts. */
export interface IdentityQuery {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly alias_id?: string | undefined;
  readonly alias_name?: string | undefined;
  readonly alias_mount_accessor?: string | undefined;
}
/** Names and functions that differ between entities and groups. */
export interface IdentityKind<R> {
  readonly what: "entity" | "group";
  /** Prefix of the row keys. */
  readonly below: string;
  key(id: string): string;
  nameKey(hash: string): string;
  aliasKey(accessor: string, hash: string): string;
  readonly aliases: string;
  read(value: unknown): R;
  /** Returns the ID of the entity or group to which the row of an alias refers. */
  leads(value: unknown): string;
}
/** Access to the rows of entities. */
export const entities: IdentityKind<EntityRow> = {
  what: "entity",
  below: belowLogin.entities,
  key: loginKeys.entity,
  nameKey: loginKeys.entityName,
  aliasKey: loginKeys.alias,
  aliases: belowLogin.aliases,
  read: storedLogin.entity,
  leads: (value) => storedLogin.alias(value).entity,
};
/** Access to the rows of groups. */
export const groups: IdentityKind<GroupRow> = {
  what: "group",
  below: belowLogin.groups,
  key: loginKeys.group,
  nameKey: loginKeys.groupName,
  aliasKey: loginKeys.groupAlias,
  aliases: belowLogin.groupAliases,
  read: storedLogin.group,
  leads: (value) => storedLogin.id(value).id,
};
/** Finds an entity in the store. */
export const findEntity = (
  sys: StoreContext,
  query: IdentityQuery,
): Promise<StoredRecord<EntityRow> | undefined> => find(entities, sys, query);
/** Finds a group in the store. */
export const findGroup = (
  sys: StoreContext,
  query: IdentityQuery,
): Promise<StoredRecord<GroupRow> | undefined> => find(groups, sys, query);

/**
 * Returns the possible keys of the row that maps a name to its entity or group: first for the exact
 * name, as stored by earlier versions, then for the case-folded name.
 */
export const nameKeys = async (
  { nameKey }: Pick<IdentityKind<unknown>, "nameKey">,
  name: string,
): Promise<readonly [exact: string, folded: string]> => [
  nameKey(await hashedName(name)),
  nameKey(await hashedName(foldedName(name))),
];

async function find<R>(kind: IdentityKind<R>, { store }: StoreContext, query: IdentityQuery) {
  const id = await idOf(kind, { store }, query);
  if (id === undefined || !idPattern.test(id)) return undefined;
  const [row] = await store.get([kind.key(id)]);
  return row && { id, rev: row.rev, row: kind.read(row.value) };
}
async function idOf<R>(
  kind: IdentityKind<R>,
  { store }: Pick<StoreContext, "store">,
  { id, name, alias_id, alias_name, alias_mount_accessor: accessor }: IdentityQuery,
): Promise<string | undefined> {
  if (id) return id;
  if (name) {
    const [exact, folded] = await store.get(await nameKeys(kind, name));
    const row = exact ?? folded;
    return row && storedLogin.id(row.value).id;
  }
  if (alias_id) {
    const by = { name: aliasIds, from: alias_id, to: alias_id };
    const [alias] = await store.list(kind.aliases, { by, limit: 1 });
    return alias && kind.leads(alias[1].value);
  }
  if (!alias_name || !accessor || !idPattern.test(accessor)) return undefined;
  const [row] = await store.get([kind.aliasKey(accessor, await hashedName(alias_name))]);
  return row && kind.leads(row.value);
}
