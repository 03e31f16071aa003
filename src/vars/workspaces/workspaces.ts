import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint, type Caller } from "../../wire/endpoint.ts";
import { readName, readSentName } from "../jsonapi/attributes.ts";
import { dataOf } from "../jsonapi/document.ts";
import { readResource } from "../jsonapi/resource.ts";
import { invalidError, notFound, type Fault } from "../jsonapi/fault.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { organizationAccess, workspaceNamed } from "../rights/organization-access.ts";
import type { WorkspaceRights } from "../rights/rights.ts";
import { workspaceAccessNow, type WorkspaceAccess } from "../rights/workspace-access.ts";
import { changeRow } from "../rows/change-row.ts";
import { newId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import { roomForWorkspace } from "../rows/limits.ts";
import { addToOrganization, renameChanges } from "../rows/naming.ts";
import type { WorkspaceRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { accessKeysOf, keysInWorkspace } from "../rows/owned-keys.ts";
import { sweepRows, sweepWorkspace } from "../rows/sweep.ts";
import { oneWorkspace as reply, workspaceDocument } from "./workspace-document.ts";
import { workspaceSettings } from "./workspace-settings.ts";

const maxNameLength = 90;
const workspaceData = dataOf("workspaces", {
  name: { type: "string", maxLength: maxNameLength, description: "Letters, digits, `-` and `_`." },
});
const rowAt = (id: string) => ({ key: rowKeys.workspace(id), read: storedRows.workspace });

/** The workspace in a path, given by ID or by organization and name. */
interface WorkspaceReference {
  readonly workspace_id?: string;
  readonly organization?: string;
  readonly workspace?: string;
}
async function accessBy(
  storeContext: StoreContext,
  caller: Caller,
  { workspace_id, organization, workspace }: WorkspaceReference,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess> {
  if (workspace_id !== undefined)
    return workspaceAccessNow(storeContext, caller.identity.id, workspace_id, need);
  if (organization === undefined || workspace === undefined) throw notFound();
  const id = await workspaceNamed(storeContext, caller.identity.id, organization, workspace);
  return workspaceAccessNow(storeContext, caller.identity.id, id, need);
}
/** Returns the current workspace, for the response to a write. */
const written = async (storeContext: StoreContext, caller: Caller, id: string) => ({
  data: await workspaceDocument(
    storeContext,
    await workspaceAccessNow(storeContext, caller.identity.id, id, "see"),
  ),
});

export const createWorkspace = storeEndpoint({
  id: "createWorkspace",
  at: ["POST /organizations/:organization/workspaces"],
  access: "known",
  style: jsonapi,
  status: 201,
  doc: "Creates a workspace.",
  body: { data: workspaceData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, input, caller) => {
    const owner = await organizationAccess(
      storeContext,
      caller.identity.id,
      input.organization,
      "manageWorkspaces",
    );
    const organization = owner.organization.id;
    const { attributes } = readResource(input.data?.(), { type: "workspaces" });
    const faults: Fault[] = [];
    const name = readName(attributes, maxNameLength, faults);
    if (faults.length) throw invalidError(faults);
    const now = storeContext.ports.now();
    const row: WorkspaceRow = {
      id: newId("ws", storeContext.ports.random),
      organization,
      name,
      created: now,
      updated: now,
      settings: workspaceSettings({}, attributes, owner.organization.settings),
    };
    await addToOrganization(storeContext, {
      row,
      key: rowKeys.workspace(row.id),
      nameKey: rowKeys.workspaceName(organization, name),
      room: roomForWorkspace,
    });
    return written(storeContext, caller, row.id);
  },
});

export const readWorkspace = storeEndpoint({
  id: "readWorkspace",
  at: ["GET /workspaces/:workspace_id", "GET /organizations/:organization/workspaces/:workspace"],
  access: "known",
  style: jsonapi,
  doc: "Reads a workspace by ID or by name.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (storeContext, input, caller) => ({
    data: await workspaceDocument(storeContext, await accessBy(storeContext, caller, input, "see")),
  }),
});

export const updateWorkspace = storeEndpoint({
  id: "updateWorkspace",
  at: [
    "PATCH /workspaces/:workspace_id",
    "PATCH /organizations/:organization/workspaces/:workspace",
  ],
  access: "known",
  style: jsonapi,
  doc: "Updates the name and settings of a workspace. Omitted attributes keep their values.",
  body: { data: workspaceData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, input, caller) => {
    const { workspace, organization } = await accessBy(storeContext, caller, input, "manage");
    const { id } = workspace;
    const { attributes } = readResource(input.data?.(), { type: "workspaces" });
    const faults: Fault[] = [];
    const name = readSentName(attributes, maxNameLength, faults);
    if (faults.length) throw invalidError(faults);
    await changeRow(storeContext, rowAt(id), async (current) => {
      const row: WorkspaceRow = {
        ...current,
        name: name ?? current.name,
        updated: storeContext.ports.now(),
        settings: workspaceSettings(current.settings, attributes, organization.settings),
      };
      const [from, to] = [nameKeyOf(current), nameKeyOf(row)];
      return { reply: undefined, row, ...(await renameChanges(storeContext, id, from, to)) };
    });
    return written(storeContext, caller, id);
  },
});
const nameKeyOf = ({ organization, name }: WorkspaceRow): string =>
  rowKeys.workspaceName(organization, name);

export const deleteWorkspace = storeEndpoint({
  id: "deleteWorkspace",
  at: [
    "DELETE /workspaces/:workspace_id",
    "DELETE /organizations/:organization/workspaces/:workspace",
    "POST /workspaces/:workspace_id/actions/safe-delete",
    "POST /organizations/:organization/workspaces/:workspace/actions/safe-delete",
  ],
  access: "known",
  style: jsonapi,
  doc: "Deletes a workspace with its variables.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (storeContext, input, caller) => {
    const { id, organization } = (await accessBy(storeContext, caller, input, "manage")).workspace;
    await changeRow(storeContext, rowAt(id), async (current) => {
      const inside = await Promise.all([
        keysInWorkspace(storeContext, id),
        accessKeysOf(storeContext, organization, id),
      ]);
      return { reply: undefined, del: [nameKeyOf(current), ...inside.flat()] };
    });
    // deletes variables and access records that were created concurrently
    await sweepWorkspace(storeContext, id);
    await sweepRows(storeContext, await accessKeysOf(storeContext, organization, id));
    return undefined;
  },
});
