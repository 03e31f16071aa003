import { describe, expect, it } from "vitest";
import { pki, sys } from "../../src/index.ts";
import { endpoint, type AnyEndpoint } from "../../src/wire/endpoint.ts";
import { int, list, text } from "../../src/wire/field.ts";
import { openapi, type Group } from "../../src/wire/openapi.ts";
import { parametersOf, spellings } from "../../src/wire/spelling.ts";
import { envelope, raw } from "../../src/wire/style.ts";
import { authority } from "../support/authority.ts";

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly Json[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Json }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>>;
}
interface Document {
  readonly openapi: string;
  readonly info: Json;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json };
}
const describeAll = (groups: readonly Group[]) => openapi(groups, "1.2.3") as unknown as Document;
const groups: readonly Group[] = [
  { base: "/v1/pki", tag: "pki", endpoints: pki },
  { base: "/v1/sys", tag: "sys", endpoints: sys },
];
const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, verbs]) => Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })));

const types = new Set(["string", "integer", "boolean", "array", "object", "null", "number"]);
/** Problems of a JSON Schema as far as this document uses the language. */
function schemaProblems(schema: unknown, document: Document, at: string): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [`${at} is no schema`];
  const { $ref, type, items, properties, required, additionalProperties, enum: values } = schema as Json;
  if ($ref !== undefined)
    return typeof $ref === "string" && $ref.startsWith("#/components/schemas/") && $ref.slice(21) in document.components.schemas
      ? []
      : [`${at} refers to nothing`];
  const known = [type].flat().every((one) => types.has(String(one)));
  const members = Object.keys(properties ?? {});
  return [
    ...(known ? [] : [`${at} has type ${String(type)}`]),
    ...([type].flat().includes("array") ? schemaProblems(items, document, `${at}[]`) : []),
    ...Object.entries((properties ?? {}) as Json).flatMap(([name, inner]) => schemaProblems(inner, document, `${at}.${name}`)),
    ...(typeof additionalProperties === "object" ? schemaProblems(additionalProperties, document, `${at}.*`) : []),
    ...((required ?? []) as readonly string[]).filter((name) => !members.includes(name)).map((name) => `${at} requires ${name}, which it does not have`),
    ...(values === undefined || (Array.isArray(values) && values.length > 0) ? [] : [`${at} has an empty enum`]),
  ];
}
/** Problems of a document, by the rules of OpenAPI 3.1.0 sections 4.8.8 to 4.8.24. */
function problemsOf(document: Document): readonly string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  const shapes = new Map<string, string>();
  for (const path of Object.keys(document.paths)) {
    if (!/^\/[\w./{}-]*$/.test(path)) problems.push(`${path} is no path`);
    const shape = path.replace(/\{\w+\}/g, "{}");
    if (shapes.has(shape)) problems.push(`${path} and ${shapes.get(shape)} are the same path`);
    shapes.set(shape, path);
  }
  for (const { path, verb, operation } of operationsOf(document)) {
    const at = `${verb} ${path}`;
    if (!/^(get|post|patch|delete|x-list)$/.test(verb)) problems.push(`${at}: no verb`);
    if (ids.has(operation.operationId) || !/^\w+$/.test(operation.operationId)) problems.push(`${at}: operationId ${operation.operationId}`);
    ids.add(operation.operationId);
    const declared = operation.parameters.filter((one) => one.in === "path").map(({ name }) => name);
    const spelled = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    if (declared.join() !== spelled.join()) problems.push(`${at}: parameters ${declared.join()}`);
    if (new Set(operation.parameters.map(({ name, in: where }) => `${where} ${name}`)).size !== operation.parameters.length)
      problems.push(`${at}: a parameter twice`);
    for (const parameter of operation.parameters) {
      if (parameter.in === "path" && !parameter.required) problems.push(`${at}: ${parameter.name} must be required`);
      problems.push(...schemaProblems(parameter.schema, document, `${at}: ${parameter.name}`));
    }
    if (operation.requestBody && /^(get|x-list|delete)$/.test(verb)) problems.push(`${at}: a body`);
    for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) problems.push(...schemaProblems(schema, document, `${at}: ${type}`));
    const responses = Object.entries(operation.responses);
    if (!responses.some(([status]) => status.startsWith("2"))) problems.push(`${at}: no success`);
    for (const [status, { description, content }] of responses) {
      if (!/^[1-5]\d\d$/.test(status) || description === "") problems.push(`${at}: response ${status}`);
      for (const [type, { schema }] of Object.entries(content ?? {})) problems.push(...schemaProblems(schema, document, `${at}: ${status} ${type}`));
    }
    for (const demand of operation.security ?? [])
      for (const name of Object.keys(demand)) if (!(name in document.components.securitySchemes)) problems.push(`${at}: security ${name}`);
  }
  return problems;
}

