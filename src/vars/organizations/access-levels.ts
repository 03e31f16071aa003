import { readWord } from "../jsonapi/attributes.ts";
import { settingFaults, settingsAfter, type Settings } from "../jsonapi/settings.ts";
import { documentMember, dataOf } from "../jsonapi/document.ts";
import { attributeFault, invalidError } from "../jsonapi/fault.ts";
import { membersOf, flag, object, resource, toOne } from "../jsonapi/resource-schema.ts";
import type { AccessRow, Level } from "../rows/rows.ts";

const levels = ["read", "plan", "write", "admin", "custom"] as const;
/** Defaults of the rights that `custom` access sets individually. */
const customDefaults = {
  runs: "read",
  "state-versions": "none",
  "sentinel-mocks": "none",
  "workspace-locking": false,
  "run-tasks": false,
  "policy-overrides": false,
} as const;
/** Allowed values of the non-boolean rights that `custom` access sets, including `variables`. */
const customWords = {
  runs: ["read", "plan", "apply"],
  "state-versions": ["none", "read-outputs", "read", "write"],
  "sentinel-mocks": ["none", "read"],
  variables: ["none", "read", "write"],
} as const;
/** The rights of the other access levels, in the form in which `custom` access sets them. */
const fixedRights: Readonly<Record<Exclude<AccessRow["access"], "custom">, Settings>> = {
  read: { ...customDefaults, "state-versions": "read" },
  plan: { ...customDefaults, runs: "plan", "state-versions": "read" },
  write: {
    ...customDefaults,
    runs: "apply",
    "state-versions": "write",
    "sentinel-mocks": "read",
    "workspace-locking": true,
  },
  admin: {
    ...customDefaults,
    runs: "apply",
    "state-versions": "write",
    "sentinel-mocks": "read",
    "workspace-locking": true,
    "run-tasks": true,
    "policy-overrides": true,
  },
};
const variableLevels: Readonly<Record<Exclude<AccessRow["access"], "custom">, Level>> = {
  read: "read",
  plan: "read",
  write: "write",
  admin: "write",
};

/** Returns the resource object for a team's access to a workspace. */
export function accessDocument({ id, team, workspace, access, variables, settings }: AccessRow) {
  const rights = access === "custom" ? { ...customDefaults, ...settings } : fixedRights[access];
  const self = `/api/v2/team-workspaces/${id}`;
  return {
    id,
    type: "team-workspaces",
    attributes: {
      access,
      ...rights,
      variables: access === "custom" ? variables : variableLevels[access],
    },
    relationships: {
      team: { data: { id: team, type: "teams" }, links: { related: `/api/v2/teams/${team}` } },
      workspace: {
        data: { id: workspace, type: "workspaces" },
        links: { related: `/api/v2/workspaces/${workspace}` },
      },
    },
    links: { self },
  };
}
/** Schema of a team's access to a workspace. */
export const accessSchema = resource(
  "team-workspaces",
  object({
    access: { enum: levels },
    ...membersOf(Object.keys(customDefaults), flag),
    ...Object.fromEntries(
      Object.entries(customWords).map(([name, words]) => [name, { enum: words }]),
    ),
  }),
  { team: toOne("teams"), workspace: toOne("workspaces") },
);
/** Reply field for a team's access to a workspace. */
export const oneAccess = {
  data: documentMember<ReturnType<typeof accessDocument>>(
    accessSchema,
    "The team's access to the workspace.",
  ),
} as const;
const only = { description: "Present only with `custom` access." };
/** The `data` member of a request that creates or updates a team's access to a workspace. */
export const accessData = dataOf("team-workspaces", {
  access: { enum: levels },
  ...Object.fromEntries(
    Object.keys(customDefaults).map((name) => [name, { type: "boolean", ...only }]),
  ),
  ...Object.fromEntries(
    Object.entries(customWords).map(([name, words]) => [name, { enum: words, ...only }]),
  ),
});

type Sent = Readonly<Record<string, unknown>>;
/**
 * Returns an access record updated with the attributes in a request. Throws 422 if an attribute is
 * invalid, or is set although access is not `custom`.
 */
export function accessAfter(row: AccessRow, sent: Sent): AccessRow {
  const access = readWord(sent, "access", levels) ?? row.access;
  if (access !== "custom") {
    const current = accessDocument({ ...row, access }).attributes as Sent;
    // accepts unchanged rights, because a client may send back what it has read
    const single = [...Object.keys(customDefaults), "variables"].filter(
      (name) => sent[name] !== undefined && sent[name] !== null && sent[name] !== current[name],
    );
    if (single.length)
      throw invalidError(
        single.map((name) => attributeFault(name, `${name} can only be set when access is custom`)),
      );
    return { ...row, access };
  }
  const faults = settingFaults({ ...customDefaults, variables: "none" }, sent, customWords);
  if (faults.length) throw invalidError(faults);
  const variables = readWord(sent, "variables", customWords.variables) ?? row.variables;
  return {
    ...row,
    access,
    variables,
    settings: settingsAfter(customDefaults, row.settings, sent, customWords),
  };
}
