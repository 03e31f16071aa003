import type { Unit } from "../../engine/unit.ts";
import { unitEndpoint, type Caller } from "../../wire/endpoint.ts";
import { readName } from "../jsonapi/attributes.ts";
import { changeDirectory } from "../rows/change.ts";
import { answer, dataOf, parameter, readResource } from "../jsonapi/document.ts";
import { attributeFault, invalid, notFound, type Fault } from "../jsonapi/fault.ts";
import { newId } from "../rows/ids.ts";
import { page, paged, pagedReply, pageFields } from "../jsonapi/paging.ts";
import {
  workspaceAccessNow,
  organizationAccess,
  workspacesWith,
  workspaceNamed,
  type WorkspaceAccess,
  type WorkspaceRights,
} from "../rights/rights.ts";
import { roomForWorkspace } from "../rows/limits.ts";
import { rowKeys, type WorkspaceRow } from "../rows/rows.ts";
import { created, jsonapi } from "../jsonapi/style.ts";
import { accessKeysOf, keysInWorkspace, sweepRows, sweepWorkspace } from "../rows/sweep.ts";
import { workspacesIn } from "../rows/directory.ts";
import {
  workspaceDocument,
  workspaceDocuments,
  workspaceSettings,
  type WorkspaceDocument,
} from "./workspace-document.ts";
import { storedRows } from "../rows/stored.ts";

const longestName = 90;
const reply = { data: answer<WorkspaceDocument>({ type: "object" }, "The workspace.") } as const;
const workspaceData = dataOf("workspaces", {
  name: { type: "string", maxLength: longestName, description: "Letters, digits, `-` and `_`." },
});
const nameTaken = () => invalid([attributeFault("name", "Name has already been taken")]);

