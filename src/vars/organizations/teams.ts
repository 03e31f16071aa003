import type { Unit } from "../../engine/unit.ts";
import type { Expect } from "../../engine/ports.ts";
import { unitEndpoint, type Caller } from "../../wire/endpoint.ts";
import { readFlag, readText, readWord } from "../jsonapi/attributes.ts";
import { changeDirectory, isHeld, rowOf, rowsOf } from "../rows/change.ts";
import { answer, dataOf, isObject, parameter, readResource } from "../jsonapi/document.ts";
import { attributeFault, invalid, notFound, requestFault } from "../jsonapi/fault.ts";
import { isId, keyPart, newId } from "../rows/ids.ts";
import { page, paged, pagedReply, pageFields } from "../jsonapi/paging.ts";
import {
  organizationAccessById,
  organizationAccess,
  type OrganizationRights,
} from "../rights/rights.ts";
import { roomForTeam } from "../rows/limits.ts";
import { rowKeys, type TeamRow } from "../rows/rows.ts";
import { created, jsonapi } from "../jsonapi/style.ts";
import { teamsIn } from "../rows/directory.ts";
import { dropTeam } from "../rows/sweep.ts";
import { userDocument } from "./user-document.ts";
import { byCodePoint } from "../../base/code-point.ts";
import { storedRows } from "../rows/stored.ts";

/**
 * Rights in the whole organization, by their names on the wire; only those on workspaces and
 * projects have an effect here.
 */
const accessNames = [
  "manage-policies",
  "manage-policy-overrides",
  "delegate-policy-overrides",
  "manage-workspaces",
  "manage-vcs-settings",
  "manage-providers",
  "manage-modules",
  "manage-run-tasks",
  "manage-projects",
  "read-workspaces",
  "read-projects",
  "manage-membership",
  "manage-teams",
  "manage-organization-access",
  "access-secret-teams",
  "manage-agent-pools",
] as const;

function documentOf(team: TeamRow, rights: OrganizationRights) {
  const manage = rights.manageTeams;
  return {
    id: team.id,
    type: "teams",
    attributes: {
      name: team.name,
      "sso-team-id": team.sso,
      visibility: team.visibility,
      "users-count": team.users.length,
      "allow-member-token-management": team.tokens,
      "organization-access": Object.fromEntries(
        accessNames.map((name) => [name, team.owners || team.access[name] === true]),
      ),
      permissions: {
        "can-destroy": manage && !team.owners,
        "can-update-membership": manage,
        "can-update-api-token": manage,
        "can-update-visibility": manage,
        "can-update-name": manage,
        "can-update-organization-access": manage && !team.owners,
        "can-update-sso-team-id": manage,
        "can-update-member-token-management": manage,
        "can-view-api-token": manage,
      },
    },
    relationships: {
      users: { data: team.users.map((id) => ({ id, type: "users" })) },
      "authentication-token": { meta: {} },
    },
    links: { self: `/api/v2/teams/${team.id}` },
  };
}
const reply = {
  data: answer<ReturnType<typeof documentOf>>({ type: "object" }, "The team."),
} as const;
const included = answer<readonly ReturnType<typeof userDocument>[] | undefined>(
  { type: "array" },
  "The members, if requested.",
);
const include = parameter(
  "`users` includes the members in the response. Other values are ignored.",
);
/**
 * The members of some teams as further resources, if they were asked for. Mail addresses are shown
 * to their owners, and to the first user, who makes users.
 */
async function membersOf(
  ca: Unit,
  caller: Caller,
  teams: readonly TeamRow[],
  asked: string | undefined,
) {
  if (!asked?.split(",").includes("users")) return undefined;
  const ids = new Set(teams.flatMap(({ users }) => users));
  const known = new Map(
    (await rowsOf(ca, storedRows.user, [...new Set([caller.id, ...ids])].map(rowKeys.user))).map(
      (user) => [user.id, user],
    ),
  );
  const all = known.get(caller.id)?.admin === true;
  return [...ids].flatMap((id) => {
    const user = known.get(id);
    return user
      ? [userDocument({ ...user, email: all || id === caller.id ? user.email : null }, false)]
      : [];
  });
}
const teamData = dataOf("teams", {
  name: { type: "string" },
  visibility: { enum: ["secret", "organization"] },
  "sso-team-id": { type: ["string", "null"] },
  "allow-member-token-management": { type: "boolean" },
  "organization-access": {
    type: "object",
    properties: Object.fromEntries(accessNames.map((name) => [name, { type: "boolean" }])),
  },
});
const nameTaken = () => invalid([attributeFault("name", "Name has already been taken")]);

