import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint } from "../../wire/endpoint.ts";
import { readText } from "../jsonapi/attributes.ts";
import { dataOf } from "../jsonapi/document.ts";
import { readResource } from "../jsonapi/resource.ts";
import { attributeFault, invalidError, notFound, type Fault } from "../jsonapi/fault.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { changeTeam } from "../organizations/team.ts";
import { oneUser as reply, userDocument } from "../organizations/user-document.ts";
import { teamsOf } from "../rights/principal-teams.ts";
import { changeDirectory, isStored, rowOf } from "../rows/change.ts";
import { changeRow } from "../rows/change-row.ts";
import { isId, keyPart, newId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import type { UserRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { tokenKeysOf } from "../rows/owned-keys.ts";
import { newToken, tokenRows } from "./token.ts";

const userOf = async (storeContext: StoreContext, id: string): Promise<UserRow | undefined> =>
  isId("user", id) ? rowOf(storeContext, storedRows.user, rowKeys.user(id)) : undefined;

export const createUser = storeEndpoint({
  id: "createUser",
  at: ["POST /admin/users"],
  access: "known",
  style: jsonapi,
  status: 201,
  doc: "Creates a user with a first token, whose secret is only in this response. The token expires together with the caller's token. Only the initial user may call this. Other servers with this API do not have this endpoint.",
  body: { data: dataOf("users", { username: { type: "string" }, email: { type: "string" } }) },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { data }, caller) => {
    const maker = await userOf(storeContext, caller.identity.id);
    if (!maker?.admin) throw notFound();
    const { attributes } = readResource(data?.(), { type: "users" });
    const user: UserRow = {
      id: newId("user", storeContext.ports.random),
      ...readUser(attributes),
      admin: false,
    };
    const { row, token, hash } = await newToken(storeContext, caller, {
      principal: user.id,
      description: "first token",
      expires: caller.identity.expires ?? null,
    });
    const nameKey = rowKeys.username(await keyPart(user.username));
    return changeDirectory(storeContext, async () => {
      if (await isStored(storeContext, nameKey))
        throw invalidError([attributeFault("username", "Username has already been taken")]);
      return {
        reply: { data: userDocument(user, false, token) },
        batch: {
          expect: [[nameKey, null]],
          put: [[nameKey, user.id], [rowKeys.user(user.id), user], ...tokenRows(row, hash)],
        },
      };
    });
  },
});
/** Parses the name and email address of a new user. Throws 422 if one is missing or invalid. */
function readUser(
  attributes: Readonly<Record<string, unknown>>,
): Pick<UserRow, "username" | "email"> {
  const [username, email] = [readText(attributes, "username", 64), readText(attributes, "email")];
  const faults: Fault[] = [];
  if (username === undefined) faults.push(attributeFault("username", "Username can't be blank"));
  if (email === undefined) faults.push(attributeFault("email", "Email can't be blank"));
  if (username === undefined || email === undefined) throw invalidError(faults);
  return { username, email };
}

export const deleteUser = storeEndpoint({
  id: "deleteUser",
  at: ["DELETE /admin/users/:user_id"],
  access: "known",
  style: jsonapi,
  doc: "Deletes a user and the user's tokens. Only the initial user, who cannot be deleted, may call this. Other servers with this API do not have this endpoint.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (storeContext, { user_id: id }, caller) => {
    const [maker, user] = await Promise.all([
      userOf(storeContext, caller.identity.id),
      userOf(storeContext, id),
    ]);
    if (!maker?.admin || !user || user.admin) throw notFound();
    const nameKey = rowKeys.username(await keyPart(user.username));
    // leaves the teams first, so that an interrupted request can be retried
    await leaveAll(storeContext, id, maker.id);
    await changeRow(storeContext, { key: rowKeys.user(id), read: storedRows.user }, async () => ({
      reply: undefined,
      del: [nameKey, ...(await tokenKeysOf(storeContext, id))],
    }));
    // leaves teams that the user joined concurrently
    await leaveAll(storeContext, id, maker.id);
    return undefined;
  },
});
async function leaveAll(storeContext: StoreContext, user: string, heir: string): Promise<void> {
  for (const team of await teamsOf(storeContext, user))
    await leave(storeContext, team.id, user, heir);
}
/**
 * Removes a deleted user from a team. If that was the last owner of the organization, `heir`
 * becomes an owner.
 */
function leave(
  storeContext: StoreContext,
  id: string,
  user: string,
  heir: string,
): Promise<undefined> {
  return changeTeam(storeContext, id, (team) => {
    const left = team.users.filter((each) => each !== user);
    const removesLastOwner = team.owners && left.length === 0;
    return {
      reply: undefined,
      row: { ...team, users: removesLastOwner ? [heir] : left },
      put: removesLastOwner ? [[rowKeys.membership(heir, id), true]] : [],
      del: [rowKeys.membership(user, id)],
    };
  });
}
