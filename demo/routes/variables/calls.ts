import {
  ApiError,
  failed,
  connectionLoss,
  noConnection,
  unknownCall,
} from "../../api/transport.ts";
import { dropVarsToken, place } from "../../lib/place.ts";
import { installWorker } from "../../lib/service-worker.ts";
import { visible } from "../../lib/format.ts";

/** One thing that the variables API refused, and the member it is about: `attributes/key`. */
export interface Fault {
  readonly text: string;
  readonly at: string;
}

/** A refusal of the variables API, fault by fault. */
export class VarsRefusal extends ApiError {
  readonly faults: readonly Fault[];
  constructor(status: number, faults: readonly Fault[], call: string) {
    super(status, faults.map(({ text }) => text).join("; "), call);
    this.faults = faults;
  }
}

/** A workspace and what the caller may do there. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  /** The number of variables; undefined for callers who may not read them. */
  readonly count: number | undefined;
  readonly mayWrite: boolean;
  readonly mayDelete: boolean;
}

/** The writable attributes of a variable; absent ones stay unchanged. */
export interface Attributes {
  readonly key: string;
  readonly category: string;
  readonly value?: string | null;
  readonly description?: string | null;
  readonly hcl?: boolean;
  readonly sensitive?: boolean;
}

/** A variable. The value of a sensitive one is null. */
export interface Variable extends Required<Attributes> {
  readonly id: string;
  /** Changes with every write. */
  readonly version: string;
}

const media = "application/vnd.api+json";
let unknownToken = false;

