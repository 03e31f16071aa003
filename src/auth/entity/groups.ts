import { caselessForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { type GroupRow, hashedName, loginKeys } from "../rows/logins.ts";
import type { Batch } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import {
  withNormalForm,
  int,
  list,
  mapOf,
  mapsOf,
  text,
  textPairs,
  texts,
} from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { findGroup, groups, type StoredRecord, type IdentityQuery } from "./find.ts";
import { groupsOf } from "./cached-entity.ts";
import { idPattern, identityPolicies, policyNames, readMetadata, readName } from "./names.ts";
import {
  groupRemoval,
  newIdentityRow,
  listedIds,
  listedNames,
  namesOf,
  renameChanges,
} from "./rows.ts";
import { aliasReply, toAliasReply, namespaceId, rootNamespace, timesOf } from "./replies.ts";

const shared = { access: "token", style: envelope } as const;
const fields = {
  type: text.optional(
    "`internal` (the group lists its members) or `external` (a login method determines the members).",
    ["internal", "external"],
  ),
  metadata: withNormalForm(textPairs, readMetadata).optional(
    "Metadata for use in policy templates: strings by name.",
  ),
  policies: withNormalForm(list, policyNames).optional(
    "Policies granted to members of the group; never `root`.",
  ),
  member_entity_ids: list.optional("IDs of the member entities."),
  member_group_ids: list.optional(
    "IDs of the member groups. Their members also belong to this group.",
  ),
} as const;
interface GroupChanges {
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly member_entity_ids?: readonly string[] | undefined;
  readonly member_group_ids?: readonly string[] | undefined;
}
const written = {
  id: text.required("ID of the group."),
  name: text.required("Name of the group."),
} as const;

export const writeGroup = systemEndpoint({
  ...shared,
  id: "writeGroup",
  at: ["POST /group", "POST /group/id/:id"],
  doc: "Creates a group, or updates the given fields of the group with the given ID or name (case-insensitive). An update returns no content.",
  body: {
    name: withNormalForm(text, caselessForm).optional("Name; generated if not sent."),
    id: text.optional("ID of the group to update."),
    ...fields,
  },
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { id, name, ...changes }) =>
    changeGroup(sys, id ? { id } : { name }, { ...changes, ...(name ? { name } : {}) }),
});
export const writeGroupByName = systemEndpoint({
  ...shared,
  id: "writeGroupByName",
  at: ["POST /group/name/:name"],
  doc: "Creates a group with this name, or updates the given fields of the existing group. An update returns no content.",
  body: fields,
  reply: written,
  refuses: ["malformed", "invalid_field"],
  run: ({ sys }, { name, ...changes }) => changeGroup(sys, { name }, { ...changes, name }),
});

function changeGroup(sys: StoreContext, query: IdentityQuery, changes: GroupChanges) {
  return sys.change(
    async () => {
      const current = await findGroup(sys, query);
      if (!current && query.id) throw new CaError("malformed", "no group has this id");
      const { id, row } = current ?? fresh(sys, changes.type);
      // a group that was found by name keeps the stored spelling of the name
      const named = current && !query.id ? { ...changes, name: undefined } : changes;
      const next = changed(sys, row, named, !current);
      const before = membersOf(current?.row);
      await requireMembers(sys, id, next, before);
      const key = loginKeys.group(id);
      const renamed = await renameChanges(groups, sys, current, { id, name: next.name });
      const after = membersOf(next);
      const memberships = (members: readonly string[]) =>
        members.map((member) => loginKeys.member(member, id));
      return {
        // an update returns no content, which tells clients that the name already existed
        reply: current ? undefined : { id, name: next.name },
        batch: {
          expect: [[key, current?.rev ?? null], ...renamed.expect],
          put: [
            [key, next],
            ...renamed.put,
            ...memberships(after).map((one) => [one, {}] as const),
          ],
          del: [...memberships(before.filter((member) => !after.includes(member))), ...renamed.del],
        } satisfies Batch,
      };
    },
    { what: "the group" },
  );
}
function fresh(sys: StoreContext, type = "internal") {
  if (type !== "internal" && type !== "external")
    throw new CaError("malformed", "invalid group type: use internal or external");
  return newIdentityRow(groups, sys, { type });
}
function changed(
  { ports }: StoreContext,
  row: GroupRow,
  changes: GroupChanges,
  isNew: boolean,
): GroupRow {
  if (changes.type !== undefined && changes.type !== row.type)
    throw new CaError("malformed", "the type of a group cannot be changed");
  if (row.type === "external" && changes.member_entity_ids?.length)
    throw new CaError("malformed", "the members of an external group are set by its login method");
  return {
    ...row,
    name: changes.name ? readName(changes.name) : row.name,
    metadata: changes.metadata ? readMetadata(changes.metadata) : row.metadata,
    policies: changes.policies ? identityPolicies(changes.policies) : row.policies,
    member_entity_ids: [...new Set(changes.member_entity_ids ?? row.member_entity_ids)],
    member_group_ids: [...new Set(changes.member_group_ids ?? row.member_group_ids)],
    updated: Math.floor(ports.now() / 1000),
    version: isNew ? 1 : row.version + 1,
  };
}
const membersOf = (row: GroupRow | undefined): readonly string[] =>
  row ? [...row.member_entity_ids, ...row.member_group_ids] : [];

/**
 * Requires that new members exist and do not contain the group. Throws `malformed` otherwise. The
 * members in `before` are not checked, because one may be deleted while it becomes a member.
 */
