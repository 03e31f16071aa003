import { rfc3339nano } from "../../base/duration.ts";
import type { AliasRow, EntityRow } from "../rows/logins.ts";
import { methods } from "../rows/methods.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import {
  flag,
  list,
  listOf,
  listOrNull,
  mapsOf,
  type Parsed,
  text,
  texts,
} from "../../wire/field.ts";
import type { StoredRecord } from "./find.ts";
import { groupsOf } from "./cached-entity.ts";

/** ID of the only namespace. */
export const rootNamespace = "root";
/** Response field for the namespace of an alias, an entity or a group. */
export const namespaceId = { namespace_id: text.required("Always `root`.") } as const;
/** The fields of an alias in responses. */
export const aliasReply = {
  id: text.required("ID of the alias."),
  canonical_id: text.required("ID of the entity or group to which the alias belongs."),
  name: text.required("Name of the alias, by which the login method identifies the user or group."),
  mount_accessor: text.required("Accessor of the login method."),
  mount_path: text.required("Path of the login method; empty if it was disabled."),
  mount_type: text.required("Type of the login method; empty if it was disabled."),
  metadata: texts.required("Metadata from the last login."),
  custom_metadata: texts.required("Custom metadata, as stored."),
  local: flag.required("Always false."),
  merged_from_canonical_ids: listOrNull.required("Always null: merging is not supported."),
  ...namespaceId,
  creation_time: text.required("Time at which the alias was created, RFC 3339."),
  last_update_time: text.required("Time of the last change to the alias, RFC 3339."),
} as const;
/** The fields of an entity in responses. */
export const entityReply = {
  id: text.required("ID of the entity."),
  name: text.required("Name of the entity."),
  metadata: texts.required("Metadata of the entity."),
  policies: list.required("Policies that the entity's tokens have in addition to their own."),
  disabled: flag.required("Whether logins and tokens of the entity are rejected."),
  aliases: listOf(aliasReply).required("Aliases of the entity in login methods."),
  group_ids: list.required(
    "IDs of all groups to which the entity belongs, directly or through other groups.",
  ),
  direct_group_ids: list.required("IDs of the groups that the entity itself belongs to."),
  inherited_group_ids: list.required(
    "IDs of the groups to which the entity belongs through other groups.",
  ),
  merged_entity_ids: listOrNull.required("Always null: merging is not supported."),
  ...namespaceId,
  creation_time: text.required("Time at which the entity was created, RFC 3339."),
  last_update_time: text.required("Time of the last change to the entity, RFC 3339."),
} as const;

const time = (seconds: number): string => rfc3339nano(seconds * 1000);
/** Returns the creation and last update times, formatted for responses. */
export const timesOf = ({ created, updated }: Pick<AliasRow, "created" | "updated">) => ({
  creation_time: time(created),
  last_update_time: time(updated),
});

/** The enabled login methods, by path. */
type Methods = Awaited<ReturnType<typeof methods>>;
/** Reads all login methods once, for responses with many aliases. */
export const allMethods = async (sys: StoreContext): Promise<Methods> => methods(sys);
function mountOf(all: Methods, accessor: string) {
  const [path, method] = [...all.entries()].find(([, row]) => row.accessor === accessor) ?? [];
  return {
    mount_accessor: accessor,
    mount_path: path === undefined ? "" : `auth/${path}/`,
    mount_type: method?.type ?? "",
  };
}

/** Fields of an alias in a listing. */
export const aliasEntry = {
  name: aliasReply.name,
  mount_accessor: aliasReply.mount_accessor,
  mount_path: aliasReply.mount_path,
  mount_type: aliasReply.mount_type,
} as const;
const aliasDetails = {
  ...aliasEntry,
  canonical_id: aliasReply.canonical_id,
  custom_metadata: aliasReply.custom_metadata,
  local: aliasReply.local,
} as const;
/** Fields of a listing of aliases. */
export const listedAliases = {
  keys: list.required("Alias IDs, sorted."),
  key_info: mapsOf(aliasDetails).required("Details of each alias by ID."),
} as const;
/** Returns an alias, formatted for a listing. */
export const aliasListed = (all: Methods, accessor: string, { name }: Pick<AliasRow, "name">) => ({
  name,
  ...mountOf(all, accessor),
});
/** Returns a listing of aliases, or undefined if there are none. */
export function aliasList(
  all: Methods,
  aliases: readonly {
    readonly canonical_id: string;
    readonly accessor: string;
    readonly alias: AliasRow;
  }[],
) {
  if (aliases.length === 0) return undefined;
  const info = aliases.map(({ canonical_id, accessor, alias }) => {
    const { custom_metadata } = alias;
    const about = aliasListed(all, accessor, alias);
    return [alias.id, { ...about, canonical_id, custom_metadata, local: false }] as const;
  });
  return { keys: info.map(([id]) => id).sort(), key_info: Object.fromEntries(info) };
}

/** Returns an alias, formatted for responses. */
export async function toAliasReply(
  sys: StoreContext,
  canonical_id: string,
  accessor: string,
  alias: AliasRow,
): Promise<Parsed<typeof aliasReply>> {
  return {
    id: alias.id,
    canonical_id,
    name: alias.name,
    ...mountOf(await methods(sys), accessor),
    metadata: alias.metadata,
    custom_metadata: alias.custom_metadata,
    local: false,
    merged_from_canonical_ids: null,
    namespace_id: rootNamespace,
    ...timesOf(alias),
  };
}
/** Returns an entity, formatted for responses. */
export async function toEntityReply(
  sys: StoreContext,
  { id, row }: StoredRecord<EntityRow>,
): Promise<Parsed<typeof entityReply>> {
  const groups = await groupsOf(sys.store, id);
  const idsOf = (direct: boolean) =>
    groups.filter((group) => group.direct === direct).map((group) => group.id);
  return {
    id,
    name: row.name,
    metadata: row.metadata,
    policies: row.policies,
    disabled: row.disabled,
    aliases: await Promise.all(
      Object.entries(row.aliases).map(([accessor, alias]) =>
        toAliasReply(sys, id, accessor, alias),
      ),
    ),
    group_ids: groups.map((group) => group.id),
    direct_group_ids: idsOf(true),
    inherited_group_ids: idsOf(false),
    merged_entity_ids: null,
    namespace_id: rootNamespace,
    ...timesOf(row),
  };
}
