import type { AnyEndpoint } from "./endpoint.ts";
import { type Field, schemaOf } from "./field.ts";
import { repliesOf } from "./openapi-replies.ts";
import {
  componentsOf,
  type Json,
  schemaRef,
  nameOf,
  type SharedParts,
  wrapParameters,
} from "./openapi-components.ts";
import type { ApiDescription, Area, Group as GroupOf } from "./openapi-about.ts";
import { parameterNames, expandPatterns } from "./route-patterns.ts";

/** A group of endpoints to describe. */
export type Group = GroupOf<AnyEndpoint>;
/**
 * A group, and the shapes of its paths that have a GET endpoint. Shapes omit the names of
 * parameters.
 */
interface ReadGroup extends Group {
  readonly reads: ReadonlySet<string>;
}
const shapeOf = (path: string): string => path.replace(/:\w+/g, ":");
function withReads(group: Group): ReadGroup {
  const spelled = group.endpoints.flatMap(expandPatterns);
  return {
    ...group,
    reads: new Set(spelled.filter(([method]) => method === "GET").map(([, path]) => shapeOf(path))),
  };
}

/** The parts of the document that are collected while it is built. */
interface Collected {
  readonly about: ApiDescription;
  readonly ids: Set<string>;
  readonly areas: Map<string, string>;
  readonly shared: SharedParts;
  readonly credentials: Set<string>;
}

/**
 * Returns the OpenAPI 3.1 document for groups of endpoints, in the documented dialect. It describes
 * LIST as GET with `list=true`, which is required only if the path can also be read.
 */
export function openapi(groups: readonly Group[], about: ApiDescription): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const into: Collected = {
    about,
    ids: new Set(),
    areas: new Map(),
    shared: { schemas: {}, responses: {} },
    credentials: new Set(),
  };
  for (const group of groups.map(withReads))
    for (const endpoint of group.endpoints)
      for (const [method, path] of expandPatterns(endpoint)) {
        if ((group.only && !group.only.has(path)) || group.but?.has(path)) continue;
        const address = (group.base + path).replace(/:(\w+)\+?/g, "{$1}").replace(/\/$/, "");
        const operations = (paths[address] ??= {});
        const described = operation({ endpoint, method, path, group }, into);
        const verb = method === "LIST" ? "get" : method.toLowerCase();
        // OpenAPI allows one GET per path, which is the read; `x-list` next to it describes the
        // listing
        if (method === "LIST" && "get" in operations) operations["x-list"] = described;
        else {
          if (method === "GET" && "get" in operations) operations["x-list"] = operations["get"];
          operations[verb] = described;
        }
      }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sealwright",
      version: about.version,
      description: about.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: about.servers,
    tags: [...into.areas].map(([name, description]) => ({ name, description })),
    paths,
    components: componentsOf(paths, into.shared, into.credentials),
  };
}

/**
 * Returns an operation ID that is not in use. It is the endpoint's ID for the first path of an
 * endpoint, and otherwise consists of that ID, the group's tag and a number.
 */
function unused(id: string, tag: string, ids: Set<string>): string {
  const tagged = `${id}_${tag.replace(/\W/g, "_")}`;
  let name = ids.has(id) ? tagged : id;
  for (let n = 2; ids.has(name); n++) name = `${tagged}_${n}`;
  ids.add(name);
  return name;
}

/** A path of an endpoint to describe, with its group. */
interface Described {
  readonly endpoint: AnyEndpoint;
  readonly method: string;
  readonly path: string;
  readonly group: ReadGroup;
}
/** Returns the section of the documentation to which a path belongs. Throws if there is none. */
export function areaOf({ areas, base }: Pick<Group, "areas" | "base">, path: string): Area {
  const area = areas.find(({ has }) => has.test(path));
  if (!area) throw new Error(`${base}${path} belongs to no section of the documentation`);
  return area;
}

function operation(described: Described, into: Collected): Json {
  const { endpoint, method, path, group } = described;
  const area = areaOf(group, path);
  into.areas.set(area.name, area.about);
  const reads = method === "GET" || method === "LIST";
  const { about, shared } = into;
  return {
    operationId: unused(endpoint.id, group.tag, into.ids),
    tags: [area.name],
    summary: endpoint.doc,
    security: securityOf(described, into),
    parameters: [
      ...inPath(described, about),
      ...inQuery(described, about),
      ...(group.wraps && endpoint.style.name === "envelope" ? wrapParameters : []),
    ],
    ...requestBody(described, into),
    responses: repliesOf({ endpoint, reads, method, group, about, shared }),
  };
}

