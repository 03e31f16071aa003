import type { Partition } from "../../engine/partition.ts";
import { partitionEndpoint, type Caller } from "../../wire/endpoint.ts";
import { readName, readSentName } from "../jsonapi/attributes.ts";
import { dataOf } from "../jsonapi/document.ts";
import { readResource } from "../jsonapi/resource.ts";
import { invalid, notFound, type Fault } from "../jsonapi/fault.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { organizationAccess, workspaceNamed } from "../rights/organization-access.ts";
import type { WorkspaceRights } from "../rights/rights.ts";
import { workspaceAccessNow, type WorkspaceAccess } from "../rights/workspace-access.ts";
import { changeRow } from "../rows/change-row.ts";
import { newId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import { roomForWorkspace } from "../rows/limits.ts";
import { addToOrganization, renaming } from "../rows/naming.ts";
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

/** The workspace that a path names, by id or by names. */
interface Named {
  readonly workspace_id?: string;
  readonly organization?: string;
  readonly workspace?: string;
}
async function accessBy(
  partition: Partition,
  caller: Caller,
  { workspace_id, organization, workspace }: Named,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess> {
  if (workspace_id !== undefined)
    return workspaceAccessNow(partition, caller.id, workspace_id, need);
  if (organization === undefined || workspace === undefined) throw notFound();
  const id = await workspaceNamed(partition, caller.id, organization, workspace);
  return workspaceAccessNow(partition, caller.id, id, need);
}
/** The workspace as it is now, for the answer to a write. */
const written = async (partition: Partition, caller: Caller, id: string) => ({
  data: await workspaceDocument(
    partition,
    await workspaceAccessNow(partition, caller.id, id, "see"),
  ),
});

export const createWorkspace = partitionEndpoint({
  id: "createWorkspace",
  at: ["POST /organizations/:organization/workspaces"],
  access: "known",
  style: jsonapi,
  status: 201,
  doc: "Creates a workspace.",
  body: { data: workspaceData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (partition, input, caller) => {
    const owner = await organizationAccess(
      partition,
      caller.id,
      input.organization,
      "manageWorkspaces",
    );
    const organization = owner.organization.id;
    const { attributes } = readResource(input.data?.(), { type: "workspaces" });
    const faults: Fault[] = [];
    const name = readName(attributes, maxNameLength, faults);
    if (faults.length) throw invalid(faults);
    const now = partition.ports.now();
    const row: WorkspaceRow = {
      id: newId("ws", partition.ports.random),
      organization,
      name,
      created: now,
      updated: now,
      settings: workspaceSettings({}, attributes, owner.organization.settings),
    };
    await addToOrganization(partition, {
      row,
      key: rowKeys.workspace(row.id),
      nameKey: rowKeys.workspaceName(organization, name),
      room: roomForWorkspace,
    });
    return written(partition, caller, row.id);
  },
});

export const readWorkspace = partitionEndpoint({
  id: "readWorkspace",
  at: ["GET /workspaces/:workspace_id", "GET /organizations/:organization/workspaces/:workspace"],
  access: "known",
  style: jsonapi,
  doc: "Reads a workspace by ID or by name.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (partition, input, caller) => ({
    data: await workspaceDocument(partition, await accessBy(partition, caller, input, "see")),
  }),
});

export const updateWorkspace = partitionEndpoint({
  id: "updateWorkspace",
  at: [
    "PATCH /workspaces/:workspace_id",
    "PATCH /organizations/:organization/workspaces/:workspace",
  ],
  access: "known",
  style: jsonapi,
  doc: "Updates the name and settings of a workspace; what is not sent keeps its value.",
  body: { data: workspaceData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (partition, input, caller) => {
    const { workspace, organization } = await accessBy(partition, caller, input, "manage");
    const { id } = workspace;
    const { attributes } = readResource(input.data?.(), { type: "workspaces" });
    const faults: Fault[] = [];
    const name = readSentName(attributes, maxNameLength, faults);
    if (faults.length) throw invalid(faults);
    await changeRow(partition, rowAt(id), async (held) => {
      const row: WorkspaceRow = {
        ...held,
        name: name ?? held.name,
        updated: partition.ports.now(),
        settings: workspaceSettings(held.settings, attributes, organization.settings),
      };
      const [from, to] = [nameKeyOf(held), nameKeyOf(row)];
      return { reply: undefined, row, ...(await renaming(partition, id, from, to)) };
    });
    return written(partition, caller, id);
  },
});
const nameKeyOf = ({ organization, name }: WorkspaceRow): string =>
  rowKeys.workspaceName(organization, name);

export const deleteWorkspace = partitionEndpoint({
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
  run: async (partition, input, caller) => {
    const { id, organization } = (await accessBy(partition, caller, input, "manage")).workspace;
    await changeRow(partition, rowAt(id), async (held) => {
      const inside = await Promise.all([
        keysInWorkspace(partition, id),
        accessKeysOf(partition, organization, id),
      ]);
      return { reply: undefined, del: [nameKeyOf(held), ...inside.flat()] };
    });
    // variables and access that were made meanwhile
    await sweepWorkspace(partition, id);
    await sweepRows(partition, await accessKeysOf(partition, organization, id));
    return undefined;
  },
});
