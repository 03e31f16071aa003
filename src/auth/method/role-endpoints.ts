import { methodEndpoint } from "../../wire/endpoint.ts";
import { type Field, list, type Parsed } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { deleteStoredRole, findRole, roleNames, type RoleKind } from "./roles.ts";

/** The roles of a login method type, and the path of their endpoints. */
interface RolesAt<R> {
  readonly kind: RoleKind<R>;
  readonly path: "/role" | "/certs";
}

/** Declares the endpoint that lists roles. */
export const listRolesEndpoint = <const Id extends string>(
  id: Id,
  { kind, path }: RolesAt<unknown>,
) =>
  methodEndpoint({
    id,
    at: [`LIST ${path}`],
    access: "token",
    style: envelope,
    doc: "Lists the names of the roles.",
    body: {},
    reply: { keys: list.required("Names of the roles, sorted.") },
    refuses: ["not_found"],
    run: async (method) => ({ keys: await roleNames(method, kind) }),
  });

/** Declares the endpoint that reads a role. */
export const readRoleEndpoint = <
  const Id extends string,
  R,
  Reply extends Readonly<Record<string, Field<unknown>>>,
>(
  id: Id,
  { kind, path }: RolesAt<R>,
  { reply, shown }: { readonly reply: Reply; shown(role: R, name: string): Parsed<Reply> },
) =>
  methodEndpoint({
    id,
    at: [`GET ${path}/:name`],
    access: "token",
    style: envelope,
    doc: "Reads a role.",
    body: {},
    reply,
    refuses: ["not_found"],
    run: async (method, { name }) => {
      const stored = await findRole(method, kind, name);
      return stored && shown(stored.role, stored.name);
    },
  });

/** Declares the endpoint that deletes a role. */
export const deleteRoleEndpoint = <const Id extends string>(
  id: Id,
  { kind, path }: RolesAt<unknown>,
) =>
  methodEndpoint({
    id,
    at: [`DELETE ${path}/:name`],
    access: "token",
    style: envelope,
    doc: "Deletes a role. Existing tokens stay valid until they expire, but cannot be renewed.",
    body: {},
    reply: {},
    run: async (method, { name }) => {
      await deleteStoredRole(method, kind, name);
      return undefined;
    },
  });
