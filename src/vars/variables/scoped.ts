import type { Unit } from "../../engine/unit.ts";
import { unitEndpoint, type Caller } from "../../wire/endpoint.ts";
import { readResource } from "../jsonapi/document.ts";
import { notFound, type Fault } from "../jsonapi/fault.ts";
import { workspaceAccess, type WorkspaceAccess, type WorkspaceRights } from "../rights/rights.ts";
import type { VariableRow } from "../rows/rows.ts";
import { createVariable, deleteVariable, updateVariable, variableNow } from "./write-variable.ts";
import { jsonapi, list } from "../jsonapi/style.ts";
import { readAttributes } from "./variable.ts";
import { manyVariables, oneVariable, shown, shownAll, variableData } from "./variables.ts";

export const listWorkspaceVars = unitEndpoint({
  id: "listWorkspaceVars",
  at: ["GET /workspaces/:workspace_id/vars", "GET /workspaces/:workspace_id/all-vars"],
  access: "known",
  style: list,
  doc: "Lists all variables of a workspace, without paging.",
  body: {},
  reply: manyVariables,
  refuses: ["not_found"],
  run: async (ca, { workspace_id }, caller) =>
    shownAll(ca, await workspaceAccess(ca, caller.id, workspace_id, "readVariables"), "scoped"),
});

/**
 * A variable of a workspace and the caller's access. Throws 404, and not before the caller's rights are
 * known: the time tells nothing then.
 */
async function found(
  ca: Unit,
  caller: Caller,
  workspace: string,
  id: string,
  need: keyof WorkspaceRights,
): Promise<{ readonly row: VariableRow; readonly access: WorkspaceAccess }> {
  const [access, row] = await Promise.all([
    workspaceAccess(ca, caller.id, workspace, need),
    variableNow(ca, id),
  ]);
  if (row?.value.workspace !== workspace) throw notFound();
  return { row: row.value, access };
}

export const readWorkspaceVar = unitEndpoint({
  id: "readWorkspaceVar",
  at: ["GET /workspaces/:workspace_id/vars/:variable_id"],
  access: "known",
  style: jsonapi,
  doc: "Reads a variable of a workspace.",
  body: {},
  reply: oneVariable,
  refuses: ["not_found"],
  run: async (ca, { workspace_id, variable_id }, caller) => {
    const { row, access } = await found(ca, caller, workspace_id, variable_id, "readVariables");
    return { data: shown(ca, row, access, "scoped") };
  },
});

export const createWorkspaceVar = unitEndpoint({
  id: "createWorkspaceVar",
  at: ["POST /workspaces/:workspace_id/vars"],
  access: "known",
  style: jsonapi,
  status: 201,
  doc: "Creates a variable in a workspace.",
  body: { data: variableData },
  reply: oneVariable,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, { workspace_id, data }, caller) => {
    const access = await workspaceAccess(ca, caller.id, workspace_id, "writeVariables");
    const { attributes } = readResource(data?.(), { type: "vars" });
    const faults: Fault[] = [];
    const sent = readAttributes(attributes, new Set(["key", "category"]), faults);
    return {
      data: shown(
        ca,
        await createVariable(ca, workspace_id, sent, "scoped", faults),
        access,
        "scoped",
      ),
    };
  },
});

export const updateWorkspaceVar = unitEndpoint({
  id: "updateWorkspaceVar",
  at: ["PATCH /workspaces/:workspace_id/vars/:variable_id"],
  access: "known",
  style: jsonapi,
  doc: "Updates a variable; attributes that are not sent keep their values.",
  body: { data: variableData },
  reply: oneVariable,
  refuses: ["not_found", "unsupported_media", "malformed", "conflict", "invalid_document"],
  run: async (ca, { workspace_id, variable_id: id, data }, caller) => {
    const { access } = await found(ca, caller, workspace_id, id, "writeVariables");
    const { attributes } = readResource(data?.(), { type: "vars", id });
    const faults: Fault[] = [];
    const sent = readAttributes(attributes, new Set(), faults);
    return {
      data: shown(
        ca,
        await updateVariable(ca, { id, workspace: workspace_id }, sent, "scoped", faults),
        access,
        "scoped",
      ),
    };
  },
});

export const deleteWorkspaceVar = unitEndpoint({
  id: "deleteWorkspaceVar",
  at: ["DELETE /workspaces/:workspace_id/vars/:variable_id"],
  access: "known",
  style: jsonapi,
  doc: "Deletes a variable of a workspace.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (ca, { workspace_id, variable_id }, caller) => {
    await workspaceAccess(ca, caller.id, workspace_id, "writeVariables");
    await deleteVariable(ca, variable_id, workspace_id);
    return undefined;
  },
});
