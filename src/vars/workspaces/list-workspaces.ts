import { compileGlob } from "../../base/glob.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint } from "../../wire/endpoint.ts";
import { documentMember, parameter } from "../jsonapi/document.ts";
import { listOf } from "../jsonapi/resource-schema.ts";
import { pagedStyle, pageOf, pagedReply, pageFields } from "../jsonapi/paging.ts";
import { organizationAccess } from "../rights/organization-access.ts";
import {
  organizationDocument,
  organizationSchema,
} from "../organizations/organization-document.ts";
import { workspacesWith, type RatedWorkspace } from "../rights/workspace-rights.ts";
import { rowsOf } from "../rows/change.ts";
import { workspacesIn } from "../rows/directory.ts";
import { rowKeys } from "../rows/keys.ts";
import { storedRows } from "../rows/stored.ts";
import { maxVariables } from "../variables/quota.ts";
import {
  documentOf,
  variableIds,
  type WorkspaceDocument,
  workspaceSchema,
} from "./workspace-document.ts";

/** The `included` member of the response. */
const included = {
  ...documentMember<readonly ReturnType<typeof organizationDocument>[] | undefined>(
    listOf(organizationSchema),
    "The organization, if requested.",
  ),
  required: false,
} as const;

export const listWorkspaces = storeEndpoint({
  id: "listWorkspaces",
  at: ["GET /organizations/:organization/workspaces"],
  access: "known",
  style: pagedStyle,
  doc: "Lists the workspaces of an organization that the caller can see.",
  body: {
    ...pageFields,
    "search[name]": parameter("Substring of the name."),
    "search[wildcard-name]": parameter(
      "Pattern that the whole name must match; `*` matches any characters.",
    ),
    "filter[project][id]": parameter("ID of the organization's project."),
    sort: parameter("`name` or `-name`.", ["name", "-name"]),
    include: parameter("`organization` includes the organization in the response.", [
      "organization",
    ]),
  },
  reply: { ...pagedReply(workspaceSchema), included },
  refuses: ["not_found", "malformed"],
  run: async (storeContext, input, caller) => {
    const { organization, teams, rights } = await organizationAccess(
      storeContext,
      caller.identity.id,
      input.organization,
      "see",
    );
    const part = input["search[name]"]?.toLowerCase() ?? "";
    const matches = compileGlob(input["search[wildcard-name]"]?.toLowerCase() || "*");
    const inProject = input["filter[project][id]"] || organization.project;
    const named =
      inProject === organization.project
        ? (await workspacesIn(storeContext, organization.id)).filter(({ name }) => {
            const lower = name.toLowerCase();
            return lower.includes(part) && matches(lower);
          })
        : [];
    const all = named.map((workspace) => ({ workspace, organization }));
    const visible = await workspacesWith(
      storeContext,
      { principal: caller.identity.id, teams },
      all,
      "see",
    );
    const page = pageOf(input.sort === "-name" ? visible.toReversed() : visible, input);
    return {
      ...page,
      data: await workspaceDocuments(storeContext, page.data),
      included: input.include?.split(",").includes("organization")
        ? [organizationDocument({ organization, rights })]
        : undefined,
    };
  },
});

/**
 * Number of workspaces to read in parallel, and maximum number of variable IDs in a page. The 100
 * workspaces of a page may have a million variables.
 */
const [abreast, maxIds] = [4, maxVariables];
/**
 * Returns the resource objects of the workspaces on a page. Beyond 10,000 variables in total, the
 * variables of the last workspaces are omitted.
 */
async function workspaceDocuments(
  storeContext: StoreContext,
  workspaces: readonly RatedWorkspace[],
): Promise<readonly WorkspaceDocument[]> {
  const rows = await rowsOf(
    storeContext,
    storedRows.workspace,
    workspaces.map(({ workspace }) => rowKeys.workspace(workspace.id)),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const documents: WorkspaceDocument[] = [];
  let left: number = maxIds;
  for (let at = 0; at < workspaces.length; at += abreast) {
    const group = workspaces.slice(at, at + abreast);
    const lists = await Promise.all(
      group.map(async ({ workspace, rights }) =>
        rights.readVariables && left > 0
          ? variableIds(storeContext, workspace.id, left)
          : undefined,
      ),
    );
    for (const [i, listed] of group.entries()) {
      const [workspace, ids] = [byId.get(listed.workspace.id), lists[i]];
      const isComplete = ids !== undefined && ids.length <= left;
      if (ids) left = Math.max(0, left - ids.length);
      // skips a workspace that was deleted between the two reads
      if (workspace)
        documents.push(documentOf({ ...listed, workspace }, isComplete ? ids : undefined));
    }
  }
  return documents;
}
