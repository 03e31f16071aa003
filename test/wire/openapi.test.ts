import { gunzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { auth, pki, sys } from "../../src/endpoints/all.ts";
import { endpoint, type AnyEndpoint } from "../../src/wire/endpoint.ts";
import { int, list, text } from "../../src/wire/field.ts";
import { about } from "../../src/sys/specs/about.ts";
import { varsApi } from "../../src/vars/index.ts";
import { openapi, type Group } from "../../src/wire/openapi.ts";
import { routerOf } from "../../src/wire/router.ts";
import { parameterNames, expandPatterns } from "../../src/wire/route-patterns.ts";
import { envelope, raw } from "../../src/wire/style.ts";
import { authority, type Sent } from "../support/authority.ts";

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly Json[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Json;
  }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Json }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
      }
    >
  >;
}
interface Document {
  readonly openapi: string;
  readonly info: Json;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json };
}
/** Reports whether a reference is to be resolved; those to schemas of envelope and errors remain. */
const isInlined = ($ref: string) =>
  !/^#\/components\/schemas\/(?:Envelope|WrapInfo|Refusal|Problem|Faults)$/.test($ref);
/** Returns a document with references to shared parameters, responses and schemas resolved. */
function inlined(part: unknown, document: Json): unknown {
  if (Array.isArray(part)) return part.map((one) => inlined(one, document));
  if (typeof part !== "object" || part === null) return part;
  const { $ref } = part as { readonly $ref?: string };
  if ($ref !== undefined && isInlined($ref)) {
    const found = $ref
      .slice(2)
      .split("/")
      .reduce((at, name) => (at as Readonly<Record<string, Json>>)[name] ?? {}, document);
    return inlined(found, document);
  }
  return Object.fromEntries(
    Object.entries(part).map(([name, one]) => [name, inlined(one, document)]),
  );
}
const told = {
  ...about,
  parameter: () => "A parameter.",
  version: "1.2.3",
  servers: [{ url: "/" }],
  example: () => undefined,
};
const describeAll = (groups: readonly Group[]) => {
  const document = openapi(groups, told);
  return inlined(document, document) as Document;
};
const groupOf = (base: string, tag: string, endpoints: Group["endpoints"]): Group => ({
  base,
  tag,
  endpoints,
  areas: [{ name: tag, about: "All of it.", has: /^/ }],
  credentials: ["token"],
  anonymous: "forbidden",
});
const groups: readonly Group[] = [
  groupOf("/v1/pki", "pki", pki),
  groupOf("/v1/sys", "sys", sys),
  groupOf("/v1/auth", "auth", auth),
];
const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );

const types = new Set(["string", "integer", "boolean", "array", "object", "null", "number"]);
/** Returns the problems of a JSON Schema, for the part of the language that this document uses. */
function schemaProblems(schema: unknown, document: Document, at: string): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [`${at} is no schema`];
  const {
    $ref,
    type,
    items,
    properties,
    required,
    additionalProperties,
    enum: values,
    allOf,
    oneOf,
  } = schema as Json;
  if ($ref !== undefined)
    return typeof $ref === "string" &&
      $ref.startsWith("#/components/schemas/") &&
      $ref.slice(21) in document.components.schemas
      ? []
      : [`${at} refers to nothing`];
  if (allOf !== undefined || oneOf !== undefined)
    return ((allOf ?? oneOf) as readonly unknown[]).flatMap((part, i) =>
      schemaProblems(part, document, `${at}(${i})`),
    );
  const known = [type].flat().every((one) => types.has(String(one)));
  const members = Object.keys(properties ?? {});
  return [
    ...(known ? [] : [`${at} has type ${String(type)}`]),
    ...([type].flat().includes("array") ? schemaProblems(items, document, `${at}[]`) : []),
    ...Object.entries((properties ?? {}) as Json).flatMap(([name, inner]) =>
      schemaProblems(inner, document, `${at}.${name}`),
    ),
    ...(typeof additionalProperties === "object"
      ? schemaProblems(additionalProperties, document, `${at}.*`)
      : []),
    ...((required ?? []) as readonly string[])
      .filter((name) => !members.includes(name))
      .map((name) => `${at} requires ${name}, which it does not have`),
    ...(values === undefined || (Array.isArray(values) && values.length > 0)
      ? []
      : [`${at} has an empty enum`]),
  ];
}
/**
 * Returns the places where a value violates its schema, for the part of the language that this
 * document uses.
 */