/**
 * Returns the security requirement of an operation. An empty list means that no credential is
 * required.
 */
function securityOf({ endpoint: { access, id }, group }: Described, into: Collected) {
  const own = group.credentials.map((name) => [name] as const);
  const alternatives = into.about.credentials(id) ?? (access === "open" ? [] : own);
  for (const name of alternatives.flat()) into.credentials.add(name);
  return alternatives.map((alternative) =>
    Object.fromEntries(alternative.map((name) => [name, []])),
  );
}

/**
 * Returns the allowed values of a path parameter, if the response has a member of the same name
 * that declares them.
 */
export function replyValues({ reply }: AnyEndpoint, name: string): readonly string[] | undefined {
  const values = reply[name]?.json["enum"];
  return Array.isArray(values) ? values.map(String) : undefined;
}
const inPath = ({ group, path, endpoint }: Described, about: ApiDescription): readonly Json[] =>
  [...group.base.matchAll(/\{(\w+)\}/g)]
    .map((match) => match[1] ?? "")
    .concat(parameterNames(path))
    .map((name) => {
      const whole = group.base + path;
      const values = about.allowedValues?.(whole, name) ?? replyValues(endpoint, name);
      const example = about.example(endpoint.id)?.parameters?.[name];
      return {
        name,
        in: "path",
        required: true,
        description: about.parameter(whole, name),
        schema: { type: "string", ...(values ? { enum: values } : {}) },
        ...(example === undefined ? {} : { example }),
      };
    });

/** Reports whether a member of a request is sent in the query. */
const isInQuery = ({ endpoint: { style }, method }: Described, name: string): boolean => {
  if (method === "POST" || method === "PATCH")
    return style.whole !== undefined && name !== style.whole;
  return !(style.name === "jsonapi" && method === "DELETE");
};
function inQuery(described: Described, about: ApiDescription): readonly Json[] {
  const { endpoint, method, path, group } = described;
  // if the path cannot be read, a GET without the parameter is also a listing
  const required = group.reads.has(shapeOf(path));
  const list = {
    name: "list",
    in: "query",
    required,
    description: "Lists the entries under the path.",
    schema: { type: "string", enum: ["true"] },
  };
  const example = about.example(endpoint.id)?.parameters ?? {};
  const fields = Object.entries(endpoint.body)
    .filter(([name]) => isInQuery(described, name))
    .map(
      ([
        name,
        {
          required: demanded,
          json: { description, ...schema },
        },
      ]) => ({
        name,
        in: "query",
        required: demanded,
        ...(description === undefined ? {} : { description }),
        schema,
        ...(example[name] === undefined ? {} : { example: example[name] }),
      }),
    );
  return method === "LIST" ? [list, ...fields] : fields;
}

/**
 * Returns the schema of a field in a request, in which a number of seconds may also be a string
 * such as `72h`.
 */
const asSent = ([name, field]: readonly [string, Field<unknown>]) => {
  const { json } = field;
  const isLasting = json["format"] === "seconds" && json["type"] === "integer";
  return [name, isLasting ? { ...field, json: { ...json, type: ["integer", "string"] } } : field];
};
function requestBody(described: Described, { about, shared }: Collected): Json {
  const { endpoint, method } = described;
  const { body, rest, style } = endpoint;
  const fields = Object.entries(body).filter(([name]) => !isInQuery(described, name));
  const writes = method === "POST" || method === "PATCH";
  if (fields.length === 0 && !(rest && writes)) return {};
  const schema =
    (style.whole === undefined ? undefined : body[style.whole]?.json) ??
    schemaRef(shared, nameOf(endpoint.id, "Input"), {
      ...schemaOf(Object.fromEntries(fields.map(asSent))),
      ...(rest ? { additionalProperties: true } : {}),
    });
  const media =
    style.accepts[method] ??
    (style.name === "jsonapi" ? style.accepts["POST"] : undefined) ??
    "application/json";
  const example = about.example(endpoint.id)?.body;
  const content = { [media]: { schema, ...(example === undefined ? {} : { example }) } };
  const required = fields.some(([, field]) => field.required);
  return { requestBody: { ...(required ? { required } : {}), content } };
}