async function send(verb: string, path: string, document?: object): Promise<Response> {
  const to = place.get();
  const { kind, base, varsToken } = to;
  const call = `${verb} /api/v2${path}`;
  if (kind === "browser") await installWorker();
  if (kind === "worker" && base === "")
    throw new ApiError(0, "Connect to a Worker first, under Settings.", "");
  if (kind === "worker" && varsToken === "")
    throw new ApiError(
      401,
      unknownToken
        ? "The Worker does not know this token, or it has expired."
        : "The variables API has tokens of its own.",
      call,
    );
  const headers = new Headers();
  if (kind === "worker") headers.set("Authorization", `Bearer ${varsToken}`);
  if (document) headers.set("Content-Type", media);
  const init: RequestInit = {
    method: verb,
    headers,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
  };
  if (document) init.body = JSON.stringify(document);
  const response = await fetch(`${base}/api/v2${path}`, init).catch(() => {
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

interface Told {
  readonly title?: unknown;
  readonly detail?: unknown;
  readonly source?: { readonly pointer?: unknown };
}

async function refusal(response: Response, call: string): Promise<VarsRefusal> {
  const said = (await response.json().catch(() => ({}))) as { errors?: unknown };
  const faults = (Array.isArray(said.errors) ? (said.errors as readonly Told[]) : []).map(
    ({ title, detail, source }): Fault => {
      const at = typeof source?.pointer === "string" ? source.pointer.replace(/^\/data\//, "") : "";
      return { text: visible(String(detail ?? title)), at };
    },
  );
  const lacking = "Not found, or the token may not see it.";
  if (response.status === 404) return new VarsRefusal(404, [{ text: lacking, at: "" }], call);
  return failed(
    response,
    new VarsRefusal(
      response.status,
      faults.length > 0 ? faults : [{ text: `The authority answered ${response.status}.`, at: "" }],
      call,
    ),
  );
}

async function ask<T>(verb: string, path: string, document?: object): Promise<T> {
  const response = await send(verb, path, document);
  return (response.status === 204 ? {} : await response.json()) as T;
}

interface Shown<A> {
  readonly id: string;
  readonly attributes: A;
}
interface WorkspaceShown extends Shown<{
  name: string;
  permissions: Readonly<Record<string, boolean>>;
}> {
  readonly relationships: {
    readonly organization: { readonly data: { readonly id: string } };
    readonly vars?: { readonly data: readonly unknown[] };
  };
}
type VariableShown = Shown<Omit<Variable, "id" | "version"> & { "version-id": string }>;
interface Page<T> {
  readonly data: readonly T[];
  readonly meta: { readonly pagination: { readonly "next-page": number | null } };
}

const workspaceOf = ({
  id,
  attributes: { name, permissions },
  relationships,
}: WorkspaceShown): Workspace => ({
  id,
  name,
  organization: relationships.organization.data.id,
  count: relationships.vars?.data.length,
  mayWrite: permissions["can-update-variable"] === true,
  mayDelete: permissions["can-destroy"] === true,
});
const variableOf = ({
  id,
  attributes: { "version-id": version, ...rest },
}: VariableShown): Variable => ({ id, version, ...rest });
const named = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join("");

/** Names of the organizations that can be seen. */
export async function organizations(): Promise<readonly string[]> {
  try {
    return (await ask<{ data: readonly Shown<unknown>[] }>("GET", "/organizations")).data.map(
      ({ id }) => id,
    );
  } catch (error) {
    throw unknownCall(error)
      ? new ApiError(
          404,
          "This authority has no variables API: it is older than this console.",
          "GET /api/v2/organizations",
        )
      : error;
  }
}

/** Every workspace of an organization, by name. */
export async function workspacesOf(organization: string): Promise<readonly Workspace[]> {
  const all: Workspace[] = [];
  for (let page: number | null = 1; page !== null;) {
    const read: Page<WorkspaceShown> = await ask(
      "GET",
      `/organizations${named(organization)}/workspaces?page%5Bnumber%5D=${page}&page%5Bsize%5D=100`,
    );
    all.push(...read.data.map(workspaceOf));
    page = read.meta.pagination["next-page"];
  }
  return all;
}

/** A workspace by its id, or by the names of its organization and itself. */
export async function workspace(id: string): Promise<Workspace> {
  const [organization = "", name] = id.split("/");
  const path =
    name === undefined
      ? `/workspaces${named(id)}`
      : `/organizations${named(organization)}/workspaces${named(name)}`;
  return workspaceOf((await ask<{ data: WorkspaceShown }>("GET", path)).data);
}

/** Makes a workspace. */
export const createWorkspace = async (organization: string, name: string): Promise<Workspace> =>
  workspaceOf(
    (
      await ask<{ data: WorkspaceShown }>(
        "POST",
        `/organizations${named(organization)}/workspaces`,
        resource("workspaces", { name }),
      )
    ).data,
  );
/** Deletes a workspace and all its variables. */
export const deleteWorkspace = (id: string): Promise<unknown> =>
  ask("DELETE", `/workspaces${named(id)}`);

const resource = (type: string, attributes: object): object => ({ data: { type, attributes } });
const varsOf = (id: string): string => `/workspaces${named(id)}/vars`;

/** All variables of a workspace. */
export const variables = async (id: string): Promise<readonly Variable[]> =>
  (await ask<{ data: readonly VariableShown[] }>("GET", varsOf(id))).data.map(variableOf);
/** A variable as it is now. */
export const variable = async (id: string, one: string): Promise<Variable> =>
  variableOf((await ask<{ data: VariableShown }>("GET", varsOf(id) + named(one))).data);
/** Makes a variable. */
export const createVariable = (id: string, attributes: Attributes): Promise<unknown> =>
  ask("POST", varsOf(id), resource("vars", attributes));
/** Changes what is given of a variable. */
export const updateVariable = (
  id: string,
  one: string,
  changes: Partial<Attributes>,
): Promise<unknown> => ask("PATCH", varsOf(id) + named(one), resource("vars", changes));
/** Deletes a variable. */
export const deleteVariable = (id: string, one: string): Promise<unknown> =>
  ask("DELETE", varsOf(id) + named(one));
/** Makes or changes many variables by key and category, all of them or none. */
export const writeAll = (id: string, items: readonly Attributes[]): Promise<unknown> =>
  ask("POST", `${varsOf(id)}/bulk`, {
    data: items.map((attributes) => ({ type: "vars", attributes })),
  });
/** The export as text. */
export const exportWorkspace = async (id: string, format: "dotenv" | "json"): Promise<string> =>
  (await send("GET", `${varsOf(id)}/export?format=${format}`)).text();
