import { storeEndpoint } from "../../wire/endpoint.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { notFound } from "../jsonapi/fault.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { teamsOf } from "../rights/principal-teams.ts";
import { organizationNamed } from "../rights/organization-access.ts";
import { rowsOf } from "../rows/change.ts";
import { changeRow, type RowChange } from "../rows/change-row.ts";
import { rowKeys } from "../rows/keys.ts";
import { roomForJoins } from "../rows/limits.ts";
import { isUser, type UserRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { withoutMembers } from "./team.ts";

const declared = {
  access: "known",
  style: jsonapi,
  body: {},
  reply: {},
  refuses: ["not_found", "invalid_document"],
} as const;
/** Returns the key and the parser of the caller's row. Throws 404 if the caller is not a user. */
function ownRow(id: string) {
  if (!isUser(id)) throw notFound();
  return { key: rowKeys.user(id), read: storedRows.user };
}

export const joinOrganization = storeEndpoint({
  ...declared,
  id: "joinOrganization",
  at: ["POST /account/organizations/:organization"],
  doc: "Allows the owners of an organization to add the caller to its teams. The response is the same if the organization does not exist. Other servers with this API do not have this endpoint.",
  run: async (storeContext, { organization: name }, caller) =>
    changeRow(storeContext, ownRow(caller.identity.id), async (user) => {
      const [id, organizations] = await Promise.all([
        organizationNamed(storeContext, name),
        existing(storeContext, user.joins ?? []),
      ]);
      // checked first, so that an error does not reveal whether the organization exists
      roomForJoins(organizations);
      const joins =
        id === undefined || organizations.includes(id) ? organizations : [...organizations, id];
      return { reply: undefined, row: { ...user, joins } };
    }),
});
/** Returns the IDs of the organizations that still exist. */
const existing = async (
  storeContext: StoreContext,
  ids: readonly string[],
): Promise<readonly string[]> =>
  (await rowsOf(storeContext, storedRows.organization, ids.map(rowKeys.organization))).map(
    ({ id }) => id,
  );

export const leaveOrganization = storeEndpoint({
  ...declared,
  id: "leaveOrganization",
  at: ["DELETE /account/organizations/:organization"],
  doc: "Removes the caller from all teams of an organization. Its owners can no longer add the caller to a team. The last owner cannot leave. Other servers with this API do not have this endpoint.",
  run: async (storeContext, { organization: name }, caller) =>
    // changes the user's row, which is also rewritten when the user is added to a team, so that no
    // team is missed
    changeRow(storeContext, ownRow(caller.identity.id), (user) => leave(storeContext, user, name)),
});
async function leave(
  storeContext: StoreContext,
  user: UserRow,
  organization: string,
): Promise<RowChange<UserRow, undefined>> {
  const [id, teams] = await Promise.all([
    organizationNamed(storeContext, organization),
    teamsOf(storeContext, user.id),
  ]);
  const keys = teams
    .filter((team) => team.organization === id)
    .map((team) => rowKeys.team(team.id));
  const rows = keys.length ? await storeContext.store.get(keys) : [];
  const members = rows.flatMap((row, i) =>
    row ? [{ key: keys[i] ?? "", rev: row.rev, team: storedRows.team(row.value) }] : [],
  );
  return {
    reply: undefined,
    row: { ...user, joins: (user.joins ?? []).filter((each) => each !== id) },
    expect: members.map(({ key, rev }) => [key, rev]),
    put: members.map(({ key, team }) => [key, withoutMembers(team, [user.id])]),
    del: members.map(({ team }) => rowKeys.membership(user.id, team.id)),
  };
}