function misfits(schema: Json, value: unknown, document: Document, at = "$"): readonly string[] {
  const { $ref, type, items, properties, required, additionalProperties, allOf, oneOf } = schema;
  if (typeof $ref === "string")
    return misfits(document.components.schemas[$ref.slice(21)] as Json, value, document, at);
  if (oneOf !== undefined)
    return (oneOf as readonly Json[]).filter((one) => misfits(one, value, document).length === 0)
      .length === 1
      ? []
      : [`${at} fits not one`];
  const parts = ((allOf ?? []) as readonly Json[]).flatMap((one) =>
    misfits(one, value, document, at),
  );
  const own =
    value === null
      ? "null"
      : Array.isArray(value)
        ? "array"
        : Number.isInteger(value)
          ? "integer"
          : typeof value;
  if (type !== undefined && ![type].flat().includes(own)) return [...parts, `${at} is ${own}`];
  if (Array.isArray(value))
    return [
      ...parts,
      ...value.flatMap((one, i) => misfits(items as Json, one, document, `${at}[${i}]`)),
    ];
  if (typeof value !== "object" || value === null) return parts;
  const known = (properties ?? {}) as Readonly<Record<string, Json>>;
  const other =
    typeof additionalProperties === "object" ? (additionalProperties as Json) : undefined;
  return [
    ...parts,
    ...((required ?? []) as readonly string[])
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => `${at} lacks ${name}`),
    ...Object.entries(value).flatMap(([name, one]) => {
      const inner = known[name] ?? other;
      return inner ? misfits(inner, one, document, `${at}.${name}`) : [];
    }),
  ];
}
/** Returns the problems of a document by the rules of OpenAPI 3.1.0 sections 4.8.8 to 4.8.24. */
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
    if (ids.has(operation.operationId) || !/^\w+$/.test(operation.operationId))
      problems.push(`${at}: operationId ${operation.operationId}`);
    ids.add(operation.operationId);
    const declared = operation.parameters
      .filter((one) => one.in === "path")
      .map(({ name }) => name);
    const spelled = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    if (declared.join() !== spelled.join()) problems.push(`${at}: parameters ${declared.join()}`);
    if (
      new Set(operation.parameters.map(({ name, in: where }) => `${where} ${name}`)).size !==
      operation.parameters.length
    )
      problems.push(`${at}: a parameter twice`);
    for (const parameter of operation.parameters) {
      if (parameter.in === "path" && !parameter.required)
        problems.push(`${at}: ${parameter.name} must be required`);
      problems.push(...schemaProblems(parameter.schema, document, `${at}: ${parameter.name}`));
    }
    if (operation.requestBody && /^(get|x-list|delete)$/.test(verb)) problems.push(`${at}: a body`);
    for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {}))
      problems.push(...schemaProblems(schema, document, `${at}: ${type}`));
    const responses = Object.entries(operation.responses);
    if (!responses.some(([status]) => status.startsWith("2"))) problems.push(`${at}: no success`);
    for (const [status, { description, content }] of responses) {
      if (!/^[1-5]\d\d$/.test(status) || description === "")
        problems.push(`${at}: response ${status}`);
      for (const [type, { schema }] of Object.entries(content ?? {}))
        problems.push(...schemaProblems(schema, document, `${at}: ${status} ${type}`));
    }
    for (const demand of operation.security ?? [])
      for (const name of Object.keys(demand))
        if (!(name in document.components.securitySchemes))
          problems.push(`${at}: security ${name}`);
  }
  return problems;
}

