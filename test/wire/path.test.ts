import { describe, expect, it } from "vitest";
import { endpoint } from "../../src/wire/endpoint.ts";
import { list, text } from "../../src/wire/field.ts";
import { routerOf } from "../../src/wire/router.ts";
import { envelope } from "../../src/wire/style.ts";
import { bench, jsonBody } from "./fixture.ts";

const said = { saw: text.required("What the handler was given.") } as const;
const shared = { access: "token", style: envelope, doc: "", body: {} } as const;
const endpoints = [
  endpoint({
    ...shared,
    id: "readThing",
    at: ["GET /things/:name"],
    reply: said,
    run: async (_, { name }) => ({ saw: name }),
  }),
  endpoint({
    ...shared,
    id: "writeThing",
    at: ["POST /things/:name"],
    reply: said,
    run: async (_, { name }) => ({ saw: name }),
  }),
  endpoint({
    ...shared,
    id: "deleteThing",
    at: ["DELETE /things/:name"],
    reply: {},
    run: async () => undefined,
  }),
  endpoint({
    ...shared,
    id: "patchThing",
    at: ["PATCH /things/:name"],
    reply: said,
    body: { note: text.optional("") },
    run: async (_, { name, note }) => ({ saw: `${name} ${note}` }),
  }),
  endpoint({
    ...shared,
    id: "listThings",
    at: ["LIST /things"],
    reply: { keys: list.required("") },
    run: async () => ({ keys: ["a"] }),
  }),
  endpoint({
    ...shared,
    id: "readTail",
    at: ["GET /tail/:tail+"],
    reply: said,
    run: async (_, { tail }) => ({ saw: tail }),
  }),
  endpoint({
    ...shared,
    id: "readFree",
    at: ["GET /free/:anything"],
    reply: said,
    run: async (_, { anything }) => ({ saw: anything }),
  }),
] as const;
const { fetch, asked } = bench(endpoints);
const unsupportedPath = { errors: ["1 error occurred:\n\t* unsupported path\n\n"] };
const unsupportedOperation = { errors: ["1 error occurred:\n\t* unsupported operation\n\n"] };

