import { statusOfRefusal, type Refusal } from "../base/errors.ts";
import type { AnyEndpoint } from "./endpoint.ts";
import { flag, int, schemaOf, text } from "./field.ts";
import { parametersOf, spellings } from "./spelling.ts";
import { wrapInfo } from "./wrap.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * One group of endpoints and the path they lie below; `{parameters}` in it are declared as such.
 */
export interface Group {
  readonly base: string;
  readonly tag: string;
  readonly endpoints: readonly AnyEndpoint[];
  /** What refuses a caller who is not known; `forbidden` unless said. */
  readonly strangers?: Refusal;
  /** Of its paths, as routes spell them, those that are described; all unless said. */
  readonly only?: ReadonlySet<string>;
}
/** A group, and which of its paths are read, whatever their parameters are called. */
interface ReadGroup extends Group {
  readonly reads: ReadonlySet<string>;
}
const shapeOf = (path: string): string => path.replace(/:\w+/g, ":");
function withReads(group: Group): ReadGroup {
  const spelled = group.endpoints.flatMap(spellings);
  return {
    ...group,
    reads: new Set(spelled.filter(([method]) => method === "GET").map(([, path]) => shapeOf(path))),
  };
}

/**
 * The OpenAPI 3.1 document of groups of endpoints, in the documented dialect. LIST is described as
 * GET with `list=true`, which is required only where the path is also read.
 */
export function openapi(groups: readonly Group[], version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const ids = new Set<string>();
  for (const group of groups.map(withReads))
    for (const endpoint of group.endpoints)
      for (const [method, path] of spellings(endpoint)) {
        if (group.only && !group.only.has(path)) continue;
        const operations = (paths[(group.base + path).replace(/:(\w+)\+?/g, "{$1}")] ??= {});
        const described = operation(
          { endpoint, method, path, group },
          unused(endpoint.id, group.tag, ids),
        );
        const verb = method === "LIST" ? "get" : method.toLowerCase();
        // a path that reads and lists is one GET in OpenAPI, which is the reading; the listing
        // stands beside it
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
      version,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      securitySchemes: { token: { type: "apiKey", in: "header", name: "X-Service-Token" } },
      schemas: {
        Envelope: envelopeSchema,
        WrapInfo: schemaOf(wrapInfo),
        Refusal: {
          type: "object",
          properties: { errors: { type: "array", items: { type: "string" } } },
          required: ["errors"],
        },
      },
    },
  };
}

const nothing: Json = { type: "null" };
const binary: Json = { type: "string", format: "binary" };
const refTo = (name: "Envelope" | "WrapInfo" | "Refusal"): Json => ({
  $ref: `#/components/schemas/${name}`,
});
/** What stands around the data of a reply; `data` is described where it is declared. */
const around = schemaOf({
  request_id: text.required("Id of this request."),
  lease_id: text.required("Id of the lease; empty without one."),
  renewable: flag.required("Always false."),
  lease_duration: int.required("Seconds until the lease ends; 0 without one."),
  warnings: text.required("Warnings, one per line; empty without any."),
  mount_type: text.required("Type of the mount."),
});
const envelopeSchema: Json = {
  ...around,
  properties: {
    ...(around["properties"] as Json),
    wrap_info: {
      oneOf: [refTo("WrapInfo"), nothing],
      description: "Stands for `data`, which is null then, in a reply that is wanted wrapped.",
    },
    auth: nothing,
  },
  required: [...(around["required"] as readonly string[]), "wrap_info", "auth"],
};

/**
 * The endpoint's id for its first spelling; further ones, and those of further groups, get the
 * group's tag and a number.
 */
function unused(id: string, tag: string, ids: Set<string>): string {
  const tagged = `${id}_${tag.replace(/\W/g, "_")}`;
  let name = ids.has(id) ? tagged : id;
  for (let n = 2; ids.has(name); n++) name = `${tagged}_${n}`;
  ids.add(name);
  return name;
}

/** One spelling of an endpoint, in its group. */
interface Described {
  readonly endpoint: AnyEndpoint;
  readonly method: string;
  readonly path: string;
  readonly group: ReadGroup;
}

