import type {
  ListWorkspacesReply,
  VariableResource,
  VariableResourceData,
  WorkspaceResource,
} from "../../../src/client/vars.ts";
import { requestOf, type Endpoint, type InputOf, type ReplyOf } from "../../api/endpoint.ts";
import * as vars from "../../api/endpoints/vars.ts";
import {
  ApiError,
  failed,
  connectionLoss,
  noConnection,
  unknownCall,
} from "../../api/transport.ts";
import { dropVarsToken, place } from "../../lib/place.ts";
import { installWorker } from "../../lib/service-worker.ts";
import { visible } from "../../lib/visible-text.ts";

/** An error from the variables API, and the member that caused it, such as `attributes/key`. */
interface Fault {
  readonly text: string;
  readonly at: string;
}

/** An error response from the variables API. `faults` lists its individual errors. */
export class VarsRefusal extends ApiError {
  readonly faults: readonly Fault[];
  constructor(status: number, faults: readonly Fault[], call: string) {
    super(status, faults.map(({ text }) => text).join("; "), call);
    this.faults = faults;
  }
}

/** A workspace and the permissions that the caller has in it. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  /** The number of variables; undefined if the caller may not read them. */
  readonly count: number | undefined;
  readonly mayWrite: boolean;
  readonly mayDelete: boolean;
}

/** The writable attributes of a variable. Attributes that are absent stay unchanged. */
export type Attributes = VariableResourceData["attributes"];

/** A variable. If it is sensitive, its value is null. */
export type Variable = Pick<
  VariableResource["attributes"],
  "key" | "category" | "value" | "description" | "hcl" | "sensitive"
> & {
  readonly id: string;
  /** The version, which changes with every write. */
  readonly version: string;
};

const media = "application/vnd.api+json";
let unknownToken = false;

type Method = (input: never) => Promise<unknown>;

async function send<M extends Method>(endpoint: Endpoint<M>, input: InputOf<M>): Promise<Response> {
  const { verb, path, body } = requestOf(endpoint, input);
  const to = place.get();
  const { kind, base, varsToken } = to;
  const call = `${verb} /api/v2/${path}`;
  if (kind === "browser") await installWorker();
  if (kind === "worker" && base === "")
    throw new ApiError(0, "Connect to a server first, under Settings.", "");
  if (kind === "worker" && varsToken === "")
    throw new ApiError(
      401,
      unknownToken
        ? "The token is invalid or has expired."
        : "The variables API requires its own token. Enter one to continue.",
      call,
    );
  const headers = new Headers();
  if (kind === "worker") headers.set("Authorization", `Bearer ${varsToken}`);
  if (body) headers.set("Content-Type", media);
  const init: RequestInit = {
    method: verb,
    headers,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
  };
  if (body) init.body = JSON.stringify(body);
  const response = await fetch(`${base}/api/v2/${path}`, init).catch(() => {
    throw noConnection(to, call);
  });
  connectionLoss.set({ since: undefined });
  if (response.ok) {
    unknownToken = false;
    return response;
  }
  if (response.status === 401 && kind === "worker") {
    unknownToken = true;
    dropVarsToken(varsToken);
  }
  throw await refusal(response, call);
}

interface VarsError {
  readonly title?: unknown;
  readonly detail?: unknown;
  readonly source?: { readonly pointer?: unknown };
}

