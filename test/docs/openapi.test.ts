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
// it is read as what it is tested to be
const document = JSON.parse(text) as Document;

it("the document passes the recommended rules of a linter, but for an operation that redirects", async () => {
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

it("the document has the version of the package", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Json;
  expect(document.info.version).toBe(version);
});

it("everything that is sent or asked has a text", () => {
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

/** Without an example, and why. */
const without: ReadonlyMap<string, string> = new Map([
  ["init", "refused to everybody: a server is initialized from its start on"],
  ["seal", "refused to everybody: a server that is sealed could not be asked to unseal itself"],
  ["enableAuditDevice", "refused to everybody: where events go is no device of its own"],
  ["disableAuditDevice", "refused to everybody: where events go is no device of its own"],
  ["renewLease", "refused to everybody: what is issued does not last longer by being asked"],
  ["beginAnew", "granted only where the data of the variables were lost"],
  ["restoreStore", "granted only in an installation that was not used yet"],
]);

/** Where an endpoint is described that was asked at another mount or login method. */
const lyingAt = (base: string): string =>
  base.replace(/^\/v1\/other$/, "/v1/pki").replace(/^\/v1\/auth\/devices$/, "/v1/auth/userpass");

describe("the examples", () => {
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
  it("are granted, each of them, and there is one of each endpoint that needs nothing else", () => {
    const sent = new Set(all.map(({ endpoint }) => endpoint.id));
    expect(
      endpointGroups
        .flatMap(({ endpoints }) => endpoints.map(({ id }) => id))
        .filter((id) => sent.has(id) === without.has(id)),
    ).toEqual([]);
  });
  it("are answered with a status and a media type that the document has", () => {
    const other = all.flatMap((came) => {
      const operation = operationOf(came);
      // told apart from another path by the server only
      if (!operation) return came.endpoint.id === "readMountedMethod" ? [] : [came.endpoint.id];
      const answer = operation.responses[came.status];
      const types = Object.keys(answer ? (referred(document, answer)["content"] ?? {}) : {});
      return answer && (came.type === "" ? true : types.includes(came.type))
        ? []
        : [`${came.endpoint.id} ${came.status} ${came.type}: ${types.join()}`];
    });
    expect([...new Set(other)]).toEqual([]);
  });
  it("the examples and their replies match their schemas, closed sets included", () => {
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