describe("the OpenAPI document", () => {
  const document = describeAll(groups);
  it("keeps the rules of OpenAPI 3.1", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: "Sealwright", version: "1.2.3" });
    expect(problemsOf(document)).toEqual([]);
  });
  it("is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
  it("has every spelling of every endpoint", () => {
    for (const { base, endpoints } of groups)
      for (const one of endpoints)
        for (const [method, path] of spellings(one)) {
          const verbs = document.paths[(base + path).replace(/:(\w+)\+?/g, "{$1}")] ?? {};
          const operation = method === "LIST" ? (verbs["x-list"] ?? verbs["get"]) : verbs[method.toLowerCase()];
          expect([one.id, operation?.operationId.startsWith(one.id), operation?.summary]).toEqual([one.id, true, one.doc]);
        }
    expect(operationsOf(document)).toHaveLength(groups.flatMap(({ endpoints }) => endpoints.flatMap((one: AnyEndpoint) => spellings(one))).length);
  });
  it("gives the first spelling of an endpoint the endpoint's id", () => {
    const ids = new Set(operationsOf(document).map(({ operation }) => operation.operationId));
    for (const { endpoints } of groups) for (const { id } of endpoints) expect(ids).toContain(id);
  });
  it("asks for a token exactly where the endpoint does, and says that it may be refused", () => {
    for (const { path, verb, operation } of operationsOf(document)) {
      const open =
        groups.flatMap(({ endpoints }) => [...endpoints]).find(({ id }) => operation.operationId === id || operation.operationId.startsWith(`${id}_`))
          ?.access === "open";
      expect([path, verb, operation.security?.length === 0, "403" in operation.responses]).toEqual([path, verb, open, !open]);
    }
  });
  it("describes bodies of writes, queries of reads, bytes, documents without envelope, and empty answers", () => {
    const { paths } = document;
    expect(paths["/v1/pki/roles/{name}"]?.["post"]?.requestBody?.content["application/json"]?.schema).toMatchObject({
      type: "object",
      properties: { ttl: { type: "string" } },
    });
    expect(paths["/v1/pki/ca"]?.["get"]?.responses["200"]?.content?.["*/*"]?.schema).toEqual({ type: "string", format: "binary" });
    expect(paths["/v1/sys/health"]?.["get"]?.responses["200"]?.content?.["application/json"]?.schema).toMatchObject({
      properties: { initialized: { type: "boolean" } },
    });
    expect(Object.keys(paths["/v1/pki/roles/{name}"]?.["delete"]?.responses ?? {})).toEqual(["204", "403"]);
    expect(Object.keys(paths["/v1/sys/mounts"]?.["get"]?.responses ?? {})).toEqual(["200", "403"]);
    expect(paths["/v1/sys/internal/specs/openapi"]?.["get"]?.parameters).toMatchObject([{ name: "generic_mount_paths", in: "query", required: false }]);
  });
  it("keeps reading and listing one path apart, whichever was declared first", () => {
    const shared = { access: "token", style: envelope, doc: "", body: { limit: int.default(10, "How many.") }, run: async () => undefined } as const;
    const reads = endpoint({ ...shared, id: "reads", at: ["GET /a"], reply: {} });
    const lists = endpoint({ ...shared, id: "lists", at: ["LIST /a"], reply: { keys: list.required("") } });
    for (const endpoints of [
      [reads, lists],
      [lists, reads],
    ]) {
      const verbs = describeAll([{ base: "/b", tag: "b", endpoints }]).paths["/b/a"] ?? {};
      expect([verbs["get"]?.operationId, verbs["x-list"]?.operationId, Object.keys(verbs).sort()]).toEqual(["reads", "lists", ["get", "x-list"]]);
      expect(verbs["x-list"]?.parameters.map(({ name }) => name)).toEqual(["list", "limit"]);
    }
  });
  it("says what a PATCH, a refusal and an endpoint that takes everything look like", () => {
    const odd = endpoint({
      id: "odd",
      at: ["PATCH /odd/:name+", "POST /odd(/:name)"],
      access: "sudo",
      style: envelope,
      doc: "Odd.",
      body: { a: text.required("A.") },
      rest: true,
      reply: {},
      refuses: ["in_use", "malformed", "not_found"],
      run: async () => undefined,
    });
    const bytes = endpoint({ id: "bytes", at: ["GET /bytes"], access: "open", style: raw, doc: "Bytes.", body: {}, reply: {}, run: async () => undefined });
    const made = describeAll([{ base: "/v1/{mount}", tag: "m", endpoints: [odd, bytes] }]);
    expect(problemsOf(made)).toEqual([]);
    const patch = made.paths["/v1/{mount}/odd/{name}"]?.["patch"];
    expect(patch?.requestBody?.content["application/merge-patch+json"]?.schema).toMatchObject({ required: ["a"], additionalProperties: true });
    expect(patch?.parameters.map(({ name }) => name)).toEqual(["mount", "name"]);
    expect(Object.entries(patch?.responses ?? {}).map(([status, { description }]) => [status, description])).toEqual([
      ["204", "Done."],
      ["400", "in_use, malformed"],
      ["403", "forbidden"],
      ["404", "not_found"],
    ]);
    expect(operationsOf(made).map(({ operation }) => operation.operationId)).toEqual(["odd", "odd_m_2", "odd_m", "bytes"]);
    expect(parametersOf("/odd/:name+")).toEqual(["name"]);
  });
});

