import { acmeConfig } from "../../acme/rows/config.ts";
import { CaError } from "../../base/errors.ts";
import { keys } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { flag, list, records, type Field, type Parsed } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { printReply } from "../../wire/shape.ts";
import { envelope } from "../../wire/style.ts";
import { pageFields, rowsAfter } from "../request/paging.ts";
import { checkedRole } from "./role-checks.ts";
import { findRole, roleFields, storedRole, type Role } from "./role.ts";

const readOnly = { allow_token_displayname: flag.default(false, "Always false.") } as const;
const roleReply = { ...roleFields, ...readOnly } as const;
const replyOf = (role: Role): Parsed<typeof roleReply> => ({
  ...role,
  allow_token_displayname: false,
});

const prefix = keys.role("");

export const listRoles = endpoint({
  id: "listRoles",
  at: ["LIST /roles"],
  access: "token",
  style: envelope,
  doc: "Lists the names of the roles.",
  body: {
    ...pageFields,
    detailed: flag.default(false, "Whether to return the fields of each role as well."),
  },
  reply: {
    keys: list.required("Sorted names of the roles."),
    key_info: records(roleReply).optional(
      "With `detailed`, the fields of those roles that the caller may read, by name.",
    ),
  },
  refuses: ["not_found"],
  run: async (mount, { detailed, ...input }, caller) => {
    const rows = await mount.store.list(prefix, { values: detailed, ...rowsAfter(prefix, input) });
    if (rows.length === 0) throw new CaError("not_found", "");
    const names = rows.map(([key]) => key.slice(prefix.length));
    if (!detailed) return { keys: names };
    const config = await mount.config();
    const readable = rows.flatMap(([key, { value }]) => {
      const name = key.slice(prefix.length);
      const path = `${config.mount.path}/roles/${name}`;
      if (!caller.identity.allows({ capability: "read", path, parameters: {} })) return [];
      // formatted as in the response of readRole, with the same members
      const role = printReply(roleReply, replyOf(storedRole(value)), {}, caller.dialect);
      return [[name, role as Parsed<typeof roleReply>] as const];
    });
    return { keys: names, key_info: Object.fromEntries(readable) };
  },
});

export const readRole = endpoint({
  id: "readRole",
  at: ["GET /roles/:name"],
  access: "token",
  style: envelope,
  doc: "Reads a role.",
  body: {},
  reply: roleReply,
  refuses: ["not_found"],
  run: async (mount, { name }) => {
    const role = await findRole(await mount.config(), name);
    if (!role) throw new CaError("not_found", "");
    return replyOf(role);
  },
});

export const writeRole = endpoint({
  id: "writeRole",
  at: ["POST /roles/:name"],
  access: "token",
  style: envelope,
  doc: "Creates or replaces a role. Omitted fields are set to their defaults.",
  body: roleFields,
  ignores: ["backend"],
  reply: roleReply,
  refuses: ["invalid_field", "role_violation", "bad_key"],
  run: (mount, { name, ...input }, caller) =>
    mount.configure((config) => {
      const role = checkedRole(input, config, caller);
      warnOfAcme(name, role, config, caller);
      return { reply: replyOf(role), batch: { put: [[keys.role(name), role]] } };
    }),
});

/**
 * Warns if ACME is configured to use a role that does not store certificates, because ACME requires
 * stored certificates (B 5.3).
 */
function warnOfAcme(name: string, { no_store }: Role, config: Snapshot, caller: Caller): void {
  const acme = config.get(acmeConfig);
  const isUsed =
    acme.allowed_roles.includes(name) || acme.default_directory_policy === `role:${name}`;
  if (no_store && acme.enabled && isUsed)
    caller.reply.warn(
      "ACME is configured to use this role, but cannot use a role with no_store, because ACME requires stored certificates",
    );
}

/**
 * Reports whether a patch leaves a field unchanged. This applies to absent fields and null
 * durations (A 7.2).
 */
const isUnchanged = (raw: unknown, field: Field<unknown>): boolean =>
  raw === undefined || (raw === null && field.json["format"] === "go-duration");
/** The fields of a role in a patch request; fields that do not change are parsed as undefined. */
const patchFields = Object.fromEntries(
  Object.entries(roleFields).map(([name, field]) => [
    name,
    {
      ...field,
      parse: (raw: unknown, at: string) =>
        isUnchanged(raw, field) ? undefined : field.parse(raw, at),
    },
  ]),
) as unknown as { readonly [K in keyof typeof roleFields]: Field<Role[K] | undefined, false> };

export const patchRole = endpoint({
  id: "patchRole",
  at: ["PATCH /roles/:name"],
  access: "token",
  style: envelope,
  doc: "Updates a role. Omitted fields keep their values.",
  body: patchFields,
  ignores: ["backend"],
  reply: roleReply,
  refuses: ["invalid_field", "role_violation", "unknown_role", "bad_key"],
  run: (mount, { name, ...input }, caller) =>
    mount.configure(async (config) => {
      const stored = await config.row(keys.role(name));
      if (!stored) throw new CaError("unknown_role", "Unable to fetch role entry to patch");
      const changes = Object.fromEntries(
        Object.entries(input).filter(([, value]) => value !== undefined),
      );
      const role = checkedRole({ ...storedRole(stored.value), ...changes }, config, caller);
      warnOfAcme(name, role, config, caller);
      return {
        reply: replyOf(role),
        batch: { expect: [[keys.role(name), stored.rev]], put: [[keys.role(name), role]] },
      };
    }),
});

export const deleteRole = endpoint({
  id: "deleteRole",
  at: ["DELETE /roles/:name"],
  access: "token",
  style: envelope,
  doc: "Deletes a role. Certificates issued under it stay valid.",
  body: {},
  reply: {},
  run: (mount, { name }) =>
    mount.configure(() => ({ reply: undefined, batch: { del: [keys.role(name)] } })),
});