describe("a request path", () => {
  it("is rejected if a policy and a router could parse it differently", async () => {
    const refused: readonly (readonly [string, string])[] = [
      ["/v1/pki//things/a", "invalid path: empty segment"],
      ["/v1//pki/things/a", "invalid path: empty segment"],
      ["//v1/pki/things/a", "invalid path: empty segment"],
      ["/v1/pki/things/a%2fb", "invalid path: separator other than /"],
      ["/v1/pki/things/a%2Fb", "invalid path: separator other than /"],
      ["/v1/pki/things/a%5cb", "invalid path: separator other than /"],
      ["/v1/pki/things/a%00", "invalid path: separator other than /"],
      ["/v1/pki/things/a;b", "invalid path: separator other than /"],
      ["/v1/pki/things/a%", "invalid path: malformed percent-encoding"],
      ["/v1/pki/things/a%zz", "invalid path: malformed percent-encoding"],
      ["/v1/pki/things/a%2", "invalid path: malformed percent-encoding"],
      ["/v1/pki/things/%ff", "invalid path: percent-encoding that is not UTF-8"],
      ["/v1/pki/things/%c0%af", "invalid path: percent-encoding that is not UTF-8"],
      ["/v1/pki/things/a%0ab", "invalid path: control character"],
      ["/v1/pki/things/a%7f", "invalid path: control character"],
    ];
    for (const [path, why] of refused)
      for (const method of ["GET", "POST", "DELETE"]) {
        const answer = await fetch(method, path);
        expect([path, answer.status, answer.text]).toEqual([
          path,
          400,
          expect.stringContaining(why),
        ]);
      }
    expect(asked).toEqual([]);
  });
  it("is matched after its dot segments are resolved", async () => {
    for (const path of [
      "/v1/pki/x/../things/a",
      "/v1/pki/x/%2e%2e/things/a",
      "/v1/pki/./things/a",
      "/v1/pki/%2E/things/a",
      "/v1/pki\\things\\a",
    ]) {
      asked.length = 0;
      expect([path, (await fetch("GET", path)).json["data"]]).toEqual([path, { saw: "a" }]);
      expect(asked).toEqual([["read", "pki/things/a"]]);
    }
    expect((await fetch("GET", "/v1/pki/things/..")).status).toBe(404);
  });
  it("is authorized in decoded form, so that a policy sees the name that the handler gets", async () => {
    for (const [path, name] of [
      ["/v1/pki/things/w%65b", "web"],
      ["/v1/pki/things/%77%65%62", "web"],
      ["/v1/pki/free/a%20b", "a b"],
      ["/v1/pki/free/%C3%A9", "é"],
      ["/v1/pki/free/%252f", "%2f"],
    ] as const) {
      asked.length = 0;
      expect((await fetch("GET", path)).json["data"]).toEqual({ saw: name });
      expect(asked).toEqual([["read", decodeURIComponent(path.slice(4))]]);
    }
  });
  it("has no aliases: spaces, case and non-ASCII letters make other names or none", async () => {
    for (const path of [
      "/v1/pki/things/%20web",
      "/v1/pki/things/web%20",
      "/v1/pki/things/w%C3%A9b",
      "/v1/pki/things/web.",
      "/v1/pki/things/.web",
      "/v1/pki/things/%EF%BD%97eb",
    ]) {
      const answer = await fetch("GET", path);
      expect([path, answer.status, answer.json]).toEqual([path, 404, unsupportedPath]);
    }
    expect((await fetch("GET", "/v1/pki/things/WEB")).json["data"]).toEqual({ saw: "WEB" });
    for (const path of ["/v1/pki/Things/a", "/v1/pki/%74hings/a"])
      expect((await fetch("GET", path)).json).toEqual(unsupportedPath);
    for (const path of [
      "/v1/PKI/things/a",
      "/v1/%70ki/things/a",
      "/V1/pki/things/a",
      "/v1/pk%C4%B1/things/a",
    ]) {
      expect((await fetch("GET", path)).text).toContain("no handler for route");
    }
  });
  it("may end in a slash for reads, lists and deletes, but not for writes", async () => {
    expect((await fetch("GET", "/v1/pki/things/a/")).json["data"]).toEqual({ saw: "a" });
    expect((await fetch("GET", "/v1/pki/things/?list=true")).json["data"]).toEqual({ keys: ["a"] });
    expect((await fetch("DELETE", "/v1/pki/things/a/")).status).toBe(204);
    for (const method of ["POST", "PUT", "PATCH"]) {
      const answer = await fetch(method, "/v1/pki/things/a/", jsonBody({}));
      expect([answer.status, answer.json]).toEqual([
        400,
        { errors: ["cannot write to a path ending in '/'"] },
      ]);
    }
  });
  it("with slashes in its last parameter is rejected for the same reasons as any other", async () => {
    expect((await fetch("GET", "/v1/pki/tail/a/b")).json["data"]).toEqual({ saw: "a/b" });
    expect((await fetch("GET", "/v1/pki/tail/a//b")).status).toBe(400);
    expect((await fetch("GET", "/v1/pki/tail/a%2Fb")).status).toBe(400);
  });
  it("cannot have a slash in a parameter of one segment, for any caller of the router", async () => {
    const router = routerOf({ endpoints });
    await expect(router("GET", "/free/a%2Fb")).rejects.toMatchObject({ code: "unsupported_path" });
    await expect(router("GET", "/free/%ff")).rejects.toMatchObject({ code: "unsupported_path" });
    expect((await router("GET", "/free/ab")).params).toEqual({ anything: "ab" });
  });
  it("is in the error if it has no mount", async () => {
    expect((await fetch("GET", "/v1/nothing/here")).json).toEqual({
      errors: ['no handler for route "nothing/here". route entry not found.'],
    });
    expect((await fetch("GET", "/v2/pki")).json).toEqual({
      errors: ['no handler for route "v2/pki". route entry not found.'],
    });
    expect((await fetch("GET", "/v1/pkix/things/a")).status).toBe(404);
  });
  it("is rejected with a namespace header that is not empty", async () => {
    for (const header of ["x-vault-namespace", "x-service-namespace"]) {
      const answer = await fetch("GET", "/v1/pki/things/a", { headers: { [header]: "team" } });
      expect([answer.status, answer.json]).toEqual([
        404,
        { errors: ['no handler for route "team/v1/pki/things/a". route entry not found.'] },
      ]);
      expect((await fetch("GET", "/v1/pki/things/a", { headers: { [header]: "" } })).status).toBe(
        200,
      );
    }
    expect(
      (
        await fetch("GET", "/v1/pki/things/a", { headers: { "x-vault-namespace": "" } })
      ).headers.get("x-vault-namespace"),
    ).toBe("");
  });
});

