import type { Row } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint, type Caller } from "../../wire/endpoint.ts";
import { isObject } from "../jsonapi/document.ts";
import { readResource, relatedId, type Resource } from "../jsonapi/resource.ts";
import { invalidError, notFound, requestFault } from "../jsonapi/fault.ts";
import { oldJsonapi } from "../jsonapi/deprecated.ts";
import { workspaceNamed } from "../rights/organization-access.ts";
import type { WorkspaceRights } from "../rights/rights.ts";
import { workspaceAccess, type WorkspaceAccess } from "../rights/workspace-access.ts";
import { isId } from "../rows/ids.ts";
import type { VariableRow } from "../rows/rows.ts";
import {
  changedVariableById,
  createdVariableIn,
  readAttributes,
  workspaceFilter,
} from "./attributes.ts";
import { variableNow } from "./read-variables.ts";
import { oneVariable, variableDocument } from "./variable-document.ts";
import { createVariable, deleteVariable, updateVariable } from "./write-variable.ts";
import { settingsOf } from "../rows/settings.ts";

const isStrict = (storeContext: StoreContext): boolean => settingsOf(storeContext).strict ?? true;
/**
 * Returns the variable with the given ID, and the caller's access to its workspace. Rejects with
 * 404 if it does not exist, or if the caller does not have the right `need`.
 */
async function authorizedVariable(
  storeContext: StoreContext,
  caller: Caller,
  id: string,
  need: keyof WorkspaceRights,
): Promise<{ readonly stored: Row<VariableRow>; readonly access: WorkspaceAccess }> {
  if (!isId("var", id)) throw notFound();
  const stored = await variableNow(storeContext, id);
  const access = await workspaceAccess(
    storeContext,
    caller.identity.id,
    stored?.value.workspace,
    need,
  );
  if (!stored) throw notFound();
  return { stored, access };
}

export const createVar = storeEndpoint({
  id: "createVar",
  at: ["POST /vars"],
  access: "known",
  style: oldJsonapi,
  status: 201,
  doc: "Creates a variable in the workspace given by the relationship or the filter. Deprecated: use `POST /workspaces/:workspace_id/vars`.",
  body: {
    data: createdVariableIn,
    filter: workspaceFilter,
  },
  reply: oneVariable,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, input, caller) => {
    const resource = readResource(input.data(), { type: "vars" });
    const id = await workspaceOf(storeContext, caller, resource, input.filter?.());
    const access = await workspaceAccess(storeContext, caller.identity.id, id, "writeVariables");
    const demanded = isStrict(storeContext)
      ? (["key", "category", "description"] as const)
      : (["key", "category"] as const);
    const sent = readAttributes(resource.attributes, ...demanded);
    const row = await createVariable(storeContext, access.workspace.id, sent, "vars");
    return { data: variableDocument(storeContext, row, access, "vars") };
  },
});
/** Returns the ID of a new variable's workspace, from the relationship or else from the filter. */
async function workspaceOf(
  storeContext: StoreContext,
  caller: Caller,
  resource: Resource,
  filter: unknown,
): Promise<string | undefined> {
  const related = resource.relationships["workspace"];
  const names = related === undefined || related === null ? namesIn(filter) : undefined;
  return names
    ? workspaceNamed(storeContext, caller.identity.id, names.organization, names.workspace)
    : relatedId(resource, "workspace", "workspaces");
}
/**
 * Returns the two names in a filter, or undefined if it has none. Throws 422 if it has only one of
 * the two.
 */
function namesIn(
  filter: unknown,
): { readonly organization: string; readonly workspace: string } | undefined {
  const [workspace, organization] = [nameIn(filter, "workspace"), nameIn(filter, "organization")];
  if (workspace === undefined && organization === undefined) return undefined;
  const missing = (side: string) =>
    invalidError([requestFault(`/filter/${side}/name`, `filter.${side}.name is required`)]);
  if (workspace === undefined) throw missing("workspace");
  if (organization === undefined) throw missing("organization");
  return { organization, workspace };
}
function nameIn(filter: unknown, side: string): string | undefined {
  const part = isObject(filter) ? filter[side] : undefined;
  const name = isObject(part) ? part["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

export const readVar = storeEndpoint({
  id: "readVar",
  at: ["GET /vars/:variable_id"],
  access: "known",
  style: oldJsonapi,
  doc: "Reads a variable. Deprecated: use `GET /workspaces/:workspace_id/vars/:variable_id`.",
  body: {},
  reply: oneVariable,
  refuses: ["not_found"],
  run: async (storeContext, { variable_id: id }, caller) => {
    const { stored, access } = await authorizedVariable(storeContext, caller, id, "readVariables");
    return { data: variableDocument(storeContext, stored.value, access, "vars") };
  },
});

export const updateVar = storeEndpoint({
  id: "updateVar",
  at: ["PATCH /vars/:variable_id"],
  access: "known",
  style: oldJsonapi,
  doc: "Updates a variable. Omitted attributes keep their values. Deprecated: use `PATCH /workspaces/:workspace_id/vars/:variable_id`.",
  body: { data: changedVariableById },
  reply: oneVariable,
  refuses: ["not_found", "unsupported_media", "malformed", "conflict", "invalid_document"],
  run: async (storeContext, { variable_id: id, data }, caller) => {
    const { stored, access } = await authorizedVariable(storeContext, caller, id, "writeVariables");
    const { attributes } = readResource(data(), {
      type: "vars",
      id,
      requiresId: true,
      requiresAttributes: isStrict(storeContext),
    });
    const row = await updateVariable(storeContext, stored, readAttributes(attributes), "vars");
    return { data: variableDocument(storeContext, row, access, "vars") };
  },
});

export const deleteVar = storeEndpoint({
  id: "deleteVar",
  at: ["DELETE /vars/:variable_id"],
  access: "known",
  style: oldJsonapi,
  doc: "Deletes a variable. Deprecated: use `DELETE /workspaces/:workspace_id/vars/:variable_id`.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (storeContext, { variable_id: id }, caller) =>
    deleteVariable(
      storeContext,
      (await authorizedVariable(storeContext, caller, id, "writeVariables")).stored,
    ),
});
