import type { Group } from "../wire/openapi.ts";
import type { Area } from "../wire/openapi-about.ts";
import { vars, wellKnown } from "./api.ts";

const area = (name: string, about: string, has: RegExp): Area => ({ name, about, has });
const areas: readonly Area[] = [
  area(
    "Variables",
    "Variables of a workspace, one by one, all at once, or as dotenv. Values of sensitive ones are never told.",
    /\/vars(?:\/|$)|\/all-vars$/,
  ),
  area(
    "Users and tokens",
    "Who calls: users, and tokens of users, teams and organizations.",
    /token|^\/account\/details|^\/admin|^\/users|^\/ping|^\/\.well-known/,
  ),
  area(
    "Teams",
    "Teams of an organization, their members, and what they may do in workspaces.",
    /^\/teams|\/teams$|^\/team-workspaces/,
  ),
  area("Workspaces", "Workspaces of an organization.", /\/workspaces(?:\/|$)/),
  area("Organizations", "Organizations, and who belongs to them.", /^/),
];

/** Returns the groups of this API for OpenAPI. */
export const varsGroups = (): readonly Group[] => {
  const shared = { areas, credentials: ["variables"], strangers: "unauthorized" } as const;
  return [
    { ...shared, base: "/api/v2", tag: "variables", endpoints: vars },
    { ...shared, base: "", tag: "variables", endpoints: wellKnown },
  ];
};
