import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import {
  aliasIds,
  belowLogin,
  type AliasRow,
  hashedName,
  loginKeys,
  storedLogin,
} from "../rows/logins.ts";
import type { Batch } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { withNormalForm, text, textPairs } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import {
  aliasAt,
  changeAlias,
  requireAccessor,
  type AliasChanges,
  aliasNameInUse,
  removeAlias,
  secondAlias,
  targetEntity,
  withAlias,
} from "./alias-change.ts";
import { readMetadata, readName } from "./names.ts";
import { newEntity } from "./of-alias.ts";
import { aliasList, aliasReply, toAliasReply, allMethods, listedAliases } from "./replies.ts";

const shared = { access: "token", style: envelope } as const;
const written = {
  id: text.required("ID of the alias."),
  canonical_id: text.required("ID of the entity to which the alias belongs."),
} as const;

/** Returns a new alias. */
export function newAlias({ ports }: StoreContext, name: string): AliasRow {
  const now = Math.floor(ports.now() / 1000);
  const plain = { metadata: {}, custom_metadata: {}, created: now, updated: now };
  return { id: uuid(ports.random), name: readName(name), ...plain };
}

const sent = {
  name: text.optional("Name of the alias."),
  mount_accessor: text.optional("Accessor of the alias's login method."),
  canonical_id: text.optional("ID of the entity to which the alias belongs."),
  custom_metadata: withNormalForm(textPairs, readMetadata).optional(
    "Metadata for use in policy templates: strings by name.",
  ),
} as const;

export const writeEntityAlias = systemEndpoint({
  ...shared,
  id: "writeEntityAlias",
  at: ["POST /entity-alias"],
  doc: "Creates an alias that maps a name in a login method to an entity, or updates the alias with the given ID.",
  body: {
    id: text.optional("ID of the alias to update."),
    ...sent,
    canonical_id: text.optional("ID of the entity. If absent, an entity is created."),
  },
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { id, ...fields }) =>
    id
      ? changeAlias(sys, id, fields)
      : sys.change(() => aliasOfName(sys, fields), { what: "the entity" }),
});
/**
 * Returns the change that creates or updates the alias with the requested name. Also creates an
 * entity if the request does not specify one and the alias is new.
 */
async function aliasOfName(sys: StoreContext, fields: AliasChanges) {
  const { name = "", mount_accessor: accessor = "", canonical_id } = fields;
  if (name === "") throw new CaError("malformed", "missing alias name");
  await requireAccessor(sys, accessor);
  const key = loginKeys.alias(accessor, await hashedName(readName(name)));
  const [pointer] = await sys.store.get([key]);
  const leadsTo = pointer && storedLogin.alias(pointer.value).entity;
  const custom = fields.custom_metadata && {
    custom_metadata: readMetadata(fields.custom_metadata),
  };
  const entity = canonical_id || leadsTo;
  if (!entity) {
    const own = { ...newAlias(sys, name), ...custom };
    const { id, change } = await newEntity(sys, { accessor, key, own });
    return { reply: { id: own.id, canonical_id: id }, batch: change };
  }
  const target = await targetEntity(sys, entity);
  if (leadsTo !== undefined && leadsTo !== target.id) throw aliasNameInUse();
  const own = target.row.aliases[accessor];
  if (own && !pointer) throw secondAlias();
  const alias = { ...(own ?? newAlias(sys, name)), ...custom };
  const batch: Batch = {
    expect: [
      [key, pointer?.rev ?? null],
      [loginKeys.entity(target.id), target.rev],
    ],
    put: [
      [key, { entity: target.id }, { [aliasIds]: alias.id }],
      [loginKeys.entity(target.id), withAlias(target.row, accessor, alias)],
    ],
  };
  return { reply: { id: alias.id, canonical_id: target.id }, batch };
}

export const readEntityAlias = systemEndpoint({
  ...shared,
  id: "readEntityAlias",
  at: ["GET /entity-alias/id/:id"],
  doc: "Reads an alias.",
  body: {},
  reply: aliasReply,
  refuses: ["not_found"],
  run: async ({ sys }, { id }) => {
    const stored = await aliasAt(sys, id);
    return stored && toAliasReply(sys, stored.entity.id, stored.accessor, stored.alias);
  },
});

export const changeEntityAlias = systemEndpoint({
  ...shared,
  id: "changeEntityAlias",
  at: ["POST /entity-alias/id/:id"],
  doc: "Updates the given fields of an alias. A new entity, name or login method applies to later logins; existing tokens keep their entity, which leaves the groups assigned by the login method.",
  body: sent,
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { id, ...changes }) => changeAlias(sys, id, changes),
});

export const deleteEntityAlias = systemEndpoint({
  ...shared,
  id: "deleteEntityAlias",
  at: ["DELETE /entity-alias/id/:id"],
  doc: "Deletes an alias. Later logins with it create a new entity; its current entity leaves the groups assigned by the login method.",
  body: {},
  reply: {},
  run: async ({ sys }, { id }) => {
    await removeAlias(sys, id);
    return undefined;
  },
});
export const listEntityAliases = systemEndpoint({
  ...shared,
  id: "listEntityAliases",
  at: ["LIST /entity-alias/id"],
  doc: "Lists the IDs of the entity aliases.",
  body: {},
  reply: listedAliases,
  refuses: ["not_found"],
  run: async ({ sys }) => {
    const rows = await sys.store.list(belowLogin.entities);
    return aliasList(
      await allMethods(sys),
      rows.flatMap(([key, { value }]) =>
        Object.entries(storedLogin.entity(value).aliases).map(([accessor, alias]) => ({
          canonical_id: key.slice(belowLogin.entities.length),
          accessor,
          alias,
        })),
      ),
    );
  },
});
