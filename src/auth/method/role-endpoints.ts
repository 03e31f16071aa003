import type { Method } from "../rows/methods.ts";
import { readerBelow } from "../../wire/access.ts";
import { methodEndpoint, type Caller } from "../../wire/endpoint.ts";
import { type Field, flag, list, type Parsed, records } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { deleteStoredRole, findRole, listedRoles, type RoleKind } from "./roles.ts";
import type { TokenSettings } from "./token-fields.ts";

/** The roles or users of a login method type, and the path of their endpoints. */
interface RolesAt<R> {
  readonly kind: RoleKind<R>;
  readonly path: "/role" | "/certs" | "/users";
}

/** Request field of the endpoints that list roles or users. */
export const detailedField = {
  detailed: flag.default(false, "Whether to also return the policies of each role or user."),
} as const;
/** Description of the details in a listing. */
export const detailedText =
  "With `detailed`, the policies of each role or user that the caller may read, by name.";
/** Details of a listed role or user. */
export const listedFields = {
  token_policies: list.required("Policies of the issued tokens."),
} as const;

/**
 * Lists roles or users. If `detailed` is set, adds the policies of each role or user that the
 * caller may read. Throws `not_found` if there are none.
 */
export async function listRoles(
  method: Method,
  { kind, path }: RolesAt<Pick<TokenSettings, "token_policies">>,
  { detailed, caller }: { readonly detailed: boolean; readonly caller: Caller },
) {
  const rows = await listedRoles(method, kind, detailed);
  const keys = rows.map(([name]) => name);
  if (!detailed) return { keys };
  const mayRead = readerBelow(caller.identity, `auth/${method.path}${path}/`);
  const readable = rows.flatMap(([name, value]) =>
    mayRead(name) ? [[name, { token_policies: kind.read(value).token_policies }] as const] : [],
  );
  return { keys, key_info: Object.fromEntries(readable) };
}

/** Declares the endpoint that lists roles. */
export const listRolesEndpoint = <const Id extends string>(
  id: Id,
  roles: RolesAt<Pick<TokenSettings, "token_policies">>,
) =>
  methodEndpoint({
    id,
    at: [`LIST ${roles.path}`],
    access: "token",
    style: envelope,
    doc: "Lists the names of the roles.",
    body: detailedField,
    reply: {
      keys: list.required("Names of the roles, sorted."),
      key_info: records(listedFields).optional(detailedText),
    },
    refuses: ["not_found"],
    run: (method, { detailed }, caller) => listRoles(method, roles, { detailed, caller }),
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
