import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import {
  aliasIds,
  belowLogin,
  type AliasRow,
  type EntityRow,
  hashedName,
  loginKeys,
  storedLogin,
} from "../../engine/login-records.ts";
import { readMethods } from "../../engine/methods.ts";
import type { Unit } from "../../engine/unit.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { formed, list, text, textPairs } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { findEntity, type Held } from "./found.ts";
import { readMetadata, readName } from "./names.ts";
import { aliasReply, aliasShown } from "./shown.ts";

const shared = { access: "token", style: envelope } as const;
const written = {
  id: text.required("Id of the alias."),
  canonical_id: text.required("Id of the entity or group that it leads to."),
} as const;

/** Refuses an accessor that no login method has: 400. */
export async function demandAccessor(sys: Unit, accessor: string): Promise<void> {
  const rows = [...(await readMethods(sys)).values()];
  if (!rows.some((row) => row.accessor === accessor))
    throw new CaError("malformed", "invalid mount accessor");
}
/** A new alias. */
export function newAlias({ ports }: Unit, name: string): AliasRow {
  const now = Math.floor(ports.now() / 1000);
  const plain = { metadata: {}, custom_metadata: {}, created: now, updated: now };
  return { id: uuid(ports.random), name: readName(name), ...plain };
}

export const writeEntityAlias = systemEndpoint({
  ...shared,
  id: "writeEntityAlias",
  at: ["POST /entity-alias"],
  doc: "Gives an entity a name at a login method.",
  body: {
    name: text.required("Name that the login method knows."),
    mount_accessor: text.required("Accessor of the login method."),
    canonical_id: text.required("Id of the entity."),
    custom_metadata: formed(textPairs, readMetadata).optional(
      "Texts by name, which templates may hold.",
    ),
  },
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { name, mount_accessor: accessor, canonical_id, custom_metadata }) =>
    sys.change(
      async () => {
        await demandAccessor(sys, accessor);
        const held = await findEntity(sys, { id: canonical_id });
        if (!held) throw new CaError("malformed", "there is no entity of this canonical_id");
        const key = loginKeys.alias(accessor, await hashedName(readName(name)));
        const [pointer] = await sys.store.get([key]);
        const own = held.row.aliases[accessor];
        if (pointer && storedLogin.alias(pointer.value).entity !== held.id)
          throw new CaError(
            "malformed",
            "this name leads to another entity: delete that alias first",
          );
        if (own && !pointer)
          throw new CaError("malformed", "the entity has another alias at this login method");
        const metadata = custom_metadata && readMetadata(custom_metadata);
        const plain = own ?? newAlias(sys, name);
        const alias = metadata ? { ...plain, custom_metadata: metadata } : plain;
        return {
          reply: { id: alias.id, canonical_id: held.id },
          batch: {
            expect: [
              [key, pointer?.rev ?? null],
              [loginKeys.entity(held.id), held.rev],
            ],
            put: [
              [key, { entity: held.id }, { [aliasIds]: alias.id }],
              [loginKeys.entity(held.id), withAlias(held.row, accessor, alias)],
            ],
          },
        };
      },
      { what: "the entity" },
    ),
});
const withAlias = (row: EntityRow, accessor: string, alias: AliasRow): EntityRow => ({
  ...row,
  aliases: { ...row.aliases, [accessor]: alias },
});

/** An alias with the entity that has it. */
async function aliasAt(sys: Unit, id: string) {
  const held = await findEntity(sys, { alias_id: id });
  const [accessor, alias] =
    Object.entries(held?.row.aliases ?? {}).find(([, one]) => one.id === id) ?? [];
  return held && accessor !== undefined && alias ? { held, accessor, alias } : undefined;
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
  doc: "Sets the custom metadata of an alias. What else is sent must be as it is.",
  body: {
    custom_metadata: formed(textPairs, readMetadata).optional(
      "Texts by name, which templates may hold.",
    ),
    name: text.optional("Name of the alias."),
    mount_accessor: text.optional("Accessor of its login method."),
    canonical_id: text.optional("Id of its entity."),
  },
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { id, custom_metadata, ...sent }) =>
    sys.change(async () => {
      const found = await aliasAt(sys, id);
      if (!found) throw new CaError("malformed", "there is no alias of this id");
      const { held, accessor, alias } = found;
      const { name = alias.name, mount_accessor = accessor, canonical_id = held.id } = sent;
      if (name !== alias.name || mount_accessor !== accessor || canonical_id !== held.id)
        throw new CaError(
          "malformed",
          "an alias keeps its name, login method and entity: delete it and make another one",
        );
      const metadata = custom_metadata ? readMetadata(custom_metadata) : alias.custom_metadata;
      const updated = Math.floor(sys.ports.now() / 1000);
      const next = withAlias(held.row, accessor, { ...alias, custom_metadata: metadata, updated });
      const key = loginKeys.entity(held.id);
      return {
        reply: { id, canonical_id: held.id },
        batch: { expect: [[key, held.rev]], put: [[key, next]] },
      };
    }),
});

export const deleteEntityAlias = systemEndpoint({
  ...shared,
  id: "deleteEntityAlias",
  at: ["DELETE /entity-alias/id/:id"],
  doc: "Deletes an alias: who logs in by it is somebody else from then on.",
  body: {},
  reply: {},
  run: async ({ sys }, { id }) => {
    await sys.change(async () => {
      const found = await aliasAt(sys, id);
      if (!found) return { reply: undefined };
      return { reply: undefined, batch: await without(found) };
    });
    return undefined;
  },
});
async function without({
  held,
  accessor,
  alias,
}: {
  readonly held: Held<EntityRow>;
  readonly accessor: string;
  readonly alias: AliasRow;
}) {
  const { [accessor]: _, ...aliases } = held.row.aliases;
  const key = loginKeys.entity(held.id);
  return {
    expect: [[key, held.rev] as const],
    put: [[key, { ...held.row, aliases }] as const],
    del: [loginKeys.alias(accessor, await hashedName(alias.name))],
  };
}

export const listEntityAliases = systemEndpoint({
  ...shared,
  id: "listEntityAliases",
  at: ["LIST /entity-alias/id"],
  doc: "Lists the ids of the aliases.",
  body: {},
  reply: { keys: list.required("Ids, sorted.") },
  refuses: ["not_found"],
  run: async ({ sys }) => {
    const rows = await sys.store.list(belowLogin.entities);
    const ids = rows.flatMap(([, { value }]) =>
      Object.values(storedLogin.entity(value).aliases).map((alias) => alias.id),
    );
    return ids.length > 0 ? { keys: ids.sort() } : undefined;
  },
});
