import type { Decision, Unit } from "../../engine/unit.ts";
import { unitEndpoint } from "../../wire/endpoint.ts";
import { changeDirectory, rowsOf, valueOf } from "../rows/change.ts";
import { notFound } from "../jsonapi/fault.ts";
import { organizationNamed, teamsOf } from "../rights/rights.ts";
import { roomForJoins } from "../rows/limits.ts";
import { isUser, rowKeys } from "../rows/rows.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { withoutMembers } from "./teams.ts";
import { storedRows } from "../rows/stored.ts";

const declared = {
  access: "token",
  style: jsonapi,
  body: {},
  reply: {},
  refuses: ["not_found", "invalid_document"],
} as const;

export const joinOrganization = unitEndpoint({
  ...declared,
  id: "joinOrganization",
  at: ["POST /account/organizations/:organization"],
  doc: "Allows the owners of an organization to add the caller to its teams. The response is the same whether or not the organization exists. Not part of the documented API.",
  run: async (ca, { organization: name }, caller) => {
    if (!isUser(caller.id)) throw notFound();
    const key = rowKeys.user(caller.id);
    await changeDirectory(ca, async (): Promise<Decision<undefined>> => {
      const [[row], id] = await Promise.all([ca.store.get([key]), organizationNamed(ca, name)]);
      const user = valueOf(storedRows.user, row);
      if (!row || !user) throw notFound();
      const held = await existing(ca, user.joins ?? []);
      // before it matters whether there is such an organization
      roomForJoins(held);
      const joins = id === undefined || held.includes(id) ? held : [...held, id];
      return {
        reply: undefined,
        batch: { expect: [[key, row.rev]], put: [[key, { ...user, joins }]] },
      };
    });
    return undefined;
  },
});
/** Those of some organizations that were not deleted meanwhile. */
const existing = async (ca: Unit, ids: readonly string[]): Promise<readonly string[]> =>
  (await rowsOf(ca, storedRows.organization, ids.map(rowKeys.organization))).map(({ id }) => id);

export const leaveOrganization = unitEndpoint({
  ...declared,
  id: "leaveOrganization",
  at: ["DELETE /account/organizations/:organization"],
  doc: "Removes the caller from all teams of an organization; its owners can no longer add the caller. The last owner cannot leave. Not part of the documented API.",
  run: async (ca, { organization: name }, caller) => {
    if (!isUser(caller.id)) throw notFound();
    await changeDirectory(ca, () => left(ca, caller.id, name));
    return undefined;
  },
});
async function left(ca: Unit, caller: string, name: string): Promise<Decision<undefined>> {
  const key = rowKeys.user(caller);
  // the user first: whoever adds to a team rewrites this row, so that no team is missed
  const [row] = await ca.store.get([key]);
  const user = valueOf(storedRows.user, row);
  if (!row || !user) throw notFound();
  const [id, teams] = await Promise.all([organizationNamed(ca, name), teamsOf(ca, caller)]);
  const here = teams
    .filter(({ organization }) => organization === id)
    .map((team) => rowKeys.team(team.id));
  const rows = here.length ? await ca.store.get(here) : [];
  const held = rows.flatMap((each, i) =>
    each ? [{ at: here[i] ?? "", rev: each.rev, team: storedRows.team(each.value) }] : [],
  );
  return {
    reply: undefined,
    batch: {
      expect: [[key, row.rev], ...held.map(({ at, rev }) => [at, rev] as const)],
      put: [
        [key, { ...user, joins: (user.joins ?? []).filter((each) => each !== id) }],
        ...held.map(({ at, team }) => [at, withoutMembers(team, [caller])] as const),
      ],
      del: held.map(({ team }) => rowKeys.membership(caller, team.id)),
    },
  };
}