/** The workspace that a path names, by id or by names. */
interface Named {
  readonly workspace_id?: string;
  readonly organization?: string;
  readonly workspace?: string;
}
async function accessBy(
  ca: Unit,
  caller: Caller,
  { workspace_id, organization, workspace }: Named,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess> {
  if (workspace_id !== undefined) return workspaceAccessNow(ca, caller.id, workspace_id, need);
  if (organization === undefined || workspace === undefined) throw notFound();
  const owner = await organizationAccess(ca, caller.id, organization, "see");
  return workspaceAccessNow(
    ca,
    caller.id,
    await workspaceNamed(ca, owner.organization.id, workspace),
    need,
  );
}

export const listWorkspaces = unitEndpoint({
  id: "listWorkspaces",
  at: ["GET /organizations/:organization/workspaces"],
  access: "token",
  style: page,
  doc: "Lists the workspaces of an organization that the caller can see.",
  body: {
    ...pageFields,
    "search[name]": parameter("Part of the name."),
    sort: parameter("`name` or `-name`."),
  },
  reply: pagedReply,
  refuses: ["not_found"],
  run: async (ca, input, caller) => {
    const { organization, teams } = await organizationAccess(
      ca,
      caller.id,
      input.organization,
      "see",
    );
    const part = input["search[name]"]?.toLowerCase() ?? "";
    const named = (await workspacesIn(ca, organization.id)).filter(({ name }) =>
      name.toLowerCase().includes(part),
    );
    const all = named.map((workspace) => ({ workspace, organization }));
    const seen = await workspacesWith(ca, { principal: caller.id, teams }, all, "see");
    const asked = paged(input.sort === "-name" ? seen.toReversed() : seen, input);
    return { ...asked, data: await workspaceDocuments(ca, asked.data) };
  },
});

export const createWorkspace = unitEndpoint({
  id: "createWorkspace",
  at: ["POST /organizations/:organization/workspaces"],
  access: "token",
  style: created,
  doc: "Creates a workspace.",
  body: { data: workspaceData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, input, caller) => {
    const { organization } = await organizationAccess(
      ca,
      caller.id,
      input.organization,
      "manageWorkspaces",
    );
    const { attributes } = readResource(input.data?.(), { type: "workspaces" });
    const faults: Fault[] = [];
    const name = readName(attributes, longestName, faults);
    if (faults.length) throw invalid(faults);
    const now = ca.ports.now();
    const row: WorkspaceRow = {
      id: newId("ws", ca.ports.random),
      organization: organization.id,
      name,
      created: now,
      updated: now,
      settings: workspaceSettings({}, attributes),
    };
    const [owner, at] = [
      rowKeys.organization(organization.id),
      rowKeys.workspaceName(organization.id, name),
    ];
    const near = await roomForWorkspace(ca, organization.id);
    await changeDirectory(ca, async () => {
      const [held, taken] = await ca.store.get([owner, at]);
      if (!held) throw notFound();
      if (taken) throw nameTaken();
      if (near) await roomForWorkspace(ca, organization.id);
      return {
        reply: undefined,
        batch: {
          expect: [
            [owner, held.rev],
            [at, null],
          ],
          put: [
            // written as it was, so that of two workspaces the second begins anew and is counted
            ...(near ? [[owner, held.value] as const] : []),
            [rowKeys.workspace(row.id), row],
            [at, row.id],
          ],
        },
      };
    });
    return {
      data: await workspaceDocument(ca, await workspaceAccessNow(ca, caller.id, row.id, "see")),
    };
  },
});

export const readWorkspace = unitEndpoint({
  id: "readWorkspace",
  at: ["GET /workspaces/:workspace_id", "GET /organizations/:organization/workspaces/:workspace"],
  access: "token",
  style: jsonapi,
  doc: "Reads a workspace by ID or by name.",
  body: {},
  reply,
  refuses: ["not_found"],
  run: async (ca, input, caller) => ({
    data: await workspaceDocument(ca, await accessBy(ca, caller, input, "see")),
  }),
});

export const updateWorkspace = unitEndpoint({
  id: "updateWorkspace",
  at: [
    "PATCH /workspaces/:workspace_id",
    "PATCH /organizations/:organization/workspaces/:workspace",
  ],
  access: "token",
  style: jsonapi,
  doc: "Updates the name and settings of a workspace; what is not sent keeps its value.",
  body: { data: workspaceData },
  reply,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, input, caller) => {
    const access = await accessBy(ca, caller, input, "manage");
    const { attributes } = readResource(input.data?.(), { type: "workspaces" });
    const faults: Fault[] = [];
    const name =
      attributes["name"] === undefined || attributes["name"] === null
        ? undefined
        : readName(attributes, longestName, faults);
    if (faults.length) throw invalid(faults);
    await changeDirectory(ca, () => changed(ca, access.workspace, name, attributes));
    return {
      data: await workspaceDocument(
        ca,
        await workspaceAccessNow(ca, caller.id, access.workspace.id, "see"),
      ),
    };
  },
});
async function changed(
  ca: Unit,
  { id, organization }: WorkspaceRow,
  name: string | undefined,
  attributes: Readonly<Record<string, unknown>>,
) {
  const key = rowKeys.workspace(id);
  const [row] = await ca.store.get([key]);
  if (!row) throw notFound();
  const held = storedRows.workspace(row.value);
  const after: WorkspaceRow = {
    ...held,
    name: name ?? held.name,
    updated: ca.ports.now(),
    settings: workspaceSettings(held.settings, attributes),
  };
  const [from, to] = [
    rowKeys.workspaceName(organization, held.name),
    rowKeys.workspaceName(organization, after.name),
  ];
  if (from === to)
    return {
      reply: undefined,
      batch: { expect: [[key, row.rev] as const], put: [[key, after] as const] },
    };
  const [taken] = await ca.store.get([to]);
  if (taken) throw nameTaken();
  return {
    reply: undefined,
    batch: {
      expect: [[key, row.rev] as const, [to, null] as const],
      del: [from],
      put: [[key, after] as const, [to, id] as const],
    },
  };
}

export const deleteWorkspace = unitEndpoint({
  id: "deleteWorkspace",
  at: [
    "DELETE /workspaces/:workspace_id",
    "DELETE /organizations/:organization/workspaces/:workspace",
    "POST /workspaces/:workspace_id/actions/safe-delete",
    "POST /organizations/:organization/workspaces/:workspace/actions/safe-delete",
  ],
  access: "token",
  style: jsonapi,
  doc: "Deletes a workspace with its variables.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (ca, input, caller) => {
    const { workspace } = await accessBy(ca, caller, input, "manage");
    const key = rowKeys.workspace(workspace.id);
    await changeDirectory(ca, async () => {
      const [[row], inside, access] = await Promise.all([
        ca.store.get([key]),
        keysInWorkspace(ca, workspace.id),
        accessKeysOf(ca, workspace.organization, workspace.id),
      ]);
      if (!row) throw notFound();
      const name = rowKeys.workspaceName(
        workspace.organization,
        storedRows.workspace(row.value).name,
      );
      return {
        reply: undefined,
        batch: { expect: [[key, row.rev]], del: [key, name, ...inside, ...access] },
      };
    });
    // variables and access that were made meanwhile
    await sweepWorkspace(ca, workspace.id);
    await sweepRows(ca, await accessKeysOf(ca, workspace.organization, workspace.id));
    return undefined;
  },
});
