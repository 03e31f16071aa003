import type { Unit } from "../../engine/unit.ts";
import { readFlag, settingsAfter, type Choices, type Settings } from "../jsonapi/attributes.ts";
import { timestamp } from "../jsonapi/document.ts";
import { rowsOf } from "../rows/change.ts";
import type { WorkspaceAccess, RatedWorkspace, WorkspaceRights } from "../rights/rights.ts";
import { rowKeys, type OrganizationRow, type WorkspaceRow } from "../rows/rows.ts";
import { keyRowsIn } from "../variables/write-variable.ts";
import { mostVariables } from "../variables/variable.ts";
import { storedRows } from "../rows/stored.ts";

/** Settings that this service only keeps, with their defaults (V 10). */
export const workspaceDefaults = {
  "allow-destroy-plan": true,
  "auto-apply": false,
  "auto-apply-run-trigger": false,
  "auto-destroy-at": null,
  "auto-destroy-activity-duration": null,
  environment: "default",
  "queue-all-runs": false,
  "speculative-enabled": true,
  "structured-run-output-enabled": true,
  "terraform-version": "1.11.4",
  "working-directory": "",
  "global-remote-state": false,
  "project-remote-state": false,
  "inherits-project-auto-destroy": false,
  "execution-mode": "remote",
  "file-triggers-enabled": true,
  "trigger-prefixes": [],
  "trigger-patterns": [],
  "assessments-enabled": false,
  "tag-names": [],
  source: "tfe-api",
  "source-name": null,
  "source-url": null,
  description: null,
  "setting-overwrites": { "execution-mode": false, "agent-pool": false },
} as const;
const choices: Choices = { "execution-mode": ["remote", "local", "agent"] };

/**
 * Settings as they are after what was sent. `operations` is the old name of what `execution-mode`
 * says, and counts where that was not sent. Throws 422.
 */
export function workspaceSettings(held: Settings, sent: Settings): Settings {
  const operations = readFlag(sent, "operations");
  const mode: unknown = held["execution-mode"] ?? workspaceDefaults["execution-mode"];
  if (
    typeof sent["execution-mode"] === "string" ||
    operations === undefined ||
    operations === (mode !== "local")
  )
    return settingsAfter(workspaceDefaults, held, sent, choices);
  return settingsAfter(
    workspaceDefaults,
    held,
    { ...sent, "execution-mode": operations ? "remote" : "local" },
    choices,
  );
}

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
 * Ids of a workspace's variables in the order of lists; with `most`, of a workspace that has more
 * one more than that.
 */
async function variableIds(ca: Unit, workspace: string, most?: number): Promise<readonly string[]> {
  return (await keyRowsIn(ca, workspace, most)).map(({ id }) => id);
}

/** A workspace's resource object. Its variables stand in it only for those who may read them. */
export async function workspaceDocument(ca: Unit, access: WorkspaceAccess) {
  return documentOf(
    access,
    access.rights.readVariables ? await variableIds(ca, access.workspace.id) : undefined,
  );
}
/**
 * Workspaces of one page that are read at once, and the most ids of variables that the page tells
 * in all: 100 workspaces may have a million.
 */
const [abreast, mostIds] = [4, mostVariables];
/**
 * The resource objects of a page of workspaces. Beyond 10,000 variables in all the last ones come
 * without theirs.
 */
export async function workspaceDocuments(
  ca: Unit,
  workspaces: readonly RatedWorkspace[],
): Promise<readonly WorkspaceDocument[]> {
  const rows = await rowsOf(
    ca,
    storedRows.workspace,
    workspaces.map(({ workspace }) => rowKeys.workspace(workspace.id)),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const documents: WorkspaceDocument[] = [];
  let left: number = mostIds;
  for (let at = 0; at < workspaces.length; at += abreast) {
    const group = workspaces.slice(at, at + abreast);
    const lists = await Promise.all(
      group.map(async ({ workspace, rights }) =>
        rights.readVariables && left > 0 ? variableIds(ca, workspace.id, left) : undefined,
      ),
    );
    for (const [i, listed] of group.entries()) {
      const [workspace, ids] = [byId.get(listed.workspace.id), lists[i]];
      const fits = ids !== undefined && ids.length <= left;
      if (ids) left = Math.max(0, left - ids.length);
      // deleted between the two reads
      if (workspace) documents.push(documentOf({ ...listed, workspace }, fits ? ids : undefined));
    }
  }
  return documents;
}
/** A workspace as it is answered. */
export type WorkspaceDocument = ReturnType<typeof documentOf>;
function documentOf(
  { workspace, organization, rights }: WorkspaceAccess,
  ids: readonly string[] | undefined,
) {
  const self = `/api/v2/organizations/${organization.name}/workspaces/${workspace.name}`;
  return {
    id: workspace.id,
    type: "workspaces",
    attributes: { ...attributesOf(workspace), permissions: permissionsOf(rights) },
    relationships: {
      ...relationshipsOf(workspace, organization),
      ...(ids ? { vars: { data: ids.map((id) => ({ id, type: "vars" })) } } : {}),
    },
    links: { self, "self-html": `/demo/#/variables/${organization.name}/${workspace.name}` },
  };
}
function attributesOf({ name, created, updated, settings }: WorkspaceRow) {
  const kept: Settings = { ...workspaceDefaults, ...settings };
  return {
    name,
    ...kept,
    "created-at": timestamp(created),
    "updated-at": timestamp(updated),
    locked: false,
    operations: kept["execution-mode"] !== "local",
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
