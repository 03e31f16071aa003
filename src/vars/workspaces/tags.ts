import { storeEndpoint } from "../../wire/endpoint.ts";
import { lazy } from "../jsonapi/document.ts";
import { invalidError, requestFault } from "../jsonapi/fault.ts";
import { pagedStyle, pageOf, pagedReply, pageFields } from "../jsonapi/paging.ts";
import { jsonapi } from "../jsonapi/style.ts";
import { workspaceAccess } from "../rights/workspace-access.ts";

export const listNothing = storeEndpoint({
  id: "listNothing",
  at: [
    "GET /workspaces/:workspace_id/relationships/remote-state-consumers",
    "GET /workspaces/:workspace_id/tag-bindings",
    "GET /workspaces/:workspace_id/relationships/tag-bindings",
    "GET /workspaces/:workspace_id/effective-tag-bindings",
  ],
  access: "known",
  style: pagedStyle,
  doc: "Returns an empty list for workspace features that this server does not have.",
  body: pageFields,
  reply: pagedReply({ type: "object" }),
  refuses: ["not_found", "malformed"],
  run: async (storeContext, input, caller) => {
    await workspaceAccess(storeContext, caller.identity.id, input.workspace_id, "see");
    return pageOf([], input);
  },
});

export const clearTags = storeEndpoint({
  id: "clearTags",
  at: [
    "PATCH /workspaces/:workspace_id/tag-bindings",
    "PATCH /workspaces/:workspace_id/relationships/tag-bindings",
  ],
  access: "known",
  style: jsonapi,
  doc: "Accepts the empty list of tags that clients send when they update a workspace. Tags are not supported.",
  body: { data: lazy({ type: "array", maxItems: 0, description: "No tags." }) },
  reply: {},
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { workspace_id, data }, caller) => {
    await workspaceAccess(storeContext, caller.identity.id, workspace_id, "manage");
    const tags = data?.();
    if (!Array.isArray(tags))
      throw invalidError([requestFault("/data", "data must be a list of tags")]);
    if (tags.length) throw invalidError([requestFault("/data", "tags are not supported")]);
    return undefined;
  },
});
