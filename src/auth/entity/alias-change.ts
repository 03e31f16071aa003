import { CaError } from "../../base/errors.ts";
import {
  type AliasRow,
  aliasIds,
  type EntityRow,
  hashedName,
  loginKeys,
  storedLogin,
} from "../rows/logins.ts";
import { readMethods } from "../rows/methods.ts";
import type { Batch } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { findEntity, type StoredRecord } from "./find.ts";
import { readMetadata, readName } from "./names.ts";

/** The changes to an alias in a request. Empty strings count as absent. */
export interface AliasChanges {
  readonly name?: string | undefined;
  readonly mount_accessor?: string | undefined;
  readonly canonical_id?: string | undefined;
  readonly custom_metadata?: Readonly<Record<string, unknown>> | undefined;
}
/** An alias and the entity to which it belongs. */
interface AliasOfEntity {
  readonly entity: StoredRecord<EntityRow>;
  readonly accessor: string;
  readonly alias: AliasRow;
}

/** Requires that a login method has this accessor. Throws `malformed` otherwise. */
export async function requireAccessor(sys: StoreContext, accessor: string): Promise<void> {
  const rows = [...(await readMethods(sys)).values()];
  if (!rows.some((row) => row.accessor === accessor))
    throw new CaError("malformed", "invalid mount accessor");
}
/**
 * Returns the entity to which an alias is to be assigned. Throws `malformed` if it does not exist.
 */
export async function targetEntity(
  sys: StoreContext,
  id: string,
): Promise<StoredRecord<EntityRow>> {
  const entity = await findEntity(sys, { id });
  if (!entity) throw new CaError("malformed", "no entity has this canonical_id");
  return entity;
}
/** Returns the error for a second alias of an entity in the same login method. */
export const secondAlias = (): CaError =>
  new CaError("malformed", "the entity already has an alias at this login method");
/** Returns the error for a name that belongs to another entity. */
export const aliasNameInUse = (): CaError =>
  new CaError("malformed", "this name is an alias of another entity: delete that alias first");
/** Returns an entity's row with an additional alias. */
export const withAlias = (row: EntityRow, accessor: string, alias: AliasRow): EntityRow => ({
  ...row,
  aliases: { ...row.aliases, [accessor]: alias },
});
function withoutAlias(row: EntityRow, accessor: string): EntityRow {
  const { [accessor]: _, ...aliases } = row.aliases;
  return { ...row, aliases };
}

/** Returns the alias with this ID and its entity, or undefined if there is none. */
export async function aliasAt(sys: StoreContext, id: string): Promise<AliasOfEntity | undefined> {
  const entity = await findEntity(sys, { alias_id: id });
  const [accessor, alias] =
    Object.entries(entity?.row.aliases ?? {}).find(([, one]) => one.id === id) ?? [];
  return entity && accessor !== undefined && alias ? { entity, accessor, alias } : undefined;
}

/**
 * Changes an alias. A new entity, name or login method affects only later logins: existing tokens
 * keep their entity, and the former entity leaves the external groups that the login method
 * assigned.
 */
export function changeAlias(sys: StoreContext, id: string, changes: AliasChanges) {
  let left: (() => Promise<void>) | undefined;
  const changed = sys.change(
    async () => {
      const current = await aliasAt(sys, id);
      if (!current) throw new CaError("malformed", "no alias has this id");
      const { name, accessor, entity } = requestedAlias(current, changes);
      const isMoved = entity !== current.entity.id || accessor !== current.accessor;
      const isSame = !isMoved && name === current.alias.name;
      left = isSame ? undefined : () => leaveGroups(sys, current);
      return {
        reply: { id, canonical_id: entity },
        batch: isSame ? metadataChange(sys, current, changes) : await move(sys, current, changes),
      };
    },
    { what: "the alias" },
  );
  return changed.then(async (reply) => {
    await left?.();
    return reply;
  });
}
const requestedAlias = (
  { entity: current, accessor, alias }: AliasOfEntity,
  changes: AliasChanges,
) => ({
  name: changes.name || alias.name,
  accessor: changes.mount_accessor || accessor,
  entity: changes.canonical_id || current.id,
});
const nextAlias = ({ ports }: StoreContext, alias: AliasRow, changes: AliasChanges): AliasRow => ({
  ...alias,
  ...(changes.custom_metadata ? { custom_metadata: readMetadata(changes.custom_metadata) } : {}),
  updated: Math.floor(ports.now() / 1000),
});
function metadataChange(
  sys: StoreContext,
  { entity: owner, accessor, alias }: AliasOfEntity,
  changes: AliasChanges,
) {
  const key = loginKeys.entity(owner.id);
  const row = withAlias(owner.row, accessor, nextAlias(sys, alias, changes));
  return { expect: [[key, owner.rev]], put: [[key, row]] } satisfies Batch;
}