describe("the OpenAPI document", () => {
  const document = describeAll(groups);
  it("follows the rules of OpenAPI 3.1", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: "Sealwright", version: "1.2.3" });
    expect(problemsOf(document)).toEqual([]);
  });
  it("is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
  it("contains every path of every endpoint", () => {
    for (const { base, endpoints } of groups)
      for (const one of endpoints)
        for (const [method, path] of expandPatterns(one)) {
          const verbs = document.paths[(base + path).replace(/:(\w+)\+?/g, "{$1}")] ?? {};
          const operation =
            method === "LIST" ? (verbs["x-list"] ?? verbs["get"]) : verbs[method.toLowerCase()];
          expect([one.id, operation?.operationId.startsWith(one.id), operation?.summary]).toEqual([
            one.id,
            true,
            one.doc,
          ]);
        }
    expect(operationsOf(document)).toHaveLength(
      groups.flatMap(({ endpoints }) =>
        endpoints.flatMap((one: AnyEndpoint) => expandPatterns(one)),
      ).length,
    );
  });
  it("uses the id of an endpoint as operationId of its first path", () => {
    const ids = new Set(operationsOf(document).map(({ operation }) => operation.operationId));
    for (const { endpoints } of groups) for (const { id } of endpoints) expect(ids).toContain(id);
  });
  it("requires a token, and lists 403, exactly for endpoints that require one", () => {
    for (const { path, verb, operation } of operationsOf(document)) {
      const open =
        groups
          .flatMap(({ endpoints }) => [...endpoints])
          .find(
            ({ id }) => operation.operationId === id || operation.operationId.startsWith(`${id}_`),
          )?.access === "open";
      // unauthenticated, but returns nothing without a token that has access
      const refuses = ["readVisibleMount", "readLogCheckpoint", "readLogTile"].includes(
        operation.operationId.replace(/_.*/, ""),
      );
      // unauthenticated, but checks a token if one is sent
      const looks = about.credentials(operation.operationId.replace(/_.*/, "")) !== undefined;
      expect([
        path,
        verb,
        operation.security?.length === 0 || looks,
        "403" in operation.responses,
      ]).toEqual([path, verb, open, !open || refuses]);
    }
  });
  it("describes request bodies, query parameters, binary responses, documents without envelope, and empty responses", () => {
    const { paths } = document;
    expect(
      paths["/v1/pki/roles/{name}"]?.["post"]?.requestBody?.content["application/json"]?.schema,
    ).toMatchObject({
      type: "object",
      properties: { ttl: { type: "string" } },
    });
    expect(paths["/v1/pki/ca"]?.["get"]?.responses["200"]?.content).toEqual({
      "application/pkix-cert": { schema: { type: "string", format: "binary" } },
    });
    expect(
      paths["/v1/sys/health"]?.["get"]?.responses["200"]?.content?.["application/json"]?.schema,
    ).toMatchObject({
      properties: { initialized: { type: "boolean" } },
    });
    expect(Object.keys(paths["/v1/pki/roles/{name}"]?.["delete"]?.responses ?? {})).toEqual([
      "200",
      "204",
      "400",
      "403",
      "405",
      "429",
      "431",
      "500",
      "503",
    ]);
    expect(Object.keys(paths["/v1/sys/mounts"]?.["get"]?.responses ?? {})).toEqual([
      "200",
      "400",
      "403",
      "405",
      "429",
      "431",
      "500",
      "503",
    ]);
    // an absent CRL has no body, but a responder always responds
    expect(paths["/v1/pki/crl/delta"]?.["get"]?.responses["204"]).toEqual({
      description: "No content.",
    });
    for (const path of ["/v1/pki/ocsp", "/v1/pki/unified-ocsp"])
      expect(Object.keys(paths[path]?.["post"]?.responses ?? {})).not.toContain("204");
    // started or already running: the warning says which, so it is never without a body
    expect(Object.keys(paths["/v1/pki/tidy"]?.["post"]?.responses ?? {})).toEqual([
      "200",
      "202",
      "400",
      "403",
      "405",
      "413",
      "429",
      "431",
      "500",
      "503",
    ]);
    expect(paths["/v1/sys/internal/specs/openapi"]?.["get"]?.parameters).toMatchObject([
      { name: "generic_mount_paths", in: "query", required: false },
    ]);
  });
  it("has every default in the type of its field, with durations as strings", () => {
    const defaults = operationsOf(document).flatMap(({ path, verb, operation }) => [
      ...operation.parameters.map(({ name, schema }) => ({
        at: `${verb} ${path} ${name}`,
        schema,
      })),
      ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
        Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Json>>).map(
          ([name, inner]) => ({
            at: `${verb} ${path} ${name}`,
            schema: inner,
          }),
        ),
      ),
    ]);
    const given = defaults.filter(({ schema }) => "default" in schema);
    expect(given.length).toBeGreaterThan(100);
    expect(
      given.flatMap(({ at, schema }) => misfits(schema, schema["default"], document, at)),
    ).toEqual([]);
    const role =
      document.paths["/v1/pki/roles/{name}"]?.["post"]?.requestBody?.content["application/json"]
        ?.schema;
    expect(role?.["properties"]).toMatchObject({
      ttl: { default: "0s" },
      not_before_duration: { default: "30s" },
    });
  });
  it("requires a request body if one of its members is required", () => {
    for (const { path, verb, operation } of operationsOf(document)) {
      // a binary body counts as one member
      const members = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
        schema["format"] === "binary"
          ? ["body"]
          : ((schema["required"] ?? []) as readonly string[]),
      );
      expect([verb, path, operation.requestBody?.required ?? false]).toEqual([
        verb,
        path,
        members.length > 0,
      ]);
    }
    expect(document.paths["/v1/sys/wrapping/rewrap"]?.["post"]?.requestBody?.required).toBe(true);
  });
  it("lists members as required that the handler checks itself", async () => {
    const required = (path: string) =>
      document.paths[`/v1/${path}`]?.["post"]?.requestBody?.content["application/json"]?.schema[
        "required"
      ];
    const { call, root, role } = authority();
    await root();
    await role("leaf");
    const refused = {
      "pki/sign/{role}": ["csr", '"csr" is empty'],
      "pki/sign-verbatim": ["csr", '"csr" is empty'],
      "pki/root/sign-intermediate": ["csr", '"csr" is empty'],
      "pki/root/sign-self-issued": ["certificate", "certificate could not be PEM-decoded"],
      "pki/keys/import": [
        "pem_bundle",
        "provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file",
      ],
      "pki/config/issuers": [
        "default",
        "Invalid issuer specification; must be non-empty and can't be 'default'.",
      ],
      "pki/config/keys": [
        "default",
        "Invalid key specification; must be non-empty and can't be 'default'.",
      ],
    } as const;
    for (const [path, [name, words]] of Object.entries(refused)) {
      const { status, json } = await call("POST", path.replace("{role}", "leaf"), {});
      expect([path, required(path), status, json["errors"]]).toEqual([path, [name], 400, [words]]);
    }
  });
  it("describes replies whose member names are data, and replies that may consist of warnings only", () => {
    const dataOf = (path: string, verb: string) => {
      const schema =
        document.paths[path]?.[verb]?.responses["200"]?.content?.["application/json"]?.schema;
      const [, own] = (schema?.["allOf"] ?? []) as readonly { readonly properties: Json }[];
      return own?.properties["data"];
    };
    expect(dataOf("/v1/sys/mounts", "get")).toMatchObject({
      type: "object",
      additionalProperties: { properties: { uuid: { type: "string" } } },
    });
    expect(dataOf("/v1/sys/mounts/{path}", "get")).toMatchObject({
      properties: { options: { type: ["object", "null"] } },
    });
    expect(dataOf("/v1/pki/issuer/{issuer_ref}", "delete")).toEqual({ type: "null" });
    expect(dataOf("/v1/pki/revoke", "post")).toMatchObject({
      oneOf: [{ type: "object" }, { type: "null" }],
    });
  });
  it("separates reading and listing of one path, in any order of declaration", () => {
    const shared = {
      access: "token",
      style: envelope,
      doc: "",
      body: { limit: int.default(10, "How many.") },
      run: async () => undefined,
    } as const;
    const reads = endpoint({ ...shared, id: "reads", at: ["GET /a"], reply: {} });
    const lists = endpoint({
      ...shared,
      id: "lists",
      at: ["LIST /a"],
      reply: { keys: list.required("") },
    });
    for (const endpoints of [
      [reads, lists],
      [lists, reads],
    ]) {
      const verbs = describeAll([groupOf("/b", "b", endpoints)]).paths["/b/a"] ?? {};
      expect([
        verbs["get"]?.operationId,
        verbs["x-list"]?.operationId,
        Object.keys(verbs).sort(),
      ]).toEqual(["reads", "lists", ["get", "x-list"]]);
      expect(verbs["x-list"]?.parameters.map(({ name }) => name)).toEqual(["list", "limit"]);
    }
  });
  it("requires the parameter `list` exactly where a plain GET does not list", async () => {
    const seen = new Set<boolean>();
    for (const { base, endpoints } of groups) {
      const router = routerOf({ endpoints });
      for (const [method, path] of endpoints.flatMap(expandPatterns)) {
        if (method !== "LIST") continue;
        const verbs = document.paths[(base + path).replace(/:(\w+)\+?/g, "{$1}")] ?? {};
        const demanded = (verbs["x-list"] ?? verbs["get"])?.parameters.find(
          ({ name }) => name === "list",
        )?.required;
        const { lists = false } = await router("GET", path.replace(/:\w+\+?/g, "1"), true);
        expect([base + path, demanded]).toEqual([base + path, !lists]);
        seen.add(lists);
      }
    }
    expect(seen).toContain(true);
    const shared = {
      access: "token",
      style: envelope,
      doc: "",
      body: {},
      run: async () => undefined,
    } as const;
    const both = [
      endpoint({
        ...shared,
        id: "lists",
        at: ["LIST /a/:name"],
        reply: { keys: list.required("") },
      }),
      endpoint({ ...shared, id: "reads", at: ["GET /a/:other"], reply: {} }),
    ];
    const verbs = describeAll([groupOf("/b", "b", both)]).paths;
    expect(
      Object.values(verbs).flatMap((each) =>
        Object.values(each).flatMap(({ parameters }) =>
          parameters.filter(({ name }) => name === "list"),
        ),
      ),
    ).toEqual([
      {
        name: "list",
        in: "query",
        required: true,
        description: expect.any(String),
        schema: { type: "string", enum: ["true"] },
      },
    ]);
  });
  it("describes PATCH, errors, and endpoints that accept any members", () => {
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
    const bytes = endpoint({
      id: "bytes",
      at: ["GET /bytes"],
      access: "open",
      style: raw,
      doc: "Bytes.",
      body: {},
      reply: {},
      run: async () => undefined,
    });
    const made = describeAll([{ ...groupOf("/v1/{mount}", "m", [odd, bytes]), mounted: true }]);
    expect(problemsOf(made)).toEqual([]);
    const patch = made.paths["/v1/{mount}/odd/{name}"]?.["patch"];
    expect(patch?.requestBody?.content["application/merge-patch+json"]?.schema).toMatchObject({
      required: ["a"],
      additionalProperties: true,
    });
    expect(patch?.parameters.map(({ name }) => name)).toEqual(["mount", "name"]);
    expect(
      Object.entries(patch?.responses ?? {}).map(([status, { description }]) => [
        status,
        description,
      ]),
    ).toEqual([
      ["200", "Done, with warnings."],
      ["204", "Done."],
      ["400", "in_use, malformed"],
      ["403", expect.stringContaining("token")],
      ["404", "not_found"],
      ["405", expect.stringContaining("method")],
      ["413", expect.stringContaining("body")],
      ["415", expect.stringContaining("media type")],
      ["429", expect.stringContaining("limit")],
      ["431", expect.stringContaining("token")],
      ["500", expect.stringContaining("Internal error")],
      ["503", expect.stringContaining("retry")],
    ]);
    expect(operationsOf(made).map(({ operation }) => operation.operationId)).toEqual([
      "odd",
      "odd_m_2",
      "odd_m",
      "bytes",
    ]);
    expect(parameterNames("/odd/:name+")).toEqual(["name"]);
  });
});

