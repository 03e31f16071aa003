import { readFlag, readText, readWord } from "../jsonapi/attributes.ts";
import { documentMember, dataOf, isObject } from "../jsonapi/document.ts";
import { attributeFault, invalidError } from "../jsonapi/fault.ts";
import {
  membersOf,
  flag,
  object,
  resource,
  text,
  textOrNull,
  toMany,
  wholeNumber,
} from "../jsonapi/resource-schema.ts";
import type { OrganizationRights } from "../rights/rights.ts";
import type { TeamRow } from "../rows/rows.ts";

/**
 * Names of organization-wide rights in the API. Only the rights to workspaces and projects have an
 * effect.
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

/** Returns a team's resource object. */
export function teamDocument(team: TeamRow, rights: OrganizationRights) {
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
/** Schema of a team. */
export const teamSchema = resource(
  "teams",
  object({
    name: text,
    "sso-team-id": textOrNull,
    visibility: { enum: ["secret", "organization"] },
    "users-count": wholeNumber,
    "allow-member-token-management": flag,
    "organization-access": object(membersOf(accessNames, flag)),
    permissions: { type: "object", additionalProperties: flag },
  }),
  { users: toMany("users") },
);
/** Reply field for one team. */
export const oneTeam = {
  data: documentMember<ReturnType<typeof teamDocument>>(teamSchema, "The team."),
} as const;

/** The `data` member of a request that creates or updates a team. */
export const teamData = dataOf("teams", {
  name: { type: "string" },
  visibility: { enum: ["secret", "organization"] },
  "sso-team-id": { type: ["string", "null"] },
  "allow-member-token-management": { type: "boolean" },
  "organization-access": {
    type: "object",
    properties: Object.fromEntries(accessNames.map((name) => [name, { type: "boolean" }])),
  },
});
type Sent = Readonly<Record<string, unknown>>;
/** Parses organization-wide rights. Null counts as absent. Throws 422 for invalid values. */
function readAccess(sent: Sent): Readonly<Record<string, boolean>> {
  const attribute = "organization-access";
  const access = sent[attribute] ?? {};
  if (!isObject(access))
    throw invalidError([
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
/** Returns a team updated with the attributes in a request. Throws 422 for invalid attributes. */
export function teamAfter(team: TeamRow, sent: Sent): TeamRow {
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
