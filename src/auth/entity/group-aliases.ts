import { caselessForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import {
  aliasIds,
  belowLogin,
  type GroupRow,
  hashedName,
  loginKeys,
  storedLogin,
} from "../rows/logins.ts";
import type { Batch } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { withNormalForm, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { requireAccessor } from "./alias-change.ts";
import { newAlias } from "./aliases.ts";
import { findEntity, findGroup, groups, type StoredRecord } from "./find.ts";
import { readName } from "./names.ts";
import { newIdentityRow, renameChanges } from "./rows.ts";
import {
  aliasList,
  aliasReply,
  toAliasReply,
  allMethods,
  entityReply,
  toEntityReply,
  listedAliases,
} from "./replies.ts";

const shared = { access: "token", style: envelope } as const;

const written = {
  id: text.required("ID of the alias."),
  canonical_id: text.required("ID of the group."),
} as const;
const sent = {
  name: text.optional("Name of the group in the login method."),
  mount_accessor: text.optional("Accessor of the login method."),
  canonical_id: text.optional("ID of the group."),
} as const;

export const writeGroupAlias = systemEndpoint({
  ...shared,
  id: "writeGroupAlias",
  at: ["POST /group-alias"],
  doc: "Creates an alias that maps a group name in a login method to an external group, or updates the alias with the given ID.",
  body: {
    id: text.optional("ID of the alias to update."),
    ...sent,
    canonical_id: text.optional("ID of the group. If absent, an external group is created."),
  },
  reply: written,
  refuses: ["malformed"],
  run: ({ sys }, { id, ...fields }) =>
    sys.change(() => (id ? changed(sys, id, fields) : added(sys, fields)), { what: "the group" }),
});
export const changeGroupAlias = systemEndpoint({
  ...shared,
  id: "changeGroupAlias",
  at: ["POST /group-alias/id/:id"],
  doc: "Updates the given fields of a group alias. Memberships change at the members' next login.",
  body: sent,
  reply: written,
  refuses: ["malformed"],
  run: ({ sys }, { id, ...changes }) =>
    sys.change(() => changed(sys, id, changes), { what: "the group" }),
});

/** A group alias in a request. Empty strings count as absent. */
interface AliasFields {
  readonly name?: string | undefined;
  readonly mount_accessor?: string | undefined;
  readonly canonical_id?: string | undefined;
}
type GroupAlias = NonNullable<GroupRow["alias"]>;
const keyOf = async ({ accessor, name }: Pick<GroupAlias, "accessor" | "name">): Promise<string> =>
  loginKeys.groupAlias(accessor, await hashedName(name));
const nameInUse = (): CaError =>
  new CaError("malformed", "this name is an alias of a group: delete that alias first");
async function targetGroup(sys: StoreContext, id: string): Promise<StoredRecord<GroupRow>> {
  const group = await findGroup(sys, { id });
  if (!group) throw new CaError("malformed", "no group has this canonical_id");
  if (group.row.type !== "external")
    throw new CaError("malformed", "only external groups can have an alias");
  return group;
}

/**
 * Returns the change that adds an alias to a group. Also creates the group if the request specifies
 * none.
 */
async function added(sys: StoreContext, fields: AliasFields) {
  const { name = "", mount_accessor: accessor = "", canonical_id } = fields;
  if (name === "") throw new CaError("malformed", "missing alias name");
  await requireAccessor(sys, accessor);
  const alias = { ...newAlias(sys, name), accessor };
  const key = await keyOf(alias);
  const group = canonical_id ? await targetGroup(sys, canonical_id) : newGroup(sys);
  if ((await sys.store.get([key]))[0]) throw nameInUse();
  const { id, row } = group;
  const named = canonical_id
    ? { expect: [], put: [] }
    : await renameChanges(groups, sys, undefined, { id, name: row.name });
  const batch: Batch = {
    expect: [[key, null], [loginKeys.group(id), group.rev], ...named.expect],
    put: [
      [key, { id }, { [aliasIds]: alias.id }],
      [loginKeys.group(id), { ...row, alias, updated: alias.created }],
      ...named.put,
    ],
    del: row.alias ? [await keyOf(row.alias)] : [],
  };
  return { reply: { id: alias.id, canonical_id: id }, batch };
}
const newGroup = (sys: StoreContext) => ({
  ...newIdentityRow(groups, sys, { type: "external" }),
  rev: null,
});

/** Returns the change to an existing alias, which may move to another group. */
async function changed(sys: StoreContext, alias_id: string, changes: AliasFields) {
  const group = await findGroup(sys, { alias_id });
  if (!group?.row.alias) throw new CaError("malformed", "no alias has this id");
  const { alias: before, ...rest } = group.row;
  const updated = Math.floor(sys.ports.now() / 1000);
  const alias = {
    ...before,
    name: readName(changes.name || before.name),
    accessor: changes.mount_accessor || before.accessor,
    updated,
  };
  if (alias.accessor !== before.accessor) await requireAccessor(sys, alias.accessor);
  const { canonical_id } = changes;
  const to =
    canonical_id && canonical_id !== group.id ? await targetGroup(sys, canonical_id) : group;
  const [oldKey, key] = [await keyOf(before), await keyOf(alias)];
  const isNamed = key !== oldKey;
  const [oldPointer, pointer] = await sys.store.get([oldKey, key]);
  if (isNamed && pointer) throw nameInUse();
  const replaced = to !== group && to.row.alias ? [await keyOf(to.row.alias)] : [];
  const groupsLeft =
    to === group ? [] : [[loginKeys.group(group.id), { ...rest, updated }] as const];
  const batch: Batch = {
    expect: [
      [oldKey, oldPointer?.rev ?? null],
      ...(isNamed ? [[key, null] as const] : []),
      [loginKeys.group(to.id), to.rev],
      ...(to === group ? [] : [[loginKeys.group(group.id), group.rev] as const]),
    ],
    put: [
      [key, { id: to.id }, { [aliasIds]: alias.id }],
      [loginKeys.group(to.id), { ...to.row, alias, updated }],
      ...groupsLeft,
    ],
    del: [...(isNamed ? [oldKey] : []), ...replaced],
  };
  return { reply: { id: alias_id, canonical_id: to.id }, batch };
}

export const readGroupAlias = systemEndpoint({
  ...shared,
  id: "readGroupAlias",
  at: ["GET /group-alias/id/:id"],
  doc: "Reads a group alias.",
  body: {},
  reply: aliasReply,
  refuses: ["not_found"],
  run: async ({ sys }, { id }) => {
    const group = await findGroup(sys, { alias_id: id });
    const alias = group?.row.alias;
    return group && alias && toAliasReply(sys, group.id, alias.accessor, alias);
  },
});

export const listGroupAliases = systemEndpoint({
  ...shared,
  id: "listGroupAliases",
  at: ["LIST /group-alias/id"],
  doc: "Lists the IDs of the group aliases.",
  body: {},
  reply: listedAliases,
  refuses: ["not_found"],
  run: async ({ sys }) => {
    const rows = await sys.store.list(belowLogin.groups);
    return aliasList(
      await allMethods(sys),
      rows.flatMap(([key, { value }]) => {
        const { alias } = storedLogin.group(value);
        const canonical_id = key.slice(belowLogin.groups.length);
        return alias ? [{ canonical_id, accessor: alias.accessor, alias }] : [];
      }),
    );
  },
});

export const deleteGroupAlias = systemEndpoint({
  ...shared,
  id: "deleteGroupAlias",
  at: ["DELETE /group-alias/id/:id"],
  doc: "Deletes a group alias. Later logins no longer add members to the group.",
  body: {},
  reply: {},
  run: async ({ sys }, { id }) => {
    await sys.change(async () => {
      const group = await findGroup(sys, { alias_id: id });
      if (!group?.row.alias) return { reply: undefined };
      const { alias, ...row } = group.row;
      const key = loginKeys.group(group.id);
      const del = [loginKeys.groupAlias(alias.accessor, await hashedName(alias.name))];
      return { reply: undefined, batch: { expect: [[key, group.rev]], put: [[key, row]], del } };
    });
    return undefined;
  },
});

export const lookupEntity = systemEndpoint({
  ...shared,
  id: "lookupEntity",
  at: ["POST /lookup/entity"],
  doc: "Finds an entity by ID, name or alias.",
  body: {
    id: text.optional("ID of the entity."),
    name: withNormalForm(text, caselessForm).optional("Name of the entity."),
    alias_id: text.optional("ID of an alias of the entity."),
    alias_name: text.optional("Name of an alias of the entity; requires `alias_mount_accessor`."),
    alias_mount_accessor: text.optional("Accessor of the login method of that alias."),
  },
  reply: entityReply,
  run: async ({ sys }, query) => {
    const entity = await findEntity(sys, query);
    return entity && toEntityReply(sys, entity);
  },
});