describe("responses in the documented dialect", () => {
  const document = describeAll(groups);
  it("match the schemas of the document", async () => {
    const { call, pki: client, clock, root, role } = authority();
    await root();
    await role("leaf", { ttl: "1h" });
    const { serial_number } = await client.issue({ role: "leaf", common_name: "a.test" });
    clock.advance(7200);
    const wrapped = { header: { "x-service-wrap-ttl": "60" } };
    const asked: readonly (readonly [
      method: string,
      path: string,
      template?: string,
      body?: unknown,
      sent?: Sent,
    ])[] = [
      ["GET", "sys/mounts"],
      ["GET", "sys/mounts/pki", "sys/mounts/{path}"],
      ["GET", "sys/mounts/pki/tune", "sys/mounts/{path}/tune"],
      ["POST", "sys/mounts/other", "sys/mounts/{path}", { type: "pki", options: { a: "b" } }],
      ["GET", "sys/mounts/other", "sys/mounts/{path}"],
      ["DELETE", "sys/mounts/other", "sys/mounts/{path}"],
      ["GET", "sys/internal/specs/openapi"],
      ["GET", "sys/health"],
      ["POST", "sys/wrapping/wrap", "sys/wrapping/wrap", { a: 1 }, wrapped],
      ["POST", "pki/roles/web", "pki/roles/{name}", { allow_any_name: true, key_type: "ec" }],
      ["GET", "pki/roles/web", "pki/roles/{name}"],
      ["DELETE", "pki/roles/web", "pki/roles/{name}"],
      ["POST", "pki/issue/leaf", "pki/issue/{role}", { common_name: "b.test" }],
      ["GET", "pki/issuer/root", "pki/issuer/{issuer_ref}"],
      ["POST", "pki/revoke", "pki/revoke", { serial_number }],
      ["GET", `pki/cert/${serial_number}`, "pki/cert/{serial}"],
      ["POST", "pki/config/urls", "pki/config/urls", {}],
      ["DELETE", "pki/issuer/none", "pki/issuer/{issuer_ref}"],
      ["DELETE", "pki/issuer/root", "pki/issuer/{issuer_ref}"],
    ];
    const statuses: number[] = [];
    for (const [method, path, template = path, body, sent] of asked) {
      const { status, json } = await call(method, path, body, sent);
      const response =
        document.paths[`/v1/${template}`]?.[method.toLowerCase()]?.responses[String(status)];
      const schema = response?.content?.["application/json"]?.schema;
      expect([
        method,
        path,
        status,
        response !== undefined,
        schema && misfits(schema, json, document),
      ]).toEqual([method, path, status === 204 ? 204 : 200, true, status === 204 ? undefined : []]);
      statuses.push(status);
    }
    expect(statuses.filter((status) => status === 204)).toHaveLength(3);
  });
  it("have exactly the envelope members of the document", async () => {
    const { call } = authority();
    const { json } = await call("GET", "pki/config/issuers");
    const { properties, required } = document.components.schemas["Envelope"] as {
      readonly properties: Json;
      readonly required: readonly string[];
    };
    expect(Object.keys(json).sort()).toEqual([...Object.keys(properties), "data"].sort());
    expect([...required].sort()).toEqual(Object.keys(properties).sort());
  });
});

