import type { StoreContext } from "../../engine/store-context.ts";
import { documentMember, timestamp } from "../jsonapi/document.ts";
import {
  membersOf,
  flag,
  listOf,
  object,
  resource,
  text,
  textOrNull,
  toOne,
} from "../jsonapi/resource-schema.ts";
import type { ListParts } from "../jsonapi/style.ts";
import type { WorkspaceAccess } from "../rights/workspace-access.ts";
import type { NamedWorkspace, OrganizationRow, VariableRow } from "../rows/rows.ts";
import { categoryOf, type Surface } from "./category.ts";
import { variablesIn, type Portions } from "./read-variables.ts";
import { settingsOf } from "../rows/settings.ts";

/** The workspace and organization of a variable, for its resource object. */
interface Home {
  readonly workspace: NamedWorkspace;
  readonly organization: Pick<OrganizationRow, "name">;
}
/** Returns a variable's resource object. A sensitive value is never shown. */
export function variableDocument(
  storeContext: StoreContext,
  row: VariableRow,
  { workspace, organization }: Home,
  surface: Surface,
) {
  const self =
    surface === "vars"
      ? `/api/v2/vars/${row.id}`
      : `/api/v2/workspaces/${row.workspace}/vars/${row.id}`;
  return {
    id: row.id,
    type: "vars",
    attributes: {
      key: row.key,
      // a sensitive value is stored as bytes
      value: !row.sensitive && typeof row.value === "string" ? row.value : null,
      sensitive: row.sensitive,
      category: categoryOf(row, surface, settingsOf(storeContext)),
      hcl: row.hcl,
      "created-at": timestamp(row.created),
      description: row.description,
      "version-id": row.version,
    },
    relationships: {
      configurable: {
        data: { id: workspace.id, type: "workspaces" },
        links: {
          related: `/api/v2/organizations/${organization.name}/workspaces/${workspace.name}`,
        },
      },
    },
    links: { self },
  };
}

/** The resource object of a variable. */
export type VariableDocument = ReturnType<typeof variableDocument>;
const schema = resource(
  "vars",
  object({
    ...membersOf(["key", "created-at", "version-id"], text),
    description: textOrNull,
    value: { ...textOrNull, description: "Null if the variable is sensitive." },
    category: { enum: ["iac", "terraform", "env"] },
    ...membersOf(["sensitive", "hcl"], flag),
  }),
  { configurable: toOne("workspaces") },
);
/** Reply field for one variable. */
export const oneVariable = {
  data: documentMember<VariableDocument>(schema, "The variable."),
} as const;
/** Reply field for a list of variables. */
export const manyVariables = {
  data: documentMember<ListParts<VariableDocument>["data"]>(
    listOf(schema),
    "The variables, sorted by key.",
  ),
} as const;

/** Yields the resource objects of a workspace's variables on demand. */
export function* documentsOf(
  storeContext: StoreContext,
  rows: readonly VariableRow[],
  home: Home,
  surface: Surface,
): Iterable<VariableDocument> {
  for (const row of rows) yield variableDocument(storeContext, row, home, surface);
}
/** Yields the resource objects of variables that are read in portions. */
export async function* portionsOf(
  storeContext: StoreContext,
  portions: Portions,
  home: Home,
  surface: Surface,
): AsyncIterable<Iterable<VariableDocument>> {
  for await (const rows of portions) yield documentsOf(storeContext, rows, home, surface);
}
/** Returns all variables in a workspace as response content. */
export const allVariables = (
  storeContext: StoreContext,
  access: WorkspaceAccess,
  surface: Surface,
): ListParts<VariableDocument> => ({
  data: portionsOf(storeContext, variablesIn(storeContext, access.workspace.id), access, surface),
});
/** Returns a list in one part. */
export const onePart = <T>(part: Iterable<T>): ListParts<T> => ({ data: only(part) });
async function* only<T>(part: Iterable<T>): AsyncIterable<Iterable<T>> {
  yield part;
}
