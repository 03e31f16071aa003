import type { Unit } from "../../engine/unit.ts";
import { unitEndpoint, type Caller } from "../../wire/endpoint.ts";
import { byCodePoint } from "../../base/code-point.ts";
import { workspacesIn } from "../rows/directory.ts";
import {
  answer,
  dataOf,
  isObject,
  lazy,
  parameter,
  readResource,
  relatedId,
  type Lazy,
} from "../jsonapi/document.ts";
import { badFilter, invalid, notFound, requestFault, type Fault } from "../jsonapi/fault.ts";
import { isId } from "../rows/ids.ts";
import {
  organizationsOf,
  workspaceAccess,
  organizationAccess,
  workspacesWith,
  teamsOf,
  workspaceNamed,
  type WorkspaceAccess,
  type ListedWorkspace,
  type WorkspaceRights,
} from "../rights/rights.ts";
import type { VariableRow } from "../rows/rows.ts";
import { settingsOf } from "../rows/settings.ts";
import {
  createVariable,
  deleteVariable,
  updateVariable,
  variableNow,
  variablesIn,
  type Portions,
} from "./write-variable.ts";
import { oldJsonapi, oldList, type Parts } from "../jsonapi/style.ts";
import { readAttributes, variableDocument, type Home, type Surface } from "./variable.ts";

/** JSON Schema of a variable's attributes. */
export const attributeSchemas = {
  key: {
    type: "string",
    maxLength: 128,
    description: "Name of the variable, unique within its workspace and category.",
  },
  value: {
    type: ["string", "null"],
    description: "Value, at most 256 KiB of UTF-8. Never returned for a sensitive variable.",
  },
  description: { type: ["string", "null"], maxLength: 512 },
  category: {
    enum: ["iac", "terraform", "env"],
    description: "`iac` and `terraform` are synonyms.",
  },
  hcl: {
    type: "boolean",
    description: "The value is code in the configuration language; no effect for `env`.",
  },
  sensitive: {
    type: "boolean",
    description: "The value is never returned again. Cannot be unset.",
  },
} as const;
/** `data` of a variable that is sent. */
export const variableData = dataOf("vars", attributeSchemas);
/** A variable as it is answered. */
export type VariableDocument = ReturnType<typeof variableDocument>;
/** An answer with one variable. */
export const oneVariable = {
  data: answer<VariableDocument>({ type: "object" }, "The variable."),
} as const;
/** An answer with variables. */
export const manyVariables = {
  data: answer<Parts<VariableDocument>["data"]>({ type: "array" }, "Variables, by key."),
} as const;

/** A variable as a surface shows it. */
export const shown = (ca: Unit, row: VariableRow, home: Home, surface: Surface): VariableDocument =>
  variableDocument(row, home, surface, settingsOf(ca.ports));
/** Variables of a workspace, each made when it is sent. */
export function* shownEach(
  ca: Unit,
  rows: readonly VariableRow[],
  home: Home,
  surface: Surface,
): Iterable<VariableDocument> {
  for (const row of rows) yield shown(ca, row, home, surface);
}
/** All variables of a workspace. */
export const shownAll = (
  ca: Unit,
  access: WorkspaceAccess,
  surface: Surface,
): Parts<VariableDocument> => ({
  data: shownIn(ca, variablesIn(ca, access.workspace.id), access, surface),
});
async function* shownIn(
  ca: Unit,
  portions: Portions,
  home: Home,
  surface: Surface,
): AsyncIterable<Iterable<VariableDocument>> {
  for await (const rows of portions) yield shownEach(ca, rows, home, surface);
}
/** A list in one part. */
export const onePart = <T>(part: Iterable<T>): Parts<T> => ({ data: only(part) });
async function* only<T>(part: Iterable<T>): AsyncIterable<Iterable<T>> {
  yield part;
}

const isStrict = (ca: Unit): boolean => settingsOf(ca.ports).strict ?? true;
/** The variable of an id and the caller's access to its workspace. Throws 404 when the caller lacks a right there. */
async function found(
  ca: Unit,
  caller: Caller,
  id: string,
  need: keyof WorkspaceRights,
): Promise<{ readonly row: VariableRow; readonly access: WorkspaceAccess }> {
  if (!isId("var", id)) throw notFound();
  const row = await variableNow(ca, id);
  const access = await workspaceAccess(ca, caller.id, row?.value.workspace, need);
  if (!row) throw notFound();
  return { row: row.value, access };
}

