import { byCodePoint } from "../../base/code-point.ts";
import { storeEndpoint } from "../../wire/endpoint.ts";
import { parameter } from "../jsonapi/document.ts";
import { readResource } from "../jsonapi/resource.ts";
import { attributeFault, invalidError, notFound, requestFault } from "../jsonapi/fault.ts";
import { pagedStyle, pageOf, pagedReply, pageFields } from "../jsonapi/paging.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { organizationAccess } from "../rights/organization-access.ts";
import { teamsIn } from "../rows/directory.ts";
import { keyPart, newId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import { roomForTeam } from "../rows/limits.ts";
import { addToOrganization, renameChanges } from "../rows/naming.ts";
import type { TeamRow } from "../rows/rows.ts";
import { dropTeam } from "../rows/sweep.ts";
import { includeParameter, includedMember, membersOf } from "./included-members.ts";
import { changeTeam, canSeeTeam, teamOf } from "./team.ts";
import {
  oneTeam as reply,
  teamAfter,
  teamData,
  teamDocument,
  teamSchema,
} from "./team-document.ts";

const nameKeyOf = async ({ organization, name }: TeamRow): Promise<string> =>
  rowKeys.teamName(organization, await keyPart(name));

export const listTeams = storeEndpoint({
  id: "listTeams",
  at: ["GET /organizations/:organization/teams"],
  access: "known",
  style: pagedStyle,
  doc: "Lists the teams of an organization that the caller can see.",
  body: {
    ...pageFields,
    "filter[names]": parameter("Comma-separated names."),
    q: parameter("Substring of the name."),
    include: includeParameter,
  },
  reply: { ...pagedReply(teamSchema), included: includedMember },
  refuses: ["not_found", "malformed"],
  run: async (storeContext, input, caller) => {
    const { organization, rights } = await organizationAccess(
      storeContext,
      caller.identity.id,
      input.organization,
      "see",
    );
    const names = input["filter[names]"]?.split(",");
    const part = input.q?.toLowerCase() ?? "";
    const teams = (await teamsIn(storeContext, organization.id))
      .filter(
        (team) =>
          canSeeTeam(caller, team, rights.manageTeams) &&
          (names === undefined || names.includes(team.name)) &&
          team.name.toLowerCase().includes(part),
      )
      .toSorted((one, other) => byCodePoint(one.name, other.name));
    const page = pageOf(teams, input);
    return {
      ...page,
      data: page.data.map((team) => teamDocument(team, rights)),
      included: await membersOf(storeContext, caller, page.data, input.include),
    };
  },
});

export const createTeam = storeEndpoint({
  id: "createTeam",
  at: ["POST /organizations/:organization/teams"],
  access: "known",
  style: jsonapi,
  status: 201,
  doc: "Creates a team.",
  body: { data: teamData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, input, caller) => {
    const owner = await organizationAccess(
      storeContext,
      caller.identity.id,
      input.organization,
      "manageTeams",
    );
    const { attributes } = readResource(input.data?.(), { type: "teams" });
    const blank: TeamRow = {
      id: newId("team", storeContext.ports.random),
      organization: owner.organization.id,
      name: "",
      owners: false,
      visibility: "secret",
      sso: null,
      tokens: true,
      access: {},
      users: [],
    };
    const team = teamAfter(blank, attributes);
    if (team.name === "") throw invalidError([attributeFault("name", "Name can't be blank")]);
    await addToOrganization(storeContext, {
      row: team,
      key: rowKeys.team(team.id),
      nameKey: await nameKeyOf(team),
      room: roomForTeam,
    });
    return { data: teamDocument(team, owner.rights) };
  },
});

export const readTeam = storeEndpoint({
  id: "readTeam",
  at: ["GET /teams/:team_id"],
  access: "known",
  style: jsonapi,
  doc: "Reads a team.",
  body: { include: includeParameter },
  reply: { ...reply, included: includedMember },
  refuses: ["not_found"],
  run: async (storeContext, { team_id, include }, caller) => {
    const { team, rights } = await teamOf(storeContext, caller, team_id, "see");
    return {
      data: teamDocument(team, rights),
      included: await membersOf(storeContext, caller, [team], include),
    };
  },
});

export const updateTeam = storeEndpoint({
  id: "updateTeam",
  at: ["PATCH /teams/:team_id"],
  access: "known",
  style: jsonapi,
  doc: "Updates a team. Omitted attributes keep their values. The `owners` team cannot be renamed.",
  body: { data: teamData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { team_id, data }, caller) => {
    const { rights } = await teamOf(storeContext, caller, team_id, "manage");
    const { attributes } = readResource(data?.(), { type: "teams" });
    return changeTeam(storeContext, team_id, async (current) => {
      const team = teamAfter(current, attributes);
      if (current.owners && team.name !== current.name)
        throw invalidError([attributeFault("name", "Name of the owners team cannot be changed")]);
      const names = await renameChanges(
        storeContext,
        team.id,
        await nameKeyOf(current),
        await nameKeyOf(team),
      );
      return { reply: { data: teamDocument(team, rights) }, row: team, ...names };
    });
  },
});

export const deleteTeam = storeEndpoint({
  id: "deleteTeam",
  at: ["DELETE /teams/:team_id"],
  access: "known",
  style: jsonapi,
  doc: "Deletes a team with its access and tokens. The `owners` team cannot be deleted.",
  body: {},
  reply: {},
  refuses: ["not_found", "invalid_document"],
  run: async (storeContext, { team_id }, caller) => {
    const { team } = await teamOf(storeContext, caller, team_id, "manage");
    if (team.owners)
      throw invalidError([requestFault("/data", "the owners team cannot be deleted")]);
    if (!(await dropTeam(storeContext, team_id))) throw notFound();
    return undefined;
  },
});