function operation(described: Described, operationId: string): Json {
  const { endpoint, method, group } = described;
  const { doc, access } = endpoint;
  const writes = method === "POST" || method === "PATCH";
  const reads = method === "GET" || method === "LIST";
  return {
    operationId,
    tags: [group.tag],
    summary: doc,
    // empty: said, not forgotten
    security: access === "open" ? [] : [{ token: [] }],
    parameters: [...inPath(described), ...(writes ? [] : inQuery(described))],
    ...(writes ? requestBody(described) : {}),
    responses: { ...success(endpoint, !reads), ...refused(described, reads) },
  };
}
const inPath = ({ group, path }: Described): readonly Json[] =>
  [...group.base.matchAll(/\{(\w+)\}/g)]
    .map((match) => match[1] ?? "")
    .concat(parametersOf(path))
    .map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
function inQuery({ endpoint, method, path, group }: Described): readonly Json[] {
  // where there is nothing else to read, a plain GET lists too
  const required = group.reads.has(shapeOf(path));
  const list = { name: "list", in: "query", required, schema: { type: "string", enum: ["true"] } };
  const fields = Object.entries(endpoint.body).map(([name, field]) => ({
    name,
    in: "query",
    required: field.required,
    schema: field.json,
  }));
  return method === "LIST" ? [list, ...fields] : fields;
}
function requestBody({ endpoint: { body, rest, style }, method }: Described): Json {
  if (Object.keys(body).length === 0 && !rest) return {};
  const schema = (style.whole === undefined ? undefined : body[style.whole]?.json) ?? {
    ...schemaOf(body),
    ...(rest ? { additionalProperties: true } : {}),
  };
  const content = { [style.accepts[method] ?? "application/json"]: { schema } };
  const required = Object.values(body).some((field) => field.required);
  return { requestBody: { ...(required ? { required } : {}), content } };
}

function success(endpoint: AnyEndpoint, changes: boolean): Json {
  const { name } = endpoint.style;
  if (name === "raw")
    return {
      200: {
        description: "The bytes.",
        content: { [endpoint.style.answers ?? "*/*"]: { schema: binary } },
      },
      ...(endpoint.style.answers === undefined
        ? { 204: { description: "Nothing is there." } }
        : {}),
    };
  const told = (description: string, schema: Json) => ({
    [endpoint.status ?? 200]: { description, content: { [mediaTypeOf(endpoint)]: { schema } } },
  });
  if (endpoint.status === 202)
    return {
      ...told("Begun, with a warning that says so.", enveloped(nothing)),
      200: { ...told("", enveloped(nothing))[202], description: "Under way already." },
    };
  if (!endpoint.whole && Object.keys(endpoint.reply).length === 0 && changes)
    // nothing but warnings has an envelope around it
    return {
      ...(name === "envelope" ? told("Done, with warnings.", enveloped(nothing)) : {}),
      204: { description: "Done." },
    };
  const reply = endpoint.whole?.json ?? schemaOf(endpoint.reply);
  return told("OK", name === "envelope" ? envelopeOf(endpoint, reply) : reply);
}

/** The media type of an endpoint's documents. */
const mediaTypeOf = ({ style }: AnyEndpoint): string =>
  (style.name === "jsonapi" ? style.accepts["POST"] : undefined) ?? "application/json";

const enveloped = (data: Json, ...more: readonly Json[]): Json => ({
  allOf: [refTo("Envelope"), { type: "object", properties: { data }, required: ["data"] }, ...more],
});
function envelopeOf({ style, hoist, whole, nullable }: AnyEndpoint, reply: Json): Json {
  if (style.holds === "wrap_info")
    return enveloped(nothing, { type: "object", properties: { wrap_info: refTo("WrapInfo") } });
  // members whose names are data cannot be told from the envelope's own at the top level
  return enveloped(
    nullable ? { oneOf: [reply, nothing] } : reply,
    ...(hoist && !whole ? [reply] : []),
  );
}

function refused({ endpoint, group }: Described, reads: boolean): Json {
  const { access, refuses = [], style } = endpoint;
  const codes = access === "open" ? refuses : [group.strangers ?? "forbidden", ...refuses];
  const coded = codes.map((code) => [code, statusOfRefusal(code, reads)] as const);
  const statuses = [...new Set(coded.map(([, status]) => status))].sort((a, b) => a - b);
  // the errors of JSON:API are objects of its own
  const schema = style.name === "jsonapi" ? { type: "object" } : refTo("Refusal");
  const content =
    style.answers === undefined
      ? { [mediaTypeOf(endpoint)]: { schema } }
      : { [style.answers]: { schema: binary } };
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: coded.flatMap(([code, at]) => (at === status ? code : [])).join(", "),
        content,
      },
    ]),
  );
}