async function move(
  sys: StoreContext,
  current: AliasOfEntity,
  changes: AliasChanges,
): Promise<Batch> {
  const { entity: from, accessor: before, alias } = current;
  const { name, accessor, entity } = requestedAlias(current, changes);
  if (accessor !== before) await requireAccessor(sys, accessor);
  const to = entity === from.id ? from : await targetEntity(sys, entity);
  const other = to.row.aliases[accessor];
  if (other && other.id !== alias.id) throw secondAlias();
  const oldKey = loginKeys.alias(before, await hashedName(alias.name));
  const key = loginKeys.alias(accessor, await hashedName(readName(name)));
  const [oldPointer, pointer] = await sys.store.get([oldKey, key]);
  if (key !== oldKey && pointer) throw aliasNameInUse();
  // does not carry the old name's metadata over to the new name
  const metadata = key === oldKey ? alias.metadata : {};
  const next = nextAlias(sys, { ...alias, name, metadata }, changes);
  const rest = withoutAlias(from.row, before);
  const rows =
    to === from
      ? [[from, withAlias(rest, accessor, next)] as const]
      : [[from, rest] as const, [to, withAlias(to.row, accessor, next)] as const];
  return {
    expect: [
      [oldKey, oldPointer?.rev ?? null],
      ...(key === oldKey ? [] : [[key, null] as const]),
      ...rows.map(([{ id, rev }]) => [loginKeys.entity(id), rev] as const),
    ],
    put: [
      [key, { entity: to.id }, { [aliasIds]: alias.id }],
      ...rows.map(([{ id }, row]) => [loginKeys.entity(id), row] as const),
    ],
    del: [...(key === oldKey ? [] : [oldKey]), ...(await membershipsOf(sys, current))],
  };
}

/**
 * Returns the keys of the group memberships that the alias's login method assigned to its entity.
 */
async function membershipsOf(
  { store }: StoreContext,
  { entity: owner, accessor }: AliasOfEntity,
): Promise<readonly string[]> {
  const rows = await store.list(loginKeys.member(owner.id, ""));
  return rows
    .filter(([, { value }]) => storedLogin.member(value).accessor === accessor)
    .map(([key]) => key);
}
/**
 * Deletes group memberships that a concurrent login assigned while the alias was being changed or
 * deleted.
 */
async function leaveGroups(sys: StoreContext, alias: AliasOfEntity): Promise<void> {
  const del = await membershipsOf(sys, alias);
  if (del.length > 0) await sys.commit({ del });
}

/** Deletes an alias. Its entity leaves the external groups that the login method assigned. */
export async function removeAlias(sys: StoreContext, id: string): Promise<void> {
  const deleted = await sys.change(async () => {
    const current = await aliasAt(sys, id);
    if (!current) return { reply: undefined };
    const { entity: owner, accessor, alias } = current;
    const key = loginKeys.entity(owner.id);
    const batch: Batch = {
      expect: [[key, owner.rev]],
      put: [[key, withoutAlias(owner.row, accessor)]],
      del: [
        loginKeys.alias(accessor, await hashedName(alias.name)),
        ...(await membershipsOf(sys, current)),
      ],
    };
    return { reply: current, batch };
  });
  if (deleted) await leaveGroups(sys, deleted);
}
