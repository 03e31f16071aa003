import type { Group } from "../wire/openapi.ts";
import type { Area } from "../wire/openapi-about.ts";
import { vars, wellKnown } from "./api.ts";

const area = (name: string, about: string, has: RegExp): Area => ({ name, about, has });
const areas: readonly Area[] = [
  area(
    "Variables",
    "Variables of a workspace, individually, in bulk, or as dotenv. Sensitive values are never returned.",
    /\/vars(?:\/|$)|\/all-vars$/,
  ),
  area(
    "Users and tokens",
    "Users, and tokens of users, teams and organizations.",
    /token|^\/account\/details|^\/admin|^\/users|^\/ping|^\/\.well-known/,
  ),
  area(
    "Teams",
    "Teams of an organization, their members and workspace access.",
    /^\/teams|\/teams$|^\/team-workspaces/,
  ),
  area("Workspaces", "Workspaces of an organization.", /\/workspaces(?:\/|$)/),
  area("Organizations", "Organizations and their members.", /^/),
];

/** Returns the endpoint groups of this API for the OpenAPI document. */
export const varsGroups = (): readonly Group[] => {
  const shared = { areas, credentials: ["variables"], anonymous: "unauthorized" } as const;
  return [
    { ...shared, base: "/api/v2", tag: "variables", endpoints: vars },
    { ...shared, base: "", tag: "variables", endpoints: wellKnown },
  ];
};
