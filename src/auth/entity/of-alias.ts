import { toHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { deepEqual } from "../../base/deep-equal.ts";
import {
  aliasIds,
  type AliasRow,
  type EntityRow,
  hashedName,
  loginKeys,
  storedLogin,
} from "../rows/logins.ts";
import type { Batch } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";

/** A user's name in a login method, with metadata from the login method. */
export interface Alias {
  readonly name: string;
  readonly metadata?: Readonly<Record<string, string>>;
}
/**
 * The entity to which an alias belongs, and the change that creates the entity or updates the
 * alias.
 */
interface EntityOfAlias {
  readonly id: string;
  readonly change: Batch;
  /** Whether the change creates the entity. */
  readonly isNew: boolean;
}

/**
 * Finds or creates the entity of an alias. Stores nothing itself: the caller commits the returned
 * change. Throws `forbidden` if the entity is disabled.
 */
export async function entityOfAlias(
  sys: StoreContext,
  accessor: string,
  alias: Alias,
): Promise<EntityOfAlias> {
  const key = loginKeys.alias(accessor, await hashedName(alias.name));
  const [pointer] = await sys.store.get([key]);
  if (!pointer) return newEntity(sys, { accessor, key, own: aliasRow(sys, alias) });
  const id = storedLogin.alias(pointer.value).entity;
  const entityKey = loginKeys.entity(id);
  const [row] = await sys.store.get([entityKey]);
  const entity = storedLogin.entity(row?.value);
  if (entity.disabled) throw permissionDenied();
  const expect = [[key, pointer.rev] as const, [entityKey, row?.rev ?? null] as const];
  const existing = entity.aliases[accessor];
  const metadata = alias.metadata ?? {};
  if (!existing || deepEqual(existing.metadata, metadata))
    return { id, change: { expect }, isNew: false };
  const updated = Math.floor(sys.ports.now() / 1000);
  const aliases = { ...entity.aliases, [accessor]: { ...existing, metadata, updated } };
  const put = [[entityKey, { ...entity, aliases }] as const];
  return { id, change: { expect, put }, isNew: false };
}
/** Returns the error for a login that is not allowed. */
export const permissionDenied = (): CaError =>
  new CaError("forbidden", "1 error occurred:\n\t* permission denied\n\n");

interface FirstAlias {
  readonly accessor: string;
  /** Key of the row that maps the alias to its entity. */
  readonly key: string;
  readonly own: AliasRow;
}
function aliasRow({ ports }: StoreContext, { name, metadata = {} }: Alias): AliasRow {
  const created = Math.floor(ports.now() / 1000);
  const times = { created, updated: created };
  return { id: uuid(ports.random), name, metadata, custom_metadata: {}, ...times };
}
/** Returns a new entity with its first alias, and the change that stores both. */
export async function newEntity(
  { ports }: StoreContext,
  { accessor, key, own }: FirstAlias,
): Promise<EntityOfAlias> {
  const created = Math.floor(ports.now() / 1000);
  const id = uuid(ports.random);
  const entity: EntityRow = {
    name: `entity_${toHex(ports.random(4))}`,
    metadata: {},
    policies: [],
    disabled: false,
    aliases: { [accessor]: own },
    created,
    updated: created,
  };
  const nameKey = loginKeys.entityName(await hashedName(entity.name));
  return {
    id,
    isNew: true,
    change: {
      expect: [
        [key, null],
        [nameKey, null],
      ],
      put: [
        [key, { entity: id }, { [aliasIds]: own.id }],
        [nameKey, { id }],
        [loginKeys.entity(id), entity],
      ],
    },
  };
}
