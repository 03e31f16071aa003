import type { Row } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint, type Caller } from "../../wire/endpoint.ts";
import { readResource } from "../jsonapi/resource.ts";
import { notFound } from "../jsonapi/fault.ts";
import { jsonapi, listStyle } from "../jsonapi/style.ts";
import type { WorkspaceRights } from "../rights/rights.ts";
import { workspaceAccess, type WorkspaceAccess } from "../rights/workspace-access.ts";
import type { VariableRow } from "../rows/rows.ts";
import { changedVariable, createdVariable, readAttributes } from "./attributes.ts";
import { variableNow } from "./read-variables.ts";
import { allVariables, manyVariables, oneVariable, variableDocument } from "./variable-document.ts";
import { createVariable, deleteVariable, updateVariable } from "./write-variable.ts";

export const listWorkspaceVars = storeEndpoint({
  id: "listWorkspaceVars",
  at: ["GET /workspaces/:workspace_id/vars", "GET /workspaces/:workspace_id/all-vars"],
  access: "known",
  style: listStyle,
  doc: "Lists all variables of a workspace, without paging.",
  body: {},
  reply: manyVariables,
  refuses: ["not_found"],
  run: async (storeContext, { workspace_id }, caller) => {
    const access = await workspaceAccess(
      storeContext,
      caller.identity.id,
      workspace_id,
      "readVariables",
    );
    return allVariables(storeContext, access, "scoped");
  },
});

/** The variable and the workspace in a path. */
interface VariableReference {
  readonly workspace_id: string;
  readonly variable_id: string;
}
/**
 * Returns a variable in a workspace, and the caller's access to the workspace. Rejects with 404 if
 * the variable does not exist or the caller does not have the right `need`. Reads both in any case,
 * so that timing reveals nothing.
 */
async function authorizedVariable(
  storeContext: StoreContext,
  caller: Caller,
  { workspace_id, variable_id }: VariableReference,
  need: keyof WorkspaceRights,
): Promise<{ readonly stored: Row<VariableRow>; readonly access: WorkspaceAccess }> {
  const [access, stored] = await Promise.all([
    workspaceAccess(storeContext, caller.identity.id, workspace_id, need),
    variableNow(storeContext, variable_id),
  ]);
  if (stored?.value.workspace !== workspace_id) throw notFound();
  return { stored, access };
}

export const readWorkspaceVar = storeEndpoint({
  id: "readWorkspaceVar",
  at: ["GET /workspaces/:workspace_id/vars/:variable_id"],
  access: "known",
  style: jsonapi,
  doc: "Reads a variable of a workspace.",
  body: {},
  reply: oneVariable,
  refuses: ["not_found"],
  run: async (storeContext, path, caller) => {
    const { stored, access } = await authorizedVariable(
      storeContext,
      caller,
      path,
      "readVariables",
    );
    return { data: variableDocument(storeContext, stored.value, access, "scoped") };
  },
});

export const createWorkspaceVar = storeEndpoint({
  id: "createWorkspaceVar",
  at: ["POST /workspaces/:workspace_id/vars"],
  access: "known",
  style: jsonapi,
  status: 201,
  doc: "Creates a variable in a workspace.",
  body: { data: createdVariable },
  reply: oneVariable,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { workspace_id, data }, caller) => {
    const access = await workspaceAccess(
      storeContext,
      caller.identity.id,
      workspace_id,
      "writeVariables",
    );
    const { attributes } = readResource(data(), { type: "vars" });
    const sent = readAttributes(attributes, "key", "category");
    const row = await createVariable(storeContext, workspace_id, sent, "scoped");
    return { data: variableDocument(storeContext, row, access, "scoped") };
  },
});

export const updateWorkspaceVar = storeEndpoint({
  id: "updateWorkspaceVar",
  at: ["PATCH /workspaces/:workspace_id/vars/:variable_id"],
  access: "known",
  style: jsonapi,
  doc: "Updates a variable. Omitted attributes keep their values.",
  body: { data: changedVariable },
  reply: oneVariable,
  refuses: ["not_found", "unsupported_media", "malformed", "conflict", "invalid_document"],
  run: async (storeContext, input, caller) => {
    const { stored, access } = await authorizedVariable(
      storeContext,
      caller,
      input,
      "writeVariables",
    );
    const { attributes } = readResource(input.data(), { type: "vars", id: input.variable_id });
    const row = await updateVariable(storeContext, stored, readAttributes(attributes), "scoped");
    return { data: variableDocument(storeContext, row, access, "scoped") };
  },
});

export const deleteWorkspaceVar = storeEndpoint({
  id: "deleteWorkspaceVar",
  at: ["DELETE /workspaces/:workspace_id/vars/:variable_id"],
  access: "known",
  style: jsonapi,
  doc: "Deletes a variable of a workspace.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (storeContext, path, caller) =>
    deleteVariable(
      storeContext,
      (await authorizedVariable(storeContext, caller, path, "writeVariables")).stored,
    ),
});
