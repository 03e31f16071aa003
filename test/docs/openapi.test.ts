import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { beforeAll, describe, expect, it } from "vitest";
import { endpointGroups } from "../../tools/examples/places.ts";
import { run } from "../../tools/examples/run.ts";
import type { GrantedRequest } from "../../tools/examples/send.ts";
import { misfits, referred } from "../support/schema.ts";
import { root } from "../support/syntax.ts";

type Json = Readonly<Record<string, unknown>>;
type Contents = Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>;
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Json[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, Json & { readonly content?: Contents }>>;
}
interface Document extends Json {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
const text = readFileSync(join(root, "docs/openapi.json"), "utf8");
// the tests below verify this type
const document = JSON.parse(text) as Document;

it("the OpenAPI document passes the recommended rules of a linter, except for one operation that redirects", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  expect(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
  ).toEqual([
    [
      "operation-2xx-response",
      "Operation must have at least one `2XX` response.",
      "#/paths/~1v1~1auth~1jwt~1oidc~1callback/post/responses",
    ],
  ]);
});

it("the OpenAPI document has the version of the package", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Json;
  expect(document.info.version).toBe(version);
});

it("every parameter in the OpenAPI document has a description", () => {
  const silent = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).flatMap(([verb, { parameters }]) =>
      parameters
        .map((parameter) => referred(document, parameter))
        .filter(({ description }) => typeof description !== "string" || description === "")
        .map(({ name }) => `${verb} ${path} ${String(name)}`),
    ),
  );
  expect(silent).toEqual([]);
});

/** Endpoints without an example, with the reason. */
const without: ReadonlyMap<string, string> = new Map([
  ["init", "always refused: a server is initialized when it starts"],
  ["seal", "always refused: a sealed server could not be asked to unseal itself"],
  ["enableAuditDevice", "always refused: sinks are settings of the deployment"],
  ["disableAuditDevice", "always refused: sinks are settings of the deployment"],
  ["renewLease", "always refused: the validity of a certificate cannot be extended"],
  ["beginAnew", "succeeds only if the data of the variables API was lost"],
  ["restoreStore", "succeeds only in an unused installation"],
]);

/** Returns the base path under which an endpoint of another mount or login method is documented. */
const lyingAt = (base: string): string =>
  base.replace(/^\/v1\/other$/, "/v1/pki").replace(/^\/v1\/auth\/devices$/, "/v1/auth/userpass");

describe("the example requests", () => {
  let all: readonly GrantedRequest[] = [];
  beforeAll(async () => {
    all = await run();
  });
  const operationOf = ({ base, shape, method }: GrantedRequest): Operation | undefined => {
    const path = (lyingAt(base) + shape).replace(/:(\w+)\+?/g, "{$1}").replace(/\/$/, "");
    const verbs = document.paths[path];
    return method === "LIST"
      ? (verbs?.["x-list"] ?? verbs?.["get"])
      : verbs?.[method.toLowerCase()];
  };
  it("succeed, and include every endpoint that requires no special state", () => {
    const sent = new Set(all.map(({ endpoint }) => endpoint.id));
    expect(
      endpointGroups
        .flatMap(({ endpoints }) => endpoints.map(({ id }) => id))
        .filter((id) => sent.has(id) === without.has(id)),
    ).toEqual([]);
  });
  it("get a status and a media type that the document declares", () => {
    const other = all.flatMap((came) => {
      const operation = operationOf(came);
      // only the server can distinguish this path from another one
      if (!operation) return came.endpoint.id === "readMountedMethod" ? [] : [came.endpoint.id];
      const answer = operation.responses[came.status];
      const types = Object.keys(answer ? (referred(document, answer)["content"] ?? {}) : {});
      return answer && (came.type === "" ? true : types.includes(came.type))
        ? []
        : [`${came.endpoint.id} ${came.status} ${came.type}: ${types.join()}`];
    });
    expect([...new Set(other)]).toEqual([]);
  });
  it("match their schemas, including enumerations, as do their replies", () => {
    const wrong = all.flatMap((came) => {
      const operation = operationOf(came);
      if (!operation) return [];
      const media = came.endpoint.style.accepts[came.method] ?? came.endpoint.style.accepts["POST"];
      const asked = operation.requestBody?.content[media ?? ""]?.schema;
      const answered = operation.responses[came.status]?.content?.[came.type]?.schema;
      return [
        ...(came.body && asked ? misfits(document, asked, came.body) : []),
        ...(came.document !== undefined && answered
          ? misfits(document, answered, came.document)
          : []),
      ].map((what) => `${came.endpoint.id} ${what}`);
    });
    expect([...new Set(wrong)]).toEqual([]);
  });
});