describe("an HTTP method", () => {
  it("PUT is treated as POST, and HEAD as GET without a body", async () => {
    expect((await fetch("PUT", "/v1/pki/things/a", jsonBody({}))).json["data"]).toEqual({
      saw: "a",
    });
    expect((await fetch("POST", "/v1/pki/things/a", jsonBody({}))).json["data"]).toEqual({
      saw: "a",
    });
    const head = await fetch("HEAD", "/v1/pki/things/a");
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([
      200,
      "",
      "application/json",
    ]);
    expect((await fetch("HEAD", "/v1/pki/nothing")).status).toBe(404);
  });
  it("LIST has three forms with the same authorization", async () => {
    const spellings: readonly (readonly [string, string, Record<string, string>])[] = [
      ["LIST", "/v1/pki/things", {}],
      ["LIST", "/v1/pki/things/", {}],
      ["LIST", "/v1/pki/things?list=false", {}],
      ["GET", "/v1/pki/things?list=true", {}],
      ["GET", "/v1/pki/things?list=1", {}],
      ["GET", "/v1/pki/things/?list=T", {}],
      ["GET", "/v1/pki/things?list=false&list=true", {}],
      ["HEAD", "/v1/pki/things?list=true", {}],
      ["GET", "/v1/pki/things", { "x-http-method-override": "LIST" }],
      ["GET", "/v1/pki/things", { "x-http-method-override": "list" }],
    ];
    for (const [method, path, headers] of spellings) {
      asked.length = 0;
      expect((await fetch(method, path, { headers })).status).toBe(200);
      expect(asked).toEqual([["list", "pki/things"]]);
    }
  });
  it("cannot be overridden in other ways", async () => {
    for (const override of ["DELETE", "POST", "PATCH", "GET"]) {
      asked.length = 0;
      expect(
        (
          await fetch("GET", "/v1/pki/things/a", {
            headers: { "x-http-method-override": override },
          })
        ).json["data"],
      ).toEqual({ saw: "a" });
      expect(asked).toEqual([["read", "pki/things/a"]]);
    }
    expect(
      (
        await fetch("POST", "/v1/pki/things/a?list=true", {
          headers: { "x-http-method-override": "LIST" },
        })
      ).json["data"],
    ).toEqual({ saw: "a" });
    expect((await fetch("DELETE", "/v1/pki/things/a?list=true")).status).toBe(204);
  });
  it("with a list parameter that is not a boolean is rejected", async () => {
    const answer = await fetch("GET", "/v1/pki/things?list=maybe");
    expect([answer.status, answer.json]).toEqual([
      400,
      { errors: ["invalid query value list=maybe; use true or false"] },
    ]);
    expect((await fetch("GET", "/v1/pki/things/a?list=")).json["data"]).toEqual({ saw: "a" });
    expect((await fetch("GET", "/v1/pki/things/a?list=0")).json["data"]).toEqual({ saw: "a" });
  });
  it("that is unknown returns 405, like one that the path does not support", async () => {
    for (const method of ["SCAN", "PROPFIND", "constructor", "patch"]) {
      const answer = await fetch(method, "/v1/pki/things/a");
      expect([method, answer.status, answer.json]).toEqual([method, 405, { errors: [] }]);
    }
    expect((await fetch("DELETE", "/v1/pki/things")).json).toEqual(unsupportedOperation);
    expect((await fetch("GET", "/v1/pki/things?list=false")).status).toBe(405);
    expect((await fetch("GET", "/v1/pki/nothing")).json).toEqual(unsupportedPath);
    expect((await fetch("POST", "/v1/pki", jsonBody({}))).json).toEqual(unsupportedPath);
  });
  it("PATCH requires its media type", async () => {
    const patch = (type?: string) =>
      fetch("PATCH", "/v1/pki/things/a", {
        body: new TextEncoder().encode('{"note":"n"}'),
        headers: type === undefined ? {} : { "content-type": type },
      });
    for (const type of [
      "application/merge-patch+json",
      "Application/Merge-Patch+JSON; charset=utf-8",
    ])
      expect((await patch(type)).json["data"]).toEqual({ saw: "a n" });
    expect([(await patch()).status, (await patch()).text]).toEqual([
      400,
      expect.stringContaining("provided none"),
    ]);
    const other = await patch("application/json");
    expect([other.status, other.json]).toEqual([
      415,
      {
        errors: [
          "PATCH requires Content-Type of application/merge-patch+json, provided application/json",
        ],
      },
    ]);
    expect((await patch("application/merge-patch+jsonx")).status).toBe(415);
  });
});

describe("routerOf", () => {
  it("throws for endpoints with the same route", () => {
    const twin = endpoint({
      ...shared,
      id: "twin",
      at: ["GET /things/:other"],
      reply: {},
      run: async () => undefined,
    });
    expect(() => routerOf({ endpoints: [...endpoints, twin] })).toThrow(
      "two endpoints have the route GET /things/:",
    );
  });
});