/** A team, and what the caller may do in its organization. */
export interface TeamAccess {
  readonly team: TeamRow;
  readonly rights: OrganizationRights;
}
/**
 * The team of an id. Throws 404 when the caller may not see it, or not change it. Secret teams are
 * seen by their members and by who manages teams.
 */
export async function teamOf(
  ca: Unit,
  caller: Caller,
  id: string,
  need: "see" | "manage",
): Promise<TeamAccess> {
  const team = isId("team", id) ? await rowOf(ca, storedRows.team, rowKeys.team(id)) : undefined;
  if (!team) throw notFound();
  const { rights } = await organizationAccessById(
    ca,
    caller.id,
    team.organization,
    need === "manage" ? "manageTeams" : "see",
  );
  if (!sees(caller, team, rights) || (need === "manage" && team.owners && !rights.own))
    throw notFound();
  return { team, rights };
}
const sees = (caller: Caller, team: TeamRow, rights: OrganizationRights): boolean =>
  rights.manageTeams ||
  team.visibility === "organization" ||
  team.id === caller.id ||
  team.users.includes(caller.id);

export const listTeams = unitEndpoint({
  id: "listTeams",
  at: ["GET /organizations/:organization/teams"],
  access: "token",
  style: page,
  doc: "Lists the teams of an organization that the caller can see.",
  body: {
    ...pageFields,
    "filter[names]": parameter("Comma-separated names."),
    q: parameter("Part of the name."),
    include,
  },
  reply: { ...pagedReply, included },
  refuses: ["not_found"],
  run: async (ca, input, caller) => {
    const { organization, rights } = await organizationAccess(
      ca,
      caller.id,
      input.organization,
      "see",
    );
    const names = input["filter[names]"]?.split(",");
    const part = input.q?.toLowerCase() ?? "";
    const teams = (await teamsIn(ca, organization.id))
      .filter(
        (team) =>
          sees(caller, team, rights) &&
          (names === undefined || names.includes(team.name)) &&
          team.name.toLowerCase().includes(part),
      )
      .toSorted((one, other) => byCodePoint(one.name, other.name));
    const asked = paged(teams, input);
    return {
      ...asked,
      data: asked.data.map((team) => documentOf(team, rights)),
      included: await membersOf(ca, caller, asked.data, input.include),
    };
  },
});

type Sent = Readonly<Record<string, unknown>>;
/** The rights in the organization that were sent; null counts as not sent. Throws 422. */
function readAccess(sent: Sent): Readonly<Record<string, boolean>> {
  const attribute = "organization-access";
  const access = sent[attribute] ?? {};
  if (!isObject(access))
    throw invalid([
      attributeFault(
        attribute,
        "Organization access must be an object whose values are true or false",
      ),
    ]);
  return Object.fromEntries(
    accessNames.flatMap((name) => {
      const flag = readFlag(access, name, `${attribute}/${name}`);
      return flag === undefined ? [] : [[name, flag]];
    }),
  );
}
/** A team with what was sent laid over it. Throws 422. */
function teamAfter(team: TeamRow, sent: Sent): TeamRow {
  const sso = sent["sso-team-id"] === null ? null : (readText(sent, "sso-team-id") ?? team.sso);
  return {
    ...team,
    name: readText(sent, "name") ?? team.name,
    visibility: readWord(sent, "visibility", ["secret", "organization"]) ?? team.visibility,
    sso,
    tokens: readFlag(sent, "allow-member-token-management") ?? team.tokens,
    access: { ...team.access, ...readAccess(sent) },
  };
}