async function refusal(response: Response, call: string): Promise<VarsRefusal> {
  const body = (await response.json().catch(() => ({}))) as { errors?: unknown };
  const faults = (Array.isArray(body.errors) ? (body.errors as readonly VarsError[]) : []).map(
    ({ title, detail, source }): Fault => {
      const at = typeof source?.pointer === "string" ? source.pointer.replace(/^\/data\//, "") : "";
      return { text: visible(String(detail ?? title)), at };
    },
  );
  const lacking = "Not found, or the token has no access.";
  if (response.status === 404) return new VarsRefusal(404, [{ text: lacking, at: "" }], call);
  return failed(
    response,
    new VarsRefusal(
      response.status,
      faults.length > 0
        ? faults
        : [{ text: `The server replied with status ${response.status}.`, at: "" }],
      call,
    ),
  );
}

/**
 * Calls an endpoint and returns the document of the response, with the type that the endpoint
 * declares.
 */
async function call<M extends Method>(
  endpoint: Endpoint<M>,
  input: InputOf<M>,
): Promise<ReplyOf<M>> {
  const response = await send(endpoint, input);
  return (response.status === 204 ? undefined : await response.json()) as ReplyOf<M>;
}

const workspaceOf = ({
  id,
  attributes: { name, permissions },
  relationships,
}: WorkspaceResource): Workspace => ({
  id,
  name,
  organization: relationships.organization?.data.id ?? "",
  count: relationships.vars?.data.length,
  mayWrite: permissions["can-update-variable"] === true,
  mayDelete: permissions["can-destroy"] === true,
});
const variableOf = ({
  id,
  attributes: { "version-id": version, ...rest },
}: VariableResource): Variable => ({ id, version, ...rest });

/** Returns the names of the organizations that the token can read. */
export async function organizations(): Promise<readonly string[]> {
  try {
    return (await call(vars.listOrganizations, {})).data.map(({ id }) => id);
  } catch (error) {
    throw unknownCall(error)
      ? new ApiError(
          404,
          "This server is too old to support the variables API.",
          "GET /api/v2/organizations",
        )
      : error;
  }
}

/** Returns the workspaces of an organization, sorted by name. */
export async function workspacesOf(organization: string): Promise<readonly Workspace[]> {
  const all: Workspace[] = [];
  for (let page: number | null = 1; page !== null;) {
    const read: ListWorkspacesReply = await call(vars.listWorkspaces, {
      organization,
      "page[number]": String(page),
      "page[size]": "100",
    });
    all.push(...read.data.map(workspaceOf));
    page = read.meta.pagination["next-page"];
  }
  return all;
}

/** Reads a workspace by its ID, or by `organization/workspace`. */
export async function workspace(id: string): Promise<Workspace> {
  const [organization = "", name] = id.split("/");
  const input = name === undefined ? { workspace_id: id } : { organization, workspace: name };
  return workspaceOf((await call(vars.readWorkspace, input)).data);
}

/** Creates a workspace. */
export const createWorkspace = async (organization: string, name: string): Promise<Workspace> => {
  const data = { type: "workspaces", attributes: { name } } as const;
  return workspaceOf((await call(vars.createWorkspace, { organization, data })).data);
};
/** Deletes a workspace and all its variables. */
export const deleteWorkspace = (id: string): Promise<unknown> =>
  call(vars.deleteWorkspace, { workspace_id: id });

/** Returns the variables of a workspace. */
export const variables = async (id: string): Promise<readonly Variable[]> =>
  (await call(vars.listWorkspaceVars, { workspace_id: id })).data.map(variableOf);
/** Reads a variable. */
export const variable = async (id: string, one: string): Promise<Variable> =>
  variableOf((await call(vars.readWorkspaceVar, { workspace_id: id, variable_id: one })).data);
/** Creates a variable. */
export const createVariable = (id: string, attributes: Attributes): Promise<unknown> =>
  call(vars.createWorkspaceVar, { workspace_id: id, data: { type: "vars", attributes } });
/** Changes attributes of a variable. */
export const updateVariable = (
  id: string,
  one: string,
  attributes: Partial<Attributes>,
): Promise<unknown> =>
  call(vars.updateWorkspaceVar, {
    workspace_id: id,
    variable_id: one,
    data: { type: "vars", attributes },
  });
/** Deletes a variable. */
export const deleteVariable = (id: string, one: string): Promise<unknown> =>
  call(vars.deleteWorkspaceVar, { workspace_id: id, variable_id: one });
/** Creates or updates variables atomically. Key and category identify existing variables. */
export const writeAll = (id: string, items: readonly Attributes[]): Promise<unknown> =>
  call(vars.writeVarsInBulk, {
    workspace_id: id,
    data: items.map((attributes) => ({ type: "vars", attributes })),
  });
/** Returns the variables of a workspace as text. */
export const exportWorkspace = async (id: string, format: "dotenv" | "json"): Promise<string> =>
  (await send(vars.exportVars, { workspace_id: id, format })).text();
