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
  type GivenAlias,
  aliasNameTaken,
  removeAlias,
  secondAlias,
  targetEntity,
  withAlias,
} from "./alias-change.ts";
import { readMetadata, readName } from "./names.ts";
import { newEntity } from "./of-alias.ts";
import { aliasList, aliasReply, aliasShown, allMethods, listedAliases } from "./shown.ts";

const shared = { access: "token", style: envelope } as const;
const written = {
  id: text.required("Id of the alias."),
  canonical_id: text.required("Id of the entity or group that it leads to."),
} as const;

/** Returns a new alias. */
export function newAlias({ ports }: StoreContext, name: string): AliasRow {
  const now = Math.floor(ports.now() / 1000);
  const plain = { metadata: {}, custom_metadata: {}, created: now, updated: now };
  return { id: uuid(ports.random), name: readName(name), ...plain };
}

const sent = {
  name: text.optional("Name of the alias."),
  mount_accessor: text.optional("Accessor of its login method."),
  canonical_id: text.optional("Id of its entity."),
  custom_metadata: withNormalForm(textPairs, readMetadata).optional(
    "Texts by name, which templates may hold.",
  ),
} as const;

export const writeEntityAlias = systemEndpoint({
  ...shared,
  id: "writeEntityAlias",
  at: ["POST /entity-alias"],
  doc: "Gives an entity a name at a login method, or changes the alias of an id.",
  body: {
    id: text.optional("Id of the alias to change."),
    ...sent,
    canonical_id: text.optional("Id of the entity; one is made unless sent."),
  },
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { id, ...given }) =>
    id
      ? changeAlias(sys, id, given)
      : sys.change(() => aliasOfName(sys, given), { what: "the entity" }),
});
/** Decides on the alias of a name and its entity, which is created unless named. */
async function aliasOfName(sys: StoreContext, given: GivenAlias) {
  const { name = "", mount_accessor: accessor = "", canonical_id } = given;
  if (name === "") throw new CaError("malformed", "missing alias name");
  await requireAccessor(sys, accessor);
  const key = loginKeys.alias(accessor, await hashedName(readName(name)));
  const [pointer] = await sys.store.get([key]);
  const leadsTo = pointer && storedLogin.alias(pointer.value).entity;
  const custom = given.custom_metadata && {
    custom_metadata: readMetadata(given.custom_metadata),
  };
  const entity = canonical_id || leadsTo;
  if (!entity) {
    const own = { ...newAlias(sys, name), ...custom };
    const { id, change } = await newEntity(sys, { accessor, key, own });
    return { reply: { id: own.id, canonical_id: id }, batch: change };
  }
  const held = await targetEntity(sys, entity);
  if (leadsTo !== undefined && leadsTo !== held.id) throw aliasNameTaken();
  const own = held.row.aliases[accessor];
  if (own && !pointer) throw secondAlias();
  const alias = { ...(own ?? newAlias(sys, name)), ...custom };
  const batch: Batch = {
    expect: [
      [key, pointer?.rev ?? null],
      [loginKeys.entity(held.id), held.rev],
    ],
    put: [
      [key, { entity: held.id }, { [aliasIds]: alias.id }],
      [loginKeys.entity(held.id), withAlias(held.row, accessor, alias)],
    ],
  };
  return { reply: { id: alias.id, canonical_id: held.id }, batch };
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
    const found = await aliasAt(sys, id);
    return found && aliasShown(sys, found.held.id, found.accessor, found.alias);
  },
});

export const changeEntityAlias = systemEndpoint({
  ...shared,
  id: "changeEntityAlias",
  at: ["POST /entity-alias/id/:id"],
  doc: "Changes what is sent of an alias. With another entity, name or login method, logins map otherwise from then on; tokens keep their entity, which leaves the groups that the login method named for it.",
  body: sent,
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { id, ...given }) => changeAlias(sys, id, given),
});

export const deleteEntityAlias = systemEndpoint({
  ...shared,
  id: "deleteEntityAlias",
  at: ["DELETE /entity-alias/id/:id"],
  doc: "Deletes an alias: who logs in by it is somebody else from then on. Its entity leaves the groups that the login method named for it.",
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
  doc: "Lists the ids of the aliases.",
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