export const createTeam = unitEndpoint({
  id: "createTeam",
  at: ["POST /organizations/:organization/teams"],
  access: "token",
  style: created,
  doc: "Creates a team.",
  body: { data: teamData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, input, caller) => {
    const { organization, rights } = await organizationAccess(
      ca,
      caller.id,
      input.organization,
      "manageTeams",
    );
    const { attributes } = readResource(input.data?.(), { type: "teams" });
    const blank: TeamRow = {
      id: newId("team", ca.ports.random),
      organization: organization.id,
      name: "",
      owners: false,
      visibility: "secret",
      sso: null,
      tokens: true,
      access: {},
      users: [],
    };
    const team = teamAfter(blank, attributes);
    if (team.name === "") throw invalid([attributeFault("name", "Name can't be blank")]);
    const [owner, at] = [
      rowKeys.organization(organization.id),
      rowKeys.teamName(organization.id, await keyPart(team.name)),
    ];
    const near = await roomForTeam(ca, organization.id);
    return changeDirectory(ca, async () => {
      const [held, taken] = await ca.store.get([owner, at]);
      if (!held) throw notFound();
      if (taken) throw nameTaken();
      if (near) await roomForTeam(ca, organization.id);
      return {
        reply: { data: documentOf(team, rights) },
        batch: {
          expect: [
            [owner, held.rev],
            [at, null],
          ],
          put: [
            // written as it was, so that of two teams the second begins anew and is counted
            ...(near ? [[owner, held.value] as const] : []),
            [rowKeys.team(team.id), team],
            [at, team.id],
          ],
        },
      };
    });
  },
});

export const readTeam = unitEndpoint({
  id: "readTeam",
  at: ["GET /teams/:team_id"],
  access: "token",
  style: jsonapi,
  doc: "Reads a team.",
  body: { include },
  reply: { ...reply, included },
  refuses: ["not_found"],
  run: async (ca, { team_id, include: asked }, caller) => {
    const { team, rights } = await teamOf(ca, caller, team_id, "see");
    return { data: documentOf(team, rights), included: await membersOf(ca, caller, [team], asked) };
  },
});

export const updateTeam = unitEndpoint({
  id: "updateTeam",
  at: ["PATCH /teams/:team_id"],
  access: "token",
  style: jsonapi,
  doc: "Updates a team; attributes that are not sent keep their values. The `owners` team cannot be renamed.",
  body: { data: teamData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, { team_id, data }, caller) => {
    const { rights } = await teamOf(ca, caller, team_id, "manage");
    const { attributes } = readResource(data?.(), { type: "teams" });
    return changeTeam(ca, team_id, async (held) => {
      const team = teamAfter(held, attributes);
      if (held.owners && team.name !== held.name)
        throw invalid([attributeFault("name", "Name of the owners team cannot be changed")]);
      const [from, to] = await Promise.all(
        [held, team].map(async ({ organization, name }) =>
          rowKeys.teamName(organization, await keyPart(name)),
        ),
      );
      if (from === undefined || to === undefined || from === to)
        return { team, reply: { data: documentOf(team, rights) } };
      if (await isHeld(ca, to)) throw nameTaken();
      return {
        team,
        reply: { data: documentOf(team, rights) },
        expect: [[to, null]],
        put: [[to, team.id]],
        del: [from],
      };
    });
  },
});
interface TeamChange<T> {
  readonly team: TeamRow;
  readonly reply: T;
  readonly expect?: readonly Expect[];
  readonly put?: readonly (readonly [string, unknown])[];
  readonly del?: readonly string[];
}
/** A team without some of its members. Throws 422 when an organization would have no owner. */
export function withoutMembers(team: TeamRow, gone: readonly string[]): TeamRow {
  const users = team.users.filter((user) => !gone.includes(user));
  if (team.owners && users.length === 0)
    throw invalid([requestFault("/data", "an organization must have at least one owner")]);
  return { ...team, users };
}
/** Changes a team's row as it is now. */
export async function changeTeam<T>(
  ca: Unit,
  id: string,
  make: (held: TeamRow) => Promise<TeamChange<T>> | TeamChange<T>,
): Promise<T> {
  const key = rowKeys.team(id);
  return changeDirectory(ca, async () => {
    const [row] = await ca.store.get([key]);
    if (!row) throw notFound();
    const {
      team,
      reply: told,
      expect = [],
      put = [],
      del = [],
    } = await make(storedRows.team(row.value));
    return {
      reply: told,
      batch: { expect: [[key, row.rev], ...expect], put: [[key, team], ...put], del },
    };
  });
}

export const deleteTeam = unitEndpoint({
  id: "deleteTeam",
  at: ["DELETE /teams/:team_id"],
  access: "token",
  style: jsonapi,
  doc: "Deletes a team with its access and tokens. The `owners` team cannot be deleted.",
  body: {},
  reply: {},
  refuses: ["not_found", "invalid_document"],
  run: async (ca, { team_id }, caller) => {
    const { team: seen } = await teamOf(ca, caller, team_id, "manage");
    if (seen.owners) throw invalid([requestFault("/data", "the owners team cannot be deleted")]);
    if (!(await dropTeam(ca, team_id))) throw notFound();
    return undefined;
  },
});
