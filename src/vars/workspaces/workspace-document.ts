import type { StoreContext } from "../../engine/store-context.ts";
import type { Settings } from "../jsonapi/settings.ts";
import { documentMember, timestamp } from "../jsonapi/document.ts";
import {
  membersOf,
  flag,
  object,
  resource,
  settingSchemas,
  text,
  toMany,
  toOne,
  wholeNumber,
} from "../jsonapi/resource-schema.ts";
import type { WorkspaceRights } from "../rights/rights.ts";
import type { WorkspaceAccess } from "../rights/workspace-access.ts";
import type { OrganizationRow, WorkspaceRow } from "../rows/rows.ts";
import { keyRowsIn } from "../variables/read-variables.ts";
import { executionMode, workspaceChoices, workspaceDefaults } from "./workspace-settings.ts";

const permissionsOf = ({ readVariables, writeVariables, manage }: WorkspaceRights) => ({
  "can-read-settings": true,
  "can-update": manage,
  "can-destroy": manage,
  "can-force-delete": manage,
  "can-manage-tags": manage,
  "can-manage-run-tasks": manage,
  "can-lock": false,
  "can-unlock": false,
  "can-force-unlock": false,
  "can-queue-run": false,
  "can-queue-apply": false,
  "can-queue-destroy": false,
  "can-create-state-versions": false,
  "can-read-state-versions": false,
  "can-read-variable": readVariables,
  "can-update-variable": writeVariables,
});

/**
 * Returns the IDs of a workspace's variables, in list order. With `max`, returns at most `max + 1`,
 * so that the caller can tell whether there are more than `max`.
 */
export async function variableIds(
  storeContext: StoreContext,
  workspace: string,
  max?: number,
): Promise<readonly string[]> {
  return (await keyRowsIn(storeContext, workspace, max)).map(({ id }) => id);
}

/**
 * Returns a workspace's resource object. It includes the variable IDs only if the caller may read
 * variables.
 */
export async function workspaceDocument(storeContext: StoreContext, access: WorkspaceAccess) {
  return documentOf(
    access,
    access.rights.readVariables ? await variableIds(storeContext, access.workspace.id) : undefined,
  );
}
/** The resource object of a workspace. */
export type WorkspaceDocument = ReturnType<typeof documentOf>;
/**
 * Returns a workspace's resource object. `ids` are the variable IDs, if the caller may read
 * variables.
 */
export function documentOf(
  { workspace, organization, rights }: WorkspaceAccess,
  ids: readonly string[] | undefined,
) {
  const self = `/api/v2/organizations/${organization.name}/workspaces/${workspace.name}`;
  return {
    id: workspace.id,
    type: "workspaces",
    attributes: { ...attributesOf(workspace, organization), permissions: permissionsOf(rights) },
    relationships: {
      ...relationshipsOf(workspace, organization),
      ...(ids ? { vars: { data: ids.map((id) => ({ id, type: "vars" })) } } : {}),
    },
    links: { self, "self-html": `/demo/#/variables/${organization.name}/${workspace.name}` },
  };
}
function attributesOf(
  { name, created, updated, settings }: WorkspaceRow,
  organization: OrganizationRow,
) {
  const mode = executionMode(settings, organization.settings);
  const merged: Settings = { ...workspaceDefaults, ...settings, "execution-mode": mode };
  return {
    name,
    ...merged,
    "created-at": timestamp(created),
    "updated-at": timestamp(updated),
    locked: false,
    operations: mode !== "local",
    "resource-count": 0,
    "vcs-repo": null,
    actions: { "is-destroyable": true },
  };
}
const relationshipsOf = (workspace: WorkspaceRow, organization: OrganizationRow) => ({
  organization: { data: { id: organization.name, type: "organizations" } },
  project: { data: { id: organization.project, type: "projects" } },
  "agent-pool": { data: null },
  "current-run": { data: null },
  "latest-run": { data: null },
  "ssh-key": { data: null },
  "current-state-version": { data: null },
  "locked-by": { data: null },
  outputs: { data: [] },
  "effective-tag-bindings": {
    data: [],
    links: { related: `/api/v2/workspaces/${workspace.id}/effective-tag-bindings` },
  },
  "remote-state-consumers": {
    links: { related: `/api/v2/workspaces/${workspace.id}/relationships/remote-state-consumers` },
  },
});
/** Schema of a workspace. */
export const workspaceSchema = resource(
  "workspaces",
  object({
    ...membersOf(["name", "created-at", "updated-at"], text),
    ...settingSchemas(workspaceDefaults, workspaceChoices),
    ...membersOf(["locked", "operations"], flag),
    "resource-count": wholeNumber,
    "vcs-repo": { type: "null" },
    actions: object({ "is-destroyable": flag }),
    permissions: { type: "object", additionalProperties: flag },
  }),
  {
    organization: toOne("organizations"),
    project: toOne("projects"),
    vars: {
      ...toMany("vars"),
      description: "Present only for callers who may read the variables.",
    },
  },
);
/** Reply field for one workspace. */
export const oneWorkspace = {
  data: documentMember<WorkspaceDocument>(workspaceSchema, "The workspace."),
} as const;