describe("GET sys/internal/specs/openapi", () => {
  it("describes each existing mount", async () => {
    const { call, sys: client } = authority();
    const read = async () => {
      const { json } = await call("GET", "sys/internal/specs/openapi");
      return inlined(json, json) as Document;
    };
    expect(await client.openapiSpec()).toMatchObject({ openapi: "3.1.0" });
    const first = await read();
    expect(problemsOf(first)).toEqual([]);
    expect(
      Object.keys(first.paths).filter(
        (path) => !/^\/v1\/(pki|sys|auth|identity|cubbyhole)(\/|$)/.test(path),
      ),
    ).toEqual([]);
    await client.createMount({ path: "a/team-x", type: "pki" });
    const second = await read();
    expect(problemsOf(second)).toEqual([]);
    expect(second.paths["/v1/pki/roles/{name}"]?.["get"]?.operationId).toBe("readRole");
    expect(second.paths["/v1/a/team-x/roles/{name}"]?.["get"]).toMatchObject({
      operationId: "readRole_a_team_x",
      tags: ["Roles"],
    });
  });
  it("describes mounts once, with a path parameter, if generic_mount_paths is set", async () => {
    const { call } = authority();
    const { json, status } = await call(
      "GET",
      "sys/internal/specs/openapi?generic_mount_paths=true&context=x",
    );
    const document = inlined(json, json) as Document;
    expect([status, problemsOf(document)]).toEqual([200, []]);
    expect(
      document.paths["/v1/{pki_mount_path}/roles/{name}"]?.["get"]?.parameters.map(
        ({ name }) => name,
      ),
    ).toEqual(["pki_mount_path", "name", "X-Service-Wrap-TTL", "X-Vault-Wrap-TTL"]);
    expect(Object.keys(document.paths).some((path) => path.startsWith("/v1/pki/"))).toBe(false);
  });
});

