import { approle } from "../types/approle.ts";
import { CaError } from "../../base/errors.ts";
import { jobRow } from "../../engine/jobs.ts";
import { expectMethod, type Method } from "../rows/methods.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { map, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { listRolesEndpoint } from "../method/role-endpoints.ts";
import {
  findRole,
  newRole,
  type Role,
  roleFields,
  roleIdField,
  roleIdKey,
  roleKey,
  roleName,
  roleReply,
  toRoleReply,
  storedRole,
  withRoleFields,
} from "./role.ts";
import { roleEnd } from "./secret-end.ts";

export const listAppRoles = listRolesEndpoint("listAppRoles", {
  kind: { below: approle.rows.roles, read: storedRole },
  path: "/role",
});

export const readAppRole = methodEndpoint({
  id: "readAppRole",
  at: ["GET /role/:name"],
  access: "token",
  style: envelope,
  doc: "Reads a role.",
  body: {},
  reply: roleReply,
  refuses: ["not_found"],
  run: async (method, { name }) => {
    const current = await findRole(method, name);
    return current && toRoleReply(current.role);
  },
});

export const writeAppRole = methodEndpoint({
  id: "writeAppRole",
  at: ["POST /role/:name"],
  access: "token",
  style: envelope,
  doc: "Creates a role, or updates the given fields of an existing role.",
  body: { ...roleFields, role_id: roleIdField },
  reply: {},
  refuses: ["malformed", "invalid_field"],
  run: async (method, { name, role_id, ...changes }) => {
    await changeRole(method, name, (current) => {
      const role = withRoleFields(current ?? newRole(method), changes);
      return role_id === undefined || role_id === "" ? role : { ...role, role_id };
    });
    return undefined;
  },
});

/**
 * Creates or changes a role. `make` receives the current role, or undefined if there is none, and
 * returns the new role, or undefined to change nothing. Throws `malformed` if another role has the
 * role ID.
 */
export function changeRole(
  method: Method,
  name: string,
  make: (current: Role | undefined) => Role | undefined,
): Promise<void> {
  const { sys } = method;
  return sys.change(
    async () => {
      const [enabled, current] = [await expectMethod(method), await findRole(method, name)];
      const role = make(current?.role);
      if (!role) return { reply: undefined };
      if (current && role.local_secret_ids !== current.role.local_secret_ids)
        throw new CaError(
          "malformed",
          "local_secret_ids can only be modified during role creation",
        );
      const expect = [enabled, [roleKey(method, name), current?.rev ?? null] as const];
      const put = [[roleKey(method, name), role] as const];
      if (role.role_id === current?.role.role_id)
        return { reply: undefined, batch: { expect, put } };
      const pointer = await freePointer(method, role.role_id);
      return {
        reply: undefined,
        batch: {
          expect: [...expect, [pointer, null]],
          put: [...put, [pointer, { id: roleName(name) }]],
          del: current ? [await roleIdKey(method, current.role.role_id)] : [],
        },
      };
    },
    { what: "the role" },
  );
}
async function freePointer(method: Method, roleId: string): Promise<string> {
  const key = await roleIdKey(method, roleId);
  const [row] = await method.sys.store.get([key]);
  if (row) throw new CaError("malformed", "this role_id belongs to another role");
  return key;
}

export const deleteAppRole = methodEndpoint({
  id: "deleteAppRole",
  at: ["DELETE /role/:name"],
  access: "token",
  style: envelope,
  doc: "Deletes a role and its secret IDs. Existing tokens stay valid until they expire, but cannot be renewed.",
  body: {},
  reply: {},
  run: async (method, { name }) => {
    const { sys } = method;
    await sys.change(async () => {
      const current = await findRole(method, name);
      if (!current) return { reply: undefined };
      const { key, rev, role } = current;
      const now = sys.ports.now();
      return {
        reply: undefined,
        batch: {
          expect: [[key, rev]],
          del: [key, await roleIdKey(method, role.role_id)],
          put: [jobRow({ due: now, now }, roleEnd.kind, `${method.uuid}.${role.id}`)],
        },
      };
    });
    return undefined;
  },
});