export const createVar = unitEndpoint({
  id: "createVar",
  at: ["POST /vars"],
  access: "known",
  style: oldJsonapi,
  status: 201,
  doc: "Creates a variable in the workspace given by the relationship or the filter. Deprecated: use the workspace's own path.",
  body: {
    data: variableData,
    filter: lazy({
      type: "object",
      description: "Names of the workspace and its organization, instead of the relationship.",
    }),
  },
  reply: oneVariable,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (ca, input, caller) => {
    const resource = readResource(input.data?.(), { type: "vars" });
    const access = await ownerOf(ca, caller, resource.relationships, input.filter);
    const faults: Fault[] = [];
    const sent = readAttributes(
      resource.attributes,
      new Set(isStrict(ca) ? ["key", "category", "description"] : ["key", "category"]),
      faults,
    );
    return {
      data: shown(
        ca,
        await createVariable(ca, access.workspace.id, sent, "vars", faults),
        access,
        "vars",
      ),
    };
  },
});
/** The workspace that a new variable goes to: by relationship, else by filter. */
async function ownerOf(
  ca: Unit,
  caller: Caller,
  relationships: Readonly<Record<string, unknown>>,
  filter: Lazy | undefined,
): Promise<WorkspaceAccess> {
  const [given, named] = [filter?.(), relationships["workspace"]];
  if ((named === undefined || named === null) && isObject(given)) {
    const names = {
      workspace: nameIn(given, "workspace"),
      organization: nameIn(given, "organization"),
    };
    const missing = (["workspace", "organization"] as const).filter(
      (side) => names[side] === undefined,
    );
    if (missing.length < 2) {
      if (names.workspace === undefined || names.organization === undefined)
        throw invalid(
          missing.map((side) =>
            requestFault(`/filter/${side}/name`, `filter.${side}.name is required`),
          ),
        );
      return accessByName(ca, caller, names.organization, names.workspace, "writeVariables");
    }
  }
  return workspaceAccess(
    ca,
    caller.id,
    relatedId({ attributes: {}, relationships }, "workspace", "workspaces"),
    "writeVariables",
  );
}
function nameIn(filter: Readonly<Record<string, unknown>>, side: string): string | undefined {
  const part = filter[side];
  const name = isObject(part) ? part["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}
async function accessByName(
  ca: Unit,
  caller: Caller,
  organization: string,
  workspace: string,
  need: keyof WorkspaceRights,
): Promise<WorkspaceAccess> {
  const owner = await organizationAccess(ca, caller.id, organization, "see");
  return workspaceAccess(
    ca,
    caller.id,
    await workspaceNamed(ca, owner.organization.id, workspace),
    need,
  );
}

const [workspaceFilter, organizationFilter] = [
  "filter[workspace][name]",
  "filter[organization][name]",
] as const;
export const listVars = unitEndpoint({
  id: "listVars",
  at: ["GET /vars"],
  access: "known",
  style: oldList,
  doc: "Lists the variables of one workspace, or of all workspaces whose variables the caller may read, at most 800. Deprecated: use the workspace's own path.",
  body: {
    [workspaceFilter]: parameter("Name of the workspace; requires the organization's name."),
    [organizationFilter]: parameter("Name of the organization; requires the workspace's name."),
  },
  reply: manyVariables,
  refuses: ["not_found", "malformed"],
  run: async (ca, input, caller) => {
    const [workspace, organization] = [input[workspaceFilter], input[organizationFilter]];
    if (workspace === undefined && organization === undefined)
      return { data: partsOf(ca, await readableWorkspaces(ca, caller)) };
    if (workspace === undefined)
      throw badFilter(
        `${workspaceFilter} must be given together with ${organizationFilter}`,
        workspaceFilter,
      );
    if (organization === undefined)
      throw badFilter(
        `${organizationFilter} must be given together with ${workspaceFilter}`,
        organizationFilter,
      );
    return shownAll(
      ca,
      await accessByName(ca, caller, organization, workspace, "readVariables"),
      "vars",
    );
  },
});
/**
 * Most workspaces whose variables come in one list: each is read by itself, and a Worker's request
 * may ask an object a thousand times.
 */
const mostWorkspaces = 800;
const tooManyWorkspaces = () =>
  badFilter(
    `the variables of more than ${mostWorkspaces} workspaces cannot be listed at once: give the name of a workspace`,
    workspaceFilter,
  );
/** Organizations whose workspaces are listed at once. */
const abreast = 8;
/**
 * Every workspace whose variables the caller may read: by organization and name. Throws 400 when
 * they are too many.
 */
async function readableWorkspaces(ca: Unit, caller: Caller): Promise<readonly ListedWorkspace[]> {
  const holder = { principal: caller.id, teams: await teamsOf(ca, caller.id) };
  const organizations = (await organizationsOf(ca, holder)).toSorted((one, other) =>
    byCodePoint(one.name, other.name),
  );
  const found: ListedWorkspace[] = [];
  for (let at = 0; at < organizations.length; at += abreast) {
    const group = organizations.slice(at, at + abreast);
    const listed = await Promise.all(
      group.map(async (organization) =>
        (await workspacesIn(ca, organization.id)).map((workspace) => ({ workspace, organization })),
      ),
    );
    found.push(...(await workspacesWith(ca, holder, listed.flat(), "readVariables")));
    if (found.length > mostWorkspaces) throw tooManyWorkspaces();
  }
  return found;
}
/** Workspaces whose variables begin to be read before they are sent. */
const ahead = 3;
/** The variables of some workspaces, in their order. */
async function* partsOf(
  ca: Unit,
  workspaces: readonly ListedWorkspace[],
): AsyncIterable<Iterable<VariableDocument>> {
  const begun: { readonly first: ReturnType<Portions["next"]>; readonly portions: Portions }[] = [];
  for (const [i, listed] of workspaces.entries()) {
    for (const { workspace } of workspaces.slice(i + begun.length, i + ahead)) {
      const portions = variablesIn(ca, workspace.id);
      const first = portions.next();
      // where the reader leaves early nobody waits for it
      first.catch(() => undefined);
      begun.push({ first, portions });
    }
    const { first, portions } = begun.shift() ?? {};
    const rows = await first;
    if (rows?.value) yield shownEach(ca, rows.value, listed, "vars");
    if (portions) yield* shownIn(ca, portions, listed, "vars");
  }
}
export const readVar = unitEndpoint({
  id: "readVar",
  at: ["GET /vars/:variable_id"],
  access: "known",
  style: oldJsonapi,
  doc: "Reads a variable. Deprecated: use the workspace's own path.",
  body: {},
  reply: oneVariable,
  refuses: ["not_found"],
  run: async (ca, { variable_id: id }, caller) => {
    const { row, access } = await found(ca, caller, id, "readVariables");
    return { data: shown(ca, row, access, "vars") };
  },
});

export const updateVar = unitEndpoint({
  id: "updateVar",
  at: ["PATCH /vars/:variable_id"],
  access: "known",
  style: oldJsonapi,
  doc: "Updates a variable; attributes that are not sent keep their values. Deprecated: use the workspace's own path.",
  body: { data: variableData },
  reply: oneVariable,
  refuses: ["not_found", "unsupported_media", "malformed", "conflict", "invalid_document"],
  run: async (ca, { variable_id: id, data }, caller) => {
    const { row, access } = await found(ca, caller, id, "writeVariables");
    const { attributes } = readResource(data?.(), {
      type: "vars",
      id,
      demandId: true,
      demandAttributes: isStrict(ca),
    });
    const faults: Fault[] = [];
    const sent = readAttributes(attributes, new Set(), faults);
    return {
      data: shown(
        ca,
        await updateVariable(ca, { id, workspace: row.workspace }, sent, "vars", faults),
        access,
        "vars",
      ),
    };
  },
});

export const deleteVar = unitEndpoint({
  id: "deleteVar",
  at: ["DELETE /vars/:variable_id"],
  access: "known",
  style: oldJsonapi,
  doc: "Deletes a variable. Deprecated: use the workspace's own path.",
  body: {},
  reply: {},
  refuses: ["not_found"],
  run: async (ca, { variable_id: id }, caller) => {
    const { row } = await found(ca, caller, id, "writeVariables");
    await deleteVariable(ca, id, row.workspace);
    return undefined;
  },
});