async function requireMembers(
  { store }: StoreContext,
  id: string,
  row: GroupRow,
  before: readonly string[],
): Promise<void> {
  const isNew = (member: string): boolean => !before.includes(member);
  const entities = row.member_entity_ids.filter(isNew);
  const groups = row.member_group_ids.filter(isNew);
  const keys = [...entities.map(loginKeys.entity), ...groups.map(loginKeys.group)];
  const are = [...entities, ...groups].every((member) => idPattern.test(member));
  const rows = are && keys.length > 0 ? await store.get(keys) : [];
  if (!are || rows.some((one) => !one))
    throw new CaError("malformed", "a member of the group does not exist");
  const above = groups.length > 0 ? (await groupsOf(store, id)).map((group) => group.id) : [];
  if (groups.some((group) => group === id || above.includes(group)))
    throw new CaError("malformed", "a group cannot be a member of itself");
}

const groupReply = {
  id: text.required("ID of the group."),
  name: text.required("Name of the group."),
  type: text.required("`internal` or `external`.", ["internal", "external"]),
  metadata: texts.required("Metadata of the group."),
  policies: list.required("Policies granted to members of the group."),
  member_entity_ids: list.required("IDs of the member entities."),
  member_group_ids: list.required("IDs of the member groups."),
  parent_group_ids: list.required("IDs of the groups that contain this group."),
  alias: mapOf(aliasReply, []).required(
    "The group's alias in a login method; empty if it has none.",
  ),
  modify_index: int.required("Number of changes to the group, starting at 1."),
  ...namespaceId,
  creation_time: text.required("Time at which the group was created, RFC 3339."),
  last_update_time: text.required("Time at which the group was last changed, RFC 3339."),
} as const;
async function toGroupReply(sys: StoreContext, { id, row }: StoredRecord<GroupRow>) {
  const above = await groupsOf(sys.store, id);
  const { alias } = row;
  return {
    id,
    name: row.name,
    type: row.type,
    metadata: row.metadata,
    policies: row.policies,
    member_entity_ids: row.member_entity_ids.toSorted(),
    member_group_ids: row.member_group_ids.toSorted(),
    parent_group_ids: above.filter((group) => group.direct).map((group) => group.id),
    alias: alias ? await toAliasReply(sys, id, alias.accessor, alias) : {},
    modify_index: row.version,
    namespace_id: rootNamespace,
    ...timesOf(row),
  };
}

export const readGroup = systemEndpoint({
  ...shared,
  id: "readGroup",
  at: ["GET /group/id/:id", "GET /group/name/:name"],
  doc: "Reads a group.",
  body: {},
  reply: groupReply,
  refuses: ["not_found"],
  run: async ({ sys }, { id, name }) => {
    const group = await findGroup(sys, { id, name });
    return group && toGroupReply(sys, group);
  },
});

export const lookupGroup = systemEndpoint({
  ...shared,
  id: "lookupGroup",
  at: ["POST /lookup/group"],
  doc: "Finds a group by ID, name or alias.",
  body: {
    id: text.optional("ID of the group."),
    name: withNormalForm(text, caselessForm).optional("Name of the group."),
    alias_id: text.optional("ID of the group's alias."),
    alias_name: text.optional("Name of the group's alias; requires `alias_mount_accessor`."),
    alias_mount_accessor: text.optional("Accessor of the login method to which the alias belongs."),
  },
  reply: groupReply,
  run: async ({ sys }, query) => {
    const group = await findGroup(sys, query);
    return group && toGroupReply(sys, group);
  },
});

export const deleteGroup = systemEndpoint({
  ...shared,
  id: "deleteGroup",
  at: ["DELETE /group/id/:id", "DELETE /group/name/:name"],
  doc: "Deletes a group. Its member entities and groups are not deleted.",
  body: {},
  reply: {},
  run: async ({ sys }, { id, name }) => {
    await sys.change(async () => {
      const group = await findGroup(sys, { id, name });
      return group ? { reply: undefined, batch: await removal(sys, group) } : { reply: undefined };
    });
    return undefined;
  },
});
async function removal({ store }: StoreContext, group: StoredRecord<GroupRow>): Promise<Batch> {
  const { id, rev, row } = group;
  const left = await groupRemoval(store, id);
  const { alias } = row;
  return {
    expect: [[loginKeys.group(id), rev], ...left.expect],
    put: left.put,
    del: [
      loginKeys.group(id),
      ...(await namesOf(groups, store, group)),
      ...(alias ? [loginKeys.groupAlias(alias.accessor, await hashedName(alias.name))] : []),
      ...membersOf(row).map((member) => loginKeys.member(member, id)),
      ...left.del,
    ],
  };
}

export const listGroups = systemEndpoint({
  ...shared,
  id: "listGroups",
  at: ["LIST /group/id"],
  doc: "Lists the IDs of the groups.",
  body: {},
  reply: {
    keys: list.required("Group IDs, sorted."),
    key_info: mapsOf({
      name: text.required("Group name."),
      num_member_entities: int.required("Number of member entities."),
    }).required("Details of each group by ID."),
  },
  refuses: ["not_found"],
  run: ({ sys }) =>
    listedIds(groups, sys, ({ name, member_entity_ids: members }) => ({
      name,
      num_member_entities: members.length,
    })),
});
export const listGroupNames = systemEndpoint({
  ...shared,
  id: "listGroupNames",
  at: ["LIST /group/name"],
  doc: "Lists the names of the groups.",
  body: {},
  reply: { keys: list.required("Names, sorted.") },
  refuses: ["not_found"],
  run: ({ sys }) => listedNames(groups, sys),
});
