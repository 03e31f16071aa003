import type { Engine } from "../engine.ts";
import { endpoint } from "../wire/endpoint.ts";
import { rowOf } from "./change.ts";
import { isObject, later } from "./document.ts";
import { invalid, notFound, requestFault, VarsError } from "./fault.ts";
import { keyPart } from "./ids.ts";
import { wellFormed } from "./rights.ts";
import { rowKeys } from "./rows.ts";
import { document } from "./style.ts";
import { changeTeam, teamOf } from "./teams.ts";

const memberData = later({
  type: "array",
  description: "Users by username.",
  items: { type: "object", properties: { type: { const: "users" }, id: { type: "string", description: "The username." } } },
});
/** Ids of the users that a document names. Throws 400 when it is no list of users, 404 for an unknown name. */
async function usersIn(ca: Engine, data: unknown): Promise<readonly string[]> {
  const malformed = () => new VarsError("malformed", 400, [{ title: "invalid request", detail: "data must be a list of users", source: { pointer: "/data" } }]);
  if (!Array.isArray(data) || data.length === 0) throw malformed();
  const ids = await Promise.all(
    data.map(async (item: unknown) => {
      const name = isObject(item) && item["type"] === "users" ? item["id"] : undefined;
      if (typeof name !== "string" || name === "") throw malformed();
      const id = wellFormed(name) ? await rowOf<string>(ca, rowKeys.username(await keyPart(name))) : undefined;
      if (id === undefined) throw notFound();
      return id;
    }),
  );
  return [...new Set(ids)];
}

export const addMembers = endpoint({
  id: "addMembers",
  at: ["POST /teams/:team_id/relationships/users"],
  access: "token",
  style: document,
  doc: "Adds users, by username, to a team.",
  body: { data: memberData },
  reply: {},
  refuses: ["not_found", "unsupported_media", "malformed"],
  run: async (ca, { team_id, data }, caller) => {
    await teamOf(ca, caller, team_id, "manage");
    const users = await usersIn(ca, data?.());
    await changeTeam(ca, team_id, (held) => ({
      reply: undefined,
      team: { ...held, users: [...new Set([...held.users, ...users])] },
      put: users.map((user) => [rowKeys.membership(user, team_id), true]),
    }));
    return undefined;
  },
});

export const removeMembers = endpoint({
  id: "removeMembers",
  at: ["DELETE /teams/:team_id/relationships/users"],
  access: "token",
  style: document,
  doc: "Takes users, by username, out of a team. The last owner stays.",
  body: { data: memberData },
  reply: {},
  refuses: ["not_found", "malformed", "invalid_field"],
  run: async (ca, { team_id, data }, caller) => {
    await teamOf(ca, caller, team_id, "manage");
    const users = await usersIn(ca, data?.());
    await changeTeam(ca, team_id, (held) => {
      const team = { ...held, users: held.users.filter((user) => !users.includes(user)) };
      if (held.owners && team.users.length === 0) throw invalid([requestFault("/data", "an organization keeps at least one owner")]);
      return { reply: undefined, team, del: users.map((user) => rowKeys.membership(user, team_id)) };
    });
    return undefined;
  },
});