describe("GET sys/internal/specs/openapi", () => {
  it("describes each mount that there is", async () => {
    const { call, sys: client } = authority();
    expect(await client.openapiSpec()).toMatchObject({ openapi: "3.1.0" });
    const first = (await call("GET", "sys/internal/specs/openapi")).json as unknown as Document;
    expect(problemsOf(first)).toEqual([]);
    expect(Object.keys(first.paths).filter((path) => !path.startsWith("/v1/pki/") && !path.startsWith("/v1/sys/"))).toEqual([]);
    await client.createMount({ path: "a/team-x", type: "pki" });
    const second = (await call("GET", "sys/internal/specs/openapi")).json as unknown as Document;
    expect(problemsOf(second)).toEqual([]);
    expect(second.paths["/v1/pki/roles/{name}"]?.["get"]?.operationId).toBe("readRole");
    expect(second.paths["/v1/a/team-x/roles/{name}"]?.["get"]).toMatchObject({ operationId: "readRole_a_team_x", tags: ["a/team-x"] });
  });
  it("describes mounts once, by a parameter, where that is asked for", async () => {
    const { call } = authority();
    const { json, status } = await call("GET", "sys/internal/specs/openapi?generic_mount_paths=true&context=x");
    const document = json as unknown as Document;
    expect([status, problemsOf(document)]).toEqual([200, []]);
    expect(document.paths["/v1/{pki_mount_path}/roles/{name}"]?.["get"]?.parameters.map(({ name }) => name)).toEqual(["pki_mount_path", "name"]);
    expect(Object.keys(document.paths).some((path) => path.startsWith("/v1/pki/"))).toBe(false);
  });
});
