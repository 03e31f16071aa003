import { caselessForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { type EntityRow, hashedName, loginKeys } from "../rows/logins.ts";
import type { Batch } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, withNormalForm, list, listOf, mapsOf, text, textPairs } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { entities, findEntity, type StoredRecord, type IdentityQuery } from "./find.ts";
import { identityPolicies, policyNames, readMetadata, readName } from "./names.ts";
import {
  groupRemoval,
  newIdentityRow,
  listedIds,
  listedNames,
  namesOf,
  renameChanges,
} from "./rows.ts";
import { aliasEntry, aliasListed, allMethods, entityReply, toEntityReply } from "./replies.ts";

const shared = { access: "token", style: envelope } as const;
const fields = {
  metadata: withNormalForm(textPairs, readMetadata).optional(
    "Metadata for use in policy templates: strings by name.",
  ),
  policies: withNormalForm(list, policyNames).optional(
    "Policies that the entity's tokens have in addition to their own; never `root`.",
  ),
  disabled: flag.optional("Whether logins and tokens of the entity are rejected."),
} as const;
interface EntityChanges {
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}
const written = {
  id: text.required("ID of the entity."),
  name: text.required("Name of the entity."),
} as const;

export const writeEntity = systemEndpoint({
  ...shared,
  id: "writeEntity",
  at: ["POST /entity"],
  doc: "Creates an entity, or updates the given fields of the entity with the given ID or name (case-insensitive). An update returns no content.",
  body: {
    name: withNormalForm(text, caselessForm).optional("Name; generated if not sent."),
    id: text.optional("ID of the entity to update."),
    ...fields,
  },
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { id, name, ...changes }) =>
    changeEntity(sys, id ? { id } : { name }, { ...changes, ...(name ? { name } : {}) }),
});
export const writeEntityById = systemEndpoint({
  ...shared,
  id: "writeEntityById",
  at: ["POST /entity/id/:id"],
  doc: "Updates the given fields of an entity; returns no content.",
  body: { name: withNormalForm(text, caselessForm).optional("New name."), ...fields },
  reply: {},
  refuses: ["malformed", "invalid_field"],
  run: async ({ sys }, { id, ...changes }) => {
    await changeEntity(sys, { id }, changes);
    return undefined;
  },
});
export const writeEntityByName = systemEndpoint({
  ...shared,
  id: "writeEntityByName",
  at: ["POST /entity/name/:name"],
  doc: "Creates an entity with this name, or updates the given fields of the existing entity. An update returns no content.",
  body: fields,
  reply: written,
  refuses: ["invalid_field"],
  run: ({ sys }, { name, ...changes }) => changeEntity(sys, { name }, { ...changes, name }),
});

function changeEntity(
  sys: StoreContext,
  query: IdentityQuery,
  { name, ...changes }: EntityChanges,
) {
  return sys.change(
    async () => {
      const current = await findEntity(sys, query);
      if (!current && query.id) throw new CaError("malformed", "no entity has this id");
      const { id, row } = current ?? newIdentityRow(entities, sys);
      const next: EntityRow = {
        ...row,
        // an entity that was found by name keeps the stored spelling of the name
        name: name && (query.id || !current) ? readName(name) : row.name,
        metadata: changes.metadata ? readMetadata(changes.metadata) : row.metadata,
        policies: changes.policies ? identityPolicies(changes.policies) : row.policies,
        disabled: changes.disabled ?? row.disabled,
        updated: Math.floor(sys.ports.now() / 1000),
      };
      const renamed = await renameChanges(entities, sys, current, { id, name: next.name });
      const key = loginKeys.entity(id);
      return {
        // an update returns no content, which tells clients that the name already existed
        reply: current ? undefined : { id, name: next.name },
        batch: {
          expect: [[key, current?.rev ?? null], ...renamed.expect],
          put: [[key, next], ...renamed.put],
          del: renamed.del,
        } satisfies Batch,
      };
    },
    { what: "the entity" },
  );
}

export const readEntity = systemEndpoint({
  ...shared,
  id: "readEntity",
  at: ["GET /entity/id/:id", "GET /entity/name/:name"],
  doc: "Reads an entity.",
  body: {},
  reply: entityReply,
  refuses: ["not_found"],
  run: async ({ sys }, { id, name }) => {
    const entity = await findEntity(sys, { id, name });
    return entity && toEntityReply(sys, entity);
  },
});

export const deleteEntity = systemEndpoint({
  ...shared,
  id: "deleteEntity",
  at: ["DELETE /entity/id/:id", "DELETE /entity/name/:name"],
  doc: "Deletes an entity and its aliases. From then on, the entity's tokens are rejected.",
  body: {},
  reply: {},
  run: async ({ sys }, { id, name }) => {
    await sys.change(async () => {
      const entity = await findEntity(sys, { id, name });
      return entity
        ? { reply: undefined, batch: await removal(sys, entity) }
        : { reply: undefined };
    });
    return undefined;
  },
});
async function removal(sys: StoreContext, entity: StoredRecord<EntityRow>): Promise<Batch> {
  const { id, rev, row } = entity;
  const left = await groupRemoval(sys.store, id);
  const aliases = await Promise.all(
    Object.entries(row.aliases).map(async ([accessor, alias]) =>
      loginKeys.alias(accessor, await hashedName(alias.name)),
    ),
  );
  return {
    expect: [[loginKeys.entity(id), rev], ...left.expect],
    put: left.put,
    del: [
      loginKeys.entity(id),
      ...(await namesOf(entities, sys.store, entity)),
      ...aliases,
      ...left.del,
    ],
  };
}

export const listEntities = systemEndpoint({
  ...shared,
  id: "listEntities",
  at: ["LIST /entity/id"],
  doc: "Lists the IDs of the entities.",
  body: {},
  reply: {
    keys: list.required("Entity IDs, sorted."),
    key_info: mapsOf({
      name: text.required("Entity name."),
      aliases: listOf({ id: text.required("ID of the alias."), ...aliasEntry }).required(
        "Aliases of the entity.",
      ),
    }).required("Details of each entity by ID."),
  },
  refuses: ["not_found"],
  run: async ({ sys }) => {
    const all = await allMethods(sys);
    return listedIds(entities, sys, ({ name, aliases }) => ({
      name,
      aliases: Object.entries(aliases).map(([accessor, alias]) => ({
        id: alias.id,
        ...aliasListed(all, accessor, alias),
      })),
    }));
  },
});
export const listEntityNames = systemEndpoint({
  ...shared,
  id: "listEntityNames",
  at: ["LIST /entity/name"],
  doc: "Lists the names of the entities.",
  body: {},
  reply: { keys: list.required("Names, sorted.") },
  refuses: ["not_found"],
  run: ({ sys }) => listedNames(entities, sys),
});