it("GET sys/internal/specs/openapi: generates and compresses the document once, and returns 304 to clients that have it", async () => {
  const { ca, call } = authority();
  const read = (header: Readonly<Record<string, string>>, token = "") =>
    call("GET", "sys/internal/specs/openapi", undefined, { token, header });
  const plain = await read({});
  const stringify = vi.spyOn(JSON, "stringify");
  await read({});
  const longest = Math.max(...stringify.mock.results.map(({ value }) => String(value).length));
  stringify.mockRestore();
  expect(longest).toBeLessThan(10_000);
  const etag = plain.headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  expect(plain.headers.get("vary")).toContain("Accept-Encoding");
  const request = new Request("http://ca.test/v1/sys/internal/specs/openapi", {
    headers: { "accept-encoding": "br, gzip" },
  });
  const packed = await ca.fetch(request);
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  const bytes = new Uint8Array(await packed.arrayBuffer());
  expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
  expect(new TextDecoder().decode(gunzipSync(bytes))).toBe(plain.text);
  for (const [tag, encoding] of [
    [etag, "identity"],
    [etag, "gzip;q=0"],
    [`W/${etag.replace(/"$/, '-gzip"')}`, "gzip"],
  ] as const) {
    const again = await read({ "if-none-match": tag, "accept-encoding": encoding });
    expect([encoding, again.status, again.bytes.length]).toEqual([encoding, 304, 0]);
  }
  // other callers may see a different document
  const known = await read({ "if-none-match": etag }, "root");
  expect(known.status).toBe(200);
});

