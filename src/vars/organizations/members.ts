import { wellFormed } from "../../base/code-point.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import type { Row } from "../../engine/ports.ts";
import { storeEndpoint, type Caller } from "../../wire/endpoint.ts";
import { textIn, valueOf } from "../rows/change.ts";
import { isObject, lazy } from "../jsonapi/document.ts";
import { notFound, requestFault, VarsError } from "../jsonapi/fault.ts";
import { keyPart } from "../rows/ids.ts";
import { roomForMembership } from "../rows/limits.ts";
import { rowKeys } from "../rows/keys.ts";
import type { TeamRow, UserRow } from "../rows/rows.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { teamsIn } from "../rows/directory.ts";
import { changeTeam, teamOf, withoutMembers } from "./team.ts";
import { storedRows } from "../rows/stored.ts";

/** Maximum number of users per request. */
const maxMembers = 200;
const memberData = lazy({
  type: "array",
  description: "Users, identified by username.",
  maxItems: maxMembers,
  items: {
    type: "object",
    properties: { type: { const: "users" }, id: { type: "string", description: "The username." } },
  },
});
const malformed = (detail: string) => new VarsError("malformed", [requestFault("/data", detail)]);
/**
 * Returns the usernames in a document, without duplicates. Throws 400 if it is not a list of users,
 * or if the list is too long.
 */
function namesIn(data: unknown): readonly string[] {
  if (!Array.isArray(data) || data.length === 0) throw malformed("data must be a list of users");
  if (data.length > maxMembers) throw malformed(`data must contain at most ${maxMembers} users`);
  const names = data.map((item: unknown) => {
    const name = isObject(item) && item["type"] === "users" ? item["id"] : undefined;
    if (typeof name !== "string" || name === "") throw malformed("data must be a list of users");
    return name;
  });
  return [...new Set(names)];
}
/** Returns the IDs of users in the order of the given names, or undefined for an unknown name. */
async function idsOf(
  storeContext: StoreContext,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const keys = await Promise.all(
    names.map(async (name) =>
      wellFormed(name) ? rowKeys.username(await keyPart(name)) : undefined,
    ),
  );
  const existingKeys = keys.filter((key) => key !== undefined);
  // rows under username/ contain IDs
  const ids = new Map(
    (existingKeys.length ? await storeContext.store.get(existingKeys) : []).map((row, i) => [
      existingKeys[i],
      valueOf(textIn, row),
    ]),
  );
  return keys.map((key) => ids.get(key));
}

/** A user to add to a team, with the revision of the user's row. */
interface Joining {
  readonly user: UserRow;
  readonly rev: number;
}
/**
 * Returns the users to add to a team. They must be members of the organization or have agreed to
 * join it, unless the caller is the initial user, who may add anyone. Rejects with 404 if one of
 * them must not be added. The error reveals nothing about that user.
 */
async function addable(
  storeContext: StoreContext,
  caller: Caller,
  team: TeamRow,
  names: readonly string[],
): Promise<readonly Joining[]> {
  const ids = await idsOf(storeContext, names);
  const keys = [caller.identity.id, ...ids].map((id) => rowKeys.user(id ?? "nobody"));
  const [asking, ...rows] = await storeContext.store.get(keys);
  const all = valueOf(storedRows.user, asking)?.admin === true;
  const agreed = (user: UserRow) =>
    team.users.includes(user.id) || user.joins?.includes(team.organization) === true;
  const users = rows.map((row: Row | undefined): Joining | undefined => {
    const user = valueOf(storedRows.user, row);
    return row && user && { user, rev: row.rev };
  });
  // reads all teams of the organization only if the result depends on them
  const others = users.some((each) => each === undefined || !agreed(each.user)) && !all;
  const inside = new Set(
    others ? (await teamsIn(storeContext, team.organization)).flatMap((each) => each.users) : [],
  );
  return users.map((each) => {
    if (!each || !(all || agreed(each.user) || inside.has(each.user.id))) throw notFound();
    return each;
  });
}

export const addMembers = storeEndpoint({
  id: "addMembers",
  at: ["POST /teams/:team_id/relationships/users"],
  access: "known",
  style: jsonapi,
  doc: "Adds users to a team by username. The users must be in the organization or have agreed to join it; the initial user may add anyone.",
  body: { data: memberData },
  reply: {},
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { team_id, data }, caller) => {
    await teamOf(storeContext, caller, team_id, "manage");
    const names = namesIn(data?.());
    await changeTeam(storeContext, team_id, async (team) => {
      const users = await addable(storeContext, caller, team, names);
      const fresh = users.filter(({ user }) => !team.users.includes(user.id));
      await Promise.all(fresh.map(({ user }) => roomForMembership(storeContext, user.id)));
      return {
        reply: undefined,
        row: { ...team, users: [...team.users, ...fresh.map(({ user }) => user.id)] },
        // rewrites the user's row, so that a user who is deleted or leaves concurrently does not
        // end up in this team
        expect: fresh.map(({ user, rev }) => [rowKeys.user(user.id), rev]),
        put: fresh.flatMap(({ user }) => [
          [rowKeys.membership(user.id, team_id), true],
          [rowKeys.user(user.id), user],
        ]),
      };
    });
    return undefined;
  },
});

export const removeMembers = storeEndpoint({
  id: "removeMembers",
  at: ["DELETE /teams/:team_id/relationships/users"],
  access: "known",
  style: jsonapi,
  doc: "Removes users from a team by username; members may remove themselves. The last owner cannot be removed.",
  body: { data: memberData },
  reply: {},
  refuses: ["not_found", "malformed", "invalid_document"],
  run: async (storeContext, { team_id, data }, caller) => {
    const { team, rights } = await teamOf(storeContext, caller, team_id, "see");
    const users = await idsOf(storeContext, namesIn(data?.()));
    const leaves =
      team.users.includes(caller.identity.id) && users.every((user) => user === caller.identity.id);
    if (!leaves && !(team.owners ? rights.own : rights.manageTeams)) throw notFound();
    await changeTeam(storeContext, team_id, (team) => {
      // ignores users who are not in the team, which also hides whether they exist
      const removed = team.users.filter((user) => users.includes(user));
      return {
        reply: undefined,
        row: withoutMembers(team, removed),
        del: removed.map((user) => rowKeys.membership(user, team_id)),
      };
    });
    return undefined;
  },
});
