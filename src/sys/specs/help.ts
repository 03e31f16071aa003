import { CaError } from "../../base/errors.ts";
import type { AnyEndpoint, RouteMatch, RouteTarget } from "../../wire/endpoint.ts";
import { list, map, text, type Field } from "../../wire/field.ts";
import { loadEndpoints } from "../../wire/lazy-endpoints.ts";
import { openapi } from "../../wire/openapi.ts";
import { parameterNames, expandPatterns } from "../../wire/route-patterns.ts";
import { plain } from "../../wire/style.ts";
import { about } from "./about.ts";
import { exampleOf } from "./examples.ts";
import { groupAt } from "./groups.ts";

/** An endpoint with one of its methods and paths. */
interface EndpointPath {
  readonly method: string;
  /** Path of the route, relative to the mount. */
  readonly path: string;
  readonly endpoint: AnyEndpoint;
}

/**
 * Returns the endpoint that serves a request with `help=1` (P 9.1.1). It describes the endpoints at
 * the path from their declarations, without running them. Callers need a valid token. Rejects with
 * the routing error if the path has no endpoint.
 */
export async function helpOn(target: RouteTarget, arrived: string): Promise<RouteMatch> {
  const paths = target.path === "/" ? await pathsBelow(target) : await pathsAt(target, arrived);
  if (paths.length === 0) await target.find("GET", false, arrived);
  const endpoint: AnyEndpoint = {
    id: "readHelp",
    at: [],
    access: "known",
    style: plain,
    doc: "Returns help for a path.",
    body: {},
    reply: {
      help: text.required("Methods of the path and their parameters."),
      see_also: list.required("Always empty."),
      openapi: map.required("OpenAPI document of the path."),
    },
    run: async () => ({
      help: helpText(target, paths),
      see_also: [],
      openapi: fragment(target, paths),
    }),
  };
  return { endpoint, params: {}, shape: paths.length === 1 ? (paths[0]?.path ?? "") : target.path };
}

const methods = ["GET", "LIST", "POST", "PATCH", "DELETE"] as const;
async function pathsAt(target: RouteTarget, arrived: string): Promise<readonly EndpointPath[]> {
  const paths: EndpointPath[] = [];
  for (const method of methods)
    try {
      const { endpoint, shape, refusal } = await target.find(method, false, arrived);
      if (!refusal) paths.push({ method, path: shape, endpoint });
    } catch (error) {
      if (!(error instanceof CaError && error.code === "unsupported_operation")) throw error;
    }
  return paths;
}
/** Returns every path under a mount, for help on the mount itself. */
async function pathsBelow(target: RouteTarget): Promise<readonly EndpointPath[]> {
  return (await endpointsBelow(target)).flatMap((endpoint) =>
    expandPatterns(endpoint).map(([method, path]) => ({ method, path, endpoint })),
  );
}
async function endpointsBelow({
  tables,
  mount,
  type,
}: RouteTarget): Promise<readonly AnyEndpoint[]> {
  if (!tables) return [];
  if (mount === "sys" || mount === "auth" || mount === "identity" || mount === "cubbyhole")
    return loadEndpoints(tables[mount]);
  if (mount.startsWith("auth/")) return loadEndpoints(tables.methods[type] ?? none);
  return loadEndpoints(tables.mounts[type] ?? none);
}
const none = { endpoints: [] } as const;

const fragment = ({ mount, type }: RouteTarget, paths: readonly EndpointPath[]) =>
  openapi(
    [
      {
        ...groupAt({ path: mount, type: isMounted(mount) ? type : "" }, [
          ...new Map(paths.map(({ endpoint }) => [endpoint.id, endpoint])).values(),
        ]),
        only: new Set(paths.map(({ path }) => path)),
      },
    ],
    { ...about, servers: [{ url: "/", description: "This server." }], example: exampleOf },
  );
const isMounted = (mount: string): boolean =>
  !["sys", "auth", "identity", "cubbyhole"].includes(mount);

function helpText({ mount, path }: RouteTarget, paths: readonly EndpointPath[]): string {
  if (path === "/")
    return paths
      .map(({ method, path, endpoint }) => `${method} ${mount}${path}\n    ${endpoint.doc}\n`)
      .join("\n");
  return paths.map((path) => pathText(mount, path)).join("\n");
}
function pathText(mount: string, { method, path, endpoint }: EndpointPath): string {
  const { body, reply, doc } = endpoint;
  return [
    `${method} ${mount}${path}`,
    `    ${doc}`,
    ...section("Parameters", [
      ...parameterNames(path).map((name) => `${name} (string, in the path)`),
      ...Object.entries(body).map(([name, field]) => fieldText(name, field, field.required)),
    ]),
    ...section(
      "Reply",
      Object.entries(reply).map(([name, field]) => fieldText(name, field, false)),
    ),
    "",
  ].join("\n");
}
const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ["", `    ${title}:`, ...lines.map((line) => `        ${line}`)];
function fieldText(name: string, field: Field<unknown>, demanded: boolean): string {
  const { type, description } = field.json;
  const facts = [typeText(type), demanded ? "required" : ""].filter(Boolean).join(", ");
  return `${name}${facts ? ` (${facts})` : ""}${description ? `: ${textOf(description)}` : ""}`;
}
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const typeText = (type: unknown): string =>
  Array.isArray(type) ? type.map(textOf).join(" or ") : textOf(type);
