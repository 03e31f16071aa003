import { caseless } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import {
  aliasIds,
  belowLogin,
  hashedName,
  loginKeys,
  storedLogin,
} from "../../engine/login-records.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { formed, list, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { demandAccessor, newAlias } from "./aliases.ts";
import { findEntity, findGroup } from "./found.ts";
import { aliasReply, aliasShown, entityReply, entityShown } from "./shown.ts";

const shared = { access: "token", style: envelope } as const;

export const writeGroupAlias = systemEndpoint({
  ...shared,
  id: "writeGroupAlias",
  at: ["POST /group-alias"],
  doc: "Tells by what name a login method knows an external group.",
  body: {
    name: text.required("Name of the group at the login method."),
    mount_accessor: text.required("Accessor of the login method."),
    canonical_id: text.required("Id of the group."),
  },
  reply: {
    id: text.required("Id of the alias."),
    canonical_id: text.required("Id of the group."),
  },
  refuses: ["malformed"],
  run: ({ sys }, { name, mount_accessor: accessor, canonical_id }) =>
    sys.change(
      async () => {
        await demandAccessor(sys, accessor);
        const held = await findGroup(sys, { id: canonical_id });
        if (!held) throw new CaError("malformed", "there is no group of this canonical_id");
        const { id, rev, row } = held;
        if (row.type !== "external")
          throw new CaError("malformed", "only an external group has an alias");
        const alias = newAlias(sys, name);
        const key = loginKeys.groupAlias(accessor, await hashedName(name));
        if ((await sys.store.get([key]))[0])
          throw new CaError("malformed", "this name leads to a group: delete that alias first");
        const old = row.alias;
        return {
          reply: { id: alias.id, canonical_id: id },
          batch: {
            expect: [
              [key, null],
              [loginKeys.group(id), rev],
            ],
            put: [
              [key, { id }, { [aliasIds]: alias.id }],
              [loginKeys.group(id), { ...row, alias: { ...alias, accessor } }],
            ],
            del: old ? [loginKeys.groupAlias(old.accessor, await hashedName(old.name))] : [],
          },
        };
      },
      { what: "the group" },
    ),
});

export const readGroupAlias = systemEndpoint({
  ...shared,
  id: "readGroupAlias",
  at: ["GET /group-alias/id/:id"],
  doc: "Reads the alias of a group.",
  body: {},
  reply: aliasReply,
  refuses: ["not_found"],
  run: async ({ sys }, { id }) => {
    const held = await findGroup(sys, { alias_id: id });
    const alias = held?.row.alias;
    return held && alias && aliasShown(sys, held.id, alias.accessor, alias);
  },
});

export const listGroupAliases = systemEndpoint({
  ...shared,
  id: "listGroupAliases",
  at: ["LIST /group-alias/id"],
  doc: "Lists the ids of the aliases of groups.",
  body: {},
  reply: { keys: list.required("Ids, sorted.") },
  refuses: ["not_found"],
  run: async ({ sys }) => {
    const rows = await sys.store.list(belowLogin.groups);
    const ids = rows.flatMap(([, { value }]) => storedLogin.group(value).alias?.id ?? []);
    return ids.length > 0 ? { keys: ids.sort() } : undefined;
  },
});

export const deleteGroupAlias = systemEndpoint({
  ...shared,
  id: "deleteGroupAlias",
  at: ["DELETE /group-alias/id/:id"],
  doc: "Deletes the alias of a group: nobody becomes a member by it from then on.",
  body: {},
  reply: {},
  run: async ({ sys }, { id }) => {
    await sys.change(async () => {
      const held = await findGroup(sys, { alias_id: id });
      if (!held?.row.alias) return { reply: undefined };
      const { alias, ...row } = held.row;
      const key = loginKeys.group(held.id);
      const del = [loginKeys.groupAlias(alias.accessor, await hashedName(alias.name))];
      return { reply: undefined, batch: { expect: [[key, held.rev]], put: [[key, row]], del } };
    });
    return undefined;
  },
});

export const lookupEntity = systemEndpoint({
  ...shared,
  id: "lookupEntity",
  at: ["POST /lookup/entity"],
  doc: "Finds an entity by id, name or alias.",
  body: {
    id: text.optional("Id of the entity."),
    name: formed(text, caseless).optional("Name of the entity."),
    alias_id: text.optional("Id of one of its aliases."),
    alias_name: text.optional("Name of one of its aliases, beside `alias_mount_accessor`."),
    alias_mount_accessor: text.optional("Accessor of the login method of that alias."),
  },
  reply: entityReply,
  run: async ({ sys }, wanted) => {
    const held = await findEntity(sys, wanted);
    return held && entityShown(sys, held);
  },
});
