import type { Unit } from "../../engine/unit.ts";
import { unitEndpoint } from "../../wire/endpoint.ts";
import { readText } from "../jsonapi/attributes.ts";
import { changeDirectory, rowOf } from "../rows/change.ts";
import { answer, dataOf, readResource } from "../jsonapi/document.ts";
import { attributeFault, invalid, notFound, type Fault } from "../jsonapi/fault.ts";
import { hashOf, isId, keyPart, newId, newToken } from "../rows/ids.ts";
import { teamsOf } from "../rights/rights.ts";
import { isUser, rowKeys, type TokenRow, type UserRow } from "../rows/rows.ts";
import { bytes, created, jsonapi } from "../jsonapi/style.ts";
import { tokenKeysOf } from "../rows/sweep.ts";
import { changeTeam } from "../organizations/teams.ts";
import { userDocument } from "../organizations/user-document.ts";
import { storedRows } from "../rows/stored.ts";

const reply = {
  data: answer<ReturnType<typeof userDocument>>({ type: "object" }, "The user."),
} as const;

export const readAccount = unitEndpoint({
  id: "readAccount",
  at: ["GET /account/details"],
  access: "token",
  style: jsonapi,
  doc: "Returns the caller's account.",
  body: {},
  reply,
  run: async (ca, _input, caller) => {
    const user = isUser(caller.id)
      ? await rowOf(ca, storedRows.user, rowKeys.user(caller.id))
      : undefined;
    return {
      data: user
        ? userDocument(user, false)
        : userDocument(
            { id: caller.id, username: caller.id, email: `${caller.id}@localhost` },
            true,
          ),
    };
  },
});

export const createUser = unitEndpoint({
  id: "createUser",
  at: ["POST /admin/users"],
  access: "token",
  style: created,
  doc: "Creates a user with a first token, which is shown only in this response and expires with the caller's token, if that one expires. Only for the initial user. Not part of the documented API.",
  body: { data: dataOf("users", { username: { type: "string" }, email: { type: "string" } }) },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, { data }, caller) => {
    const maker = isUser(caller.id)
      ? await rowOf(ca, storedRows.user, rowKeys.user(caller.id))
      : undefined;
    if (!maker?.admin) throw notFound();
    const { attributes } = readResource(data?.(), { type: "users" });
    const [username, email] = [readText(attributes, "username", 64), readText(attributes, "email")];
    const faults: Fault[] = [];
    if (username === undefined) faults.push(attributeFault("username", "Username can't be blank"));
    if (email === undefined) faults.push(attributeFault("email", "Email can't be blank"));
    if (username === undefined || email === undefined) throw invalid(faults);
    const { random, now } = ca.ports;
    const user: UserRow = { id: newId("user", random), username, email, admin: false };
    const token = newToken(random);
    const hash = await hashOf(token);
    const row: TokenRow = {
      id: newId("at", random),
      principal: user.id,
      description: "first token",
      created: now(),
      expires: caller.expires ?? null,
      by: maker.id,
    };
    const at = rowKeys.username(await keyPart(username));
    return changeDirectory(ca, async () => {
      const [taken] = await ca.store.get([at]);
      if (taken) throw invalid([attributeFault("username", "Username has already been taken")]);
      const put = [
        [at, user.id],
        [rowKeys.user(user.id), user],
        [rowKeys.token(hash), row],
        [rowKeys.tokenId(row.id), hash],
        [rowKeys.tokenOf(user.id, row.id), hash],
      ] as const;
      return {
        reply: { data: userDocument(user, false, token) },
        batch: { expect: [[at, null]], put },
      };
    });
  },
});

export const deleteUser = unitEndpoint({
  id: "deleteUser",
  at: ["DELETE /admin/users/:user_id"],
  access: "token",
  style: jsonapi,
  doc: "Deletes a user and the user's tokens. Only for the initial user, who cannot be deleted. Not part of the documented API.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (ca, { user_id: id }, caller) => {
    const [maker, user] = await Promise.all(
      [caller.id, id].map(async (each) =>
        isId("user", each) ? rowOf(ca, storedRows.user, rowKeys.user(each)) : undefined,
      ),
    );
    if (!maker?.admin || !user || user.admin) throw notFound();
    const at = rowKeys.username(await keyPart(user.username));
    // the teams come first: whoever is cut off here can ask again
    await leaveAll(ca, id, maker.id);
    await changeDirectory(ca, async () => {
      const [row] = await ca.store.get([rowKeys.user(id)]);
      if (!row) throw notFound();
      return {
        reply: undefined,
        batch: {
          expect: [[rowKeys.user(id), row.rev]],
          del: [rowKeys.user(id), at, ...(await tokenKeysOf(ca, id))],
        },
      };
    });
    // a team that was joined meanwhile
    await leaveAll(ca, id, maker.id);
    return undefined;
  },
});
async function leaveAll(ca: Unit, user: string, heir: string): Promise<void> {
  for (const team of await teamsOf(ca, user)) await leave(ca, team.id, user, heir);
}
/**
 * Takes a user who is no more out of a team; where that was the last owner, the one who deleted it
 * takes over.
 */
function leave(ca: Unit, id: string, user: string, heir: string): Promise<undefined> {
  return changeTeam(ca, id, (held) => {
    const left = held.users.filter((each) => each !== user);
    const taken = held.owners && left.length === 0;
    return {
      reply: undefined,
      team: { ...held, users: taken ? [heir] : left },
      put: taken ? [[rowKeys.membership(heir, id), true]] : [],
      del: [rowKeys.membership(user, id)],
    };
  });
}

export const ping = unitEndpoint({
  id: "ping",
  at: ["GET /ping"],
  access: "open",
  style: jsonapi,
  doc: "Returns an empty response; clients read its headers.",
  body: {},
  reply: {},
  run: async () => undefined,
});

/**
 * What clients look for to find the API (V 9). `versions.v1` is left out on purpose: clients would
 * call it first.
 */
const services = {
  "modules.v1": "/api/registry/v1/modules/",
  "motd.v1": "/api/terraform/motd",
  "state.v2": "/api/v2/",
  "tfe.v2": "/api/v2/",
  "tfe.v2.1": "/api/v2/",
  "tfe.v2.2": "/api/v2/",
} as const;
export const discovery = unitEndpoint({
  id: "discovery",
  at: ["GET /.well-known/terraform.json"],
  access: "open",
  style: bytes,
  doc: "Service discovery: the base paths of the API.",
  body: {},
  reply: {},
  run: async () => ({ type: "application/json", bytes: JSON.stringify(services) }),
});
