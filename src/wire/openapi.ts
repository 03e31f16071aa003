import { refusals } from "../base/errors.ts";
import type { AnyEndpoint } from "./endpoint.ts";
import type { Shape } from "./field.ts";
import { parametersOf, spellings } from "./spelling.ts";

const schemaOf = (shape: Shape) => {
  const required = Object.keys(shape).filter((name) => shape[name]?.required);
  return { type: "object", properties: Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, field.json])), ...(required.length ? { required } : {}) };
};

/** One group of endpoints and the path they lie below. */
export interface Group {
  readonly base: string;
  readonly tag: string;
  readonly endpoints: readonly AnyEndpoint[];
}

/** The OpenAPI 3.1 document of groups of endpoints, in the documented dialect. LIST is described as GET with `list=true`. */
export function openapi(groups: readonly Group[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { base, tag, endpoints } of groups)
    for (const endpoint of endpoints)
      for (const [i, [method, path]] of spellings(endpoint).entries()) {
        const url = (base + path).replace(/:(\w+)\+?/g, "{$1}");
        const verb = method === "LIST" ? "get" : method.toLowerCase();
        const operations = (paths[url] ??= {});
        // a path that reads and lists is one GET in OpenAPI: the listing is told by its parameter
        operations[operations[verb] ? `x-${method.toLowerCase()}` : verb] = operation(endpoint, method, path, i === 0 ? endpoint.id : `${endpoint.id}_${i}`, tag);
      }
  return {
    openapi: "3.1.0",
    info: { title: "Sealwright", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    paths,
    components: { securitySchemes: { token: { type: "apiKey", in: "header", name: "X-Service-Token" } } },
  };
}

function operation(endpoint: AnyEndpoint, method: string, path: string, operationId: string, tag: string): Record<string, unknown> {
  const writes = method === "POST" || method === "PATCH";
  const parameters = parametersOf(path).map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const listing = method === "LIST" ? [{ name: "list", in: "query", required: true, schema: { type: "string", enum: ["true"] } }] : [];
  const statuses = [...new Set((endpoint.refuses ?? []).map((code) => refusals[code][0]))].sort();
  const described = (status: number) => (endpoint.refuses ?? []).filter((code) => refusals[code][0] === status).join(", ");
  const empty = Object.keys(endpoint.reply).length === 0;
  return {
    operationId,
    tags: [tag],
    summary: endpoint.doc,
    ...(endpoint.access === "open" ? {} : { security: [{ token: [] }] }),
    parameters: [...parameters, ...listing],
    ...(writes && Object.keys(endpoint.body).length
      ? { requestBody: { content: { [method === "PATCH" ? "application/merge-patch+json" : "application/json"]: { schema: schemaOf(endpoint.body) } } } }
      : {}),
    responses: {
      [empty && endpoint.style.name === "envelope" ? 204 : 200]: success(endpoint),
      ...Object.fromEntries(statuses.map((status) => [status, { description: described(status) }])),
    },
  };
}
function success(endpoint: AnyEndpoint): Record<string, unknown> {
  if (endpoint.style.name === "raw") return { description: "The bytes.", content: { "*/*": { schema: { type: "string", format: "binary" } } } };
  if (Object.keys(endpoint.reply).length === 0) return { description: "Done." };
  const schema = { type: "object", properties: { data: schemaOf(endpoint.reply), warnings: { type: "string" } } };
  return { description: "OK", content: { "application/json": { schema } } };
}