describe("the OpenAPI document without a token", () => {
  const asked = async (token: string, options: Parameters<typeof authority>[0] = {}) => {
    const { call, sys: client } = authority(options);
    await client.createMount({ path: "secret-plans", type: "pki" });
    await client.enableMethod({ path: "hidden-login", type: "userpass" });
    const { status, json } = await call("GET", "sys/internal/specs/openapi", undefined, { token });
    const { paths, servers } = json as unknown as Document & { readonly servers: unknown };
    return { status, paths: Object.keys(paths), servers };
  };
  it("has the default paths, without the actual mounts and login methods", async () => {
    for (const token of ["", "unknown"]) {
      const { status, paths } = await asked(token);
      expect(status).toBe(200);
      expect(paths).toEqual(
        expect.arrayContaining(["/v1/pki/roles/{name}", "/v1/auth/approle/login"]),
      );
      expect(paths.filter((path) => /secret-plans|hidden-login/.test(path))).toEqual([]);
    }
    for (const token of ["root", "reader"])
      expect((await asked(token)).paths).toEqual(
        expect.arrayContaining([
          "/v1/secret-plans/roles/{name}",
          "/v1/auth/hidden-login/users/{username}",
        ]),
      );
  });
  it("includes the variables API if the server serves it, and the public URL", async () => {
    const path = "/api/v2/workspaces/{workspace_id}/vars";
    expect((await asked("")).paths).not.toContain(path);
    const both = await asked("", { apis: [varsApi], publicUrl: "https://ca.example" });
    expect(both.paths).toContain(path);
    expect([both.servers, (await asked("")).servers]).toEqual([
      [{ url: "https://ca.example" }],
      [{ url: "/", description: "This server." }],
    ]);
  });
});

describe("OpenAPI: request members", () => {
  const fieldOf = (id: string, name: string) =>
    (pki as readonly AnyEndpoint[]).find((one) => one.id === id)?.body[name];
  it("of revoke-with-key include a required private_key; ttl and metadata are empty by default", () => {
    expect(fieldOf("revokeWithKey", "private_key")?.required).toBe(true);
    for (const id of ["issue", "sign", "signVerbatim"])
      for (const name of ["ttl", "metadata"])
        expect([id, name, fieldOf(id, name)?.json]).toEqual([
          id,
          name,
          expect.objectContaining({ default: "" }),
        ]);
  });
});