export const readRoleId = methodEndpoint({
  id: "readRoleId",
  at: ["GET /role/:name/role-id"],
  access: "token",
  style: envelope,
  doc: "Reads the role ID of a role.",
  body: {},
  reply: { role_id: text.required("ID that identifies the role in a login.") },
  refuses: ["not_found"],
  run: async (method, { name }) => {
    const current = await findRole(method, name);
    return current && { role_id: current.role.role_id };
  },
});

export const writeRoleId = methodEndpoint({
  id: "writeRoleId",
  at: ["POST /role/:name/role-id"],
  access: "token",
  style: envelope,
  doc: "Replaces the role ID of a role.",
  body: { role_id: text.required("The new role ID.") },
  reply: {},
  refuses: ["malformed"],
  run: async (method, { name, role_id }) => {
    if (role_id === "") throw new CaError("malformed", "missing role_id");
    await changeRole(method, name, (current) => ({ ...requireRole(current, name), role_id }));
    return undefined;
  },
});
/** Returns the role. Throws CaError if it does not exist. */
export function requireRole<T>(current: T | undefined, name: string): T {
  if (current) return current;
  throw new CaError("malformed", missingRole(name));
}
/** Returns the error message from which clients recognize that a role does not exist. */
export const missingRole = (name: string): string =>
  `role "${roleName(name).slice(0, 64)}" does not exist`;

/** Names of the fields that have their own endpoint, by path segment. */
const settings = {
  policies: "token_policies",
  period: "token_period",
  "token-ttl": "token_ttl",
  "token-max-ttl": "token_max_ttl",
  "token-num-uses": "token_num_uses",
  "token-bound-cidrs": "token_bound_cidrs",
  "bind-secret-id": "bind_secret_id",
  "bound-cidr-list": "secret_id_bound_cidrs",
  "secret-id-bound-cidrs": "secret_id_bound_cidrs",
  "secret-id-num-uses": "secret_id_num_uses",
  "secret-id-ttl": "secret_id_ttl",
  "local-secret-ids": "local_secret_ids",
} as const;
/** Patterns of the path parameters. */
export const parameters = {
  name: /^\w(?:[\w.-]{0,126}\w)?$/,
  setting: new RegExp(`^(?:${Object.keys(settings).join("|")})$`),
};
// the route only accepts path segments in the table
const fieldOf = (setting: string) => settings[setting as keyof typeof settings];
const standard = storedRole({});

export const readRoleSetting = methodEndpoint({
  id: "readRoleSetting",
  at: ["GET /role/:name/:setting"],
  access: "token",
  style: envelope,
  doc: "Reads one field of a role.",
  body: {},
  reply: {},
  whole: map.required("An object with the field as its only member."),
  refuses: ["not_found"],
  run: async (method, { name, setting }) => {
    const current = await findRole(method, name);
    return current && { [fieldOf(setting)]: current.role[fieldOf(setting)] };
  },
});

export const writeRoleSetting = methodEndpoint({
  id: "writeRoleSetting",
  at: ["POST /role/:name/:setting"],
  access: "token",
  style: envelope,
  doc: "Updates one field of a role; `local_secret_ids` cannot be changed.",
  body: roleFields,
  reply: {},
  refuses: ["malformed", "invalid_field"],
  run: async (method, { name, setting, ...changes }) => {
    const field = fieldOf(setting);
    // the older name of a field is accepted only at the path with the older name
    const older = setting === "bound-cidr-list" ? changes.bound_cidr_list : changes[olderOf(field)];
    const value = changes[field] ?? older;
    if (value === undefined) throw new CaError("malformed", `missing ${field}`);
    await changeRole(method, name, (current) =>
      withRoleFields(requireRole(current, name), { [field]: value }),
    );
    return undefined;
  },
});
/** Returns the older name of a field, or the field's own name if it has none. */
const olderOf = (field: ReturnType<typeof fieldOf>) => {
  if (field === "token_policies") return "policies";
  if (field === "token_period") return "period";
  return field;
};

export const deleteRoleSetting = methodEndpoint({
  id: "deleteRoleSetting",
  at: ["DELETE /role/:name/:setting"],
  access: "token",
  style: envelope,
  doc: "Resets one field of a role to its default; fails if that would change `local_secret_ids`.",
  body: {},
  reply: {},
  refuses: ["malformed"],
  run: async (method, { name, setting }) => {
    const field = fieldOf(setting);
    await changeRole(method, name, (current) =>
      withRoleFields(requireRole(current, name), { [field]: standard[field] }),
    );
    return undefined;
  },
});
