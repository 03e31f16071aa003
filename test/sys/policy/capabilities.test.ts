import { describe, expect, it } from "vitest";
import { authority } from "../../support/authority.ts";
import { tokensOf } from "../../support/tokens.ts";

const web = `
  path "pki/issue/web" { capabilities = ["update", "create"] required_parameters = ["ttl"] max_wrapping_ttl = 60 }
  path "pki/roles/" { capabilities = ["list"] }
  path "pki/+/secret" { capabilities = ["deny"] }
  path "pki/sign/*" { capabilities = ["update"] allowed_parameters = { ttl = [] } }
  path "sys/capabilities-self" { capabilities = ["update"] }
  path "sys/internal/ui/resultant-acl" { capabilities = ["read"] }`;
async function world() {
  const made = authority();
  await made.call("PUT", "sys/policies/acl/web", { policy: web });
  const maker = tokensOf(made);
  return { ...made, maker, ...(await maker(["web"])) };
}

describe("capabilities", () => {
  it("are returned by path for the caller, a token and an accessor, also at the top level of the reply", async () => {
    const { call, token, accessor } = await world();
    const paths = ["pki/issue/web", "/pki/roles", "v1/pki/sign/a", "pki/x/secret", "else"];
    const expected = {
      "pki/issue/web": ["create", "update"],
      "/pki/roles": ["list"],
      "v1/pki/sign/a": ["update"],
      "pki/x/secret": ["deny"],
      else: ["deny"],
    };
    const own = await call("POST", "sys/capabilities-self", { paths }, { token });
    expect(own.data).toEqual(expected);
    expect(own.json).toMatchObject(expected);
    expect((await call("POST", "sys/capabilities", { token, paths })).data).toEqual(expected);
    expect((await call("POST", "sys/capabilities-accessor", { accessor, paths })).data).toEqual(
      expected,
    );
  });
  it("are returned for paths separated by commas, and for a path with a comma in an array", async () => {
    const { call, token } = await world();
    const ask = async (paths: unknown) =>
      (await call("POST", "sys/capabilities-self", { paths }, { token })).data;
    const expected = { "pki/issue/web": ["create", "update"], "pki/roles": ["list"] };
    expect(await ask("pki/issue/web,pki/roles")).toEqual(expected);
    expect(await ask("pki/issue/web, pki/roles")).toEqual(expected);
    expect(await ask(["a,b", "else"])).toEqual({ "a,b": ["deny"], else: ["deny"] });
  });
  it("of one path are also returned as a list, and root tokens have the capability root", async () => {
    const { call, token, maker } = await world();
    const { data } = await call("POST", "sys/capabilities-self", { path: "else" }, { token });
    expect(data).toEqual({ else: ["deny"], capabilities: ["deny"] });
    const root = await maker(["root"]);
    expect(
      (await call("POST", "sys/capabilities", { token: root.token, paths: ["x"] })).data,
    ).toEqual({
      x: ["root"],
      capabilities: ["root"],
    });
  });
  it("of an unknown token are rejected, and so is a call without a path", async () => {
    const { call, token, clock, maker } = await world();
    const short = await maker(["web"], { ttl: 10 });
    clock.advance(10);
    const refusals = [
      ["capabilities", { token: "none", paths: ["a"] }, "invalid token"],
      ["capabilities", { token: short.token, paths: ["a"] }, "invalid token"],
      ["capabilities", { token: "b.x", paths: ["a"] }, "invalid token"],
      ["capabilities", { token: "x".repeat(9000), paths: ["a"] }, "invalid token"],
      ["capabilities", { paths: ["a"] }, "invalid token"],
      ["capabilities-accessor", { accessor: "none", paths: ["a"] }, "invalid accessor"],
      ["capabilities-accessor", { accessor: "../token", paths: ["a"] }, "invalid accessor"],
      ["capabilities-accessor", { accessor: short.accessor, paths: ["a"] }, "invalid accessor"],
      ["capabilities-self", {}, "paths must be supplied"],
      ["capabilities", { token, paths: [] }, "paths must be supplied"],
      [
        "capabilities-self",
        { paths: Array.from({ length: 1001 }, String) },
        "at most 1000 paths are allowed per call",
      ],
    ] as const;
    for (const [path, body, text] of refusals) {
      const { status, errors } = await call("POST", `sys/${path}`, body);
      expect([path, status, errors]).toEqual([path, 400, [text]]);
    }
  });
  it("of many paths do not block other requests", async () => {
    const { call, token } = await world();
    const paths = Array.from(
      { length: 1000 },
      (_, n) => `pki/sign-verbatim/${"a/".repeat(200)}${n}`,
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const { status } = await call("POST", "sys/capabilities-self", { paths }, { token });
    clearInterval(timer);
    expect(status).toBe(200);
    expect(turns).toBeGreaterThan(20);
  });

  it("of paths named like members of the envelope leave the envelope unchanged", async () => {
    const { call, token } = await world();
    const paths = ["data", "auth", "request_id", "__proto__", "constructor"];
    const { json, data, text } = await call("POST", "sys/capabilities-self", { paths }, { token });
    expect(json["auth"]).toBe(null);
    expect(json["request_id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(data)).toEqual(paths);
    expect(text).toContain('"__proto__":["deny"]');
  });
});

describe("all permissions of a token", () => {
  it("are returned by path and pattern", async () => {
    const { call, token } = await world();
    const { data } = await call("GET", "sys/internal/ui/resultant-acl", undefined, { token });
    expect(data).toEqual({
      root: false,
      exact_paths: {
        "pki/issue/web": {
          capabilities: ["create", "update"],
          required_parameters: ["ttl"],
          max_wrapping_ttl: 60,
        },
        "pki/roles/": { capabilities: ["list"] },
        "sys/capabilities-self": { capabilities: ["update"] },
        "sys/internal/ui/resultant-acl": { capabilities: ["read"] },
      },
      glob_paths: {
        "pki/sign/": { capabilities: ["update"], allowed_parameters: { ttl: [] } },
        "pki/+/secret": { capabilities: ["deny"] },
      },
    });
  });
  it("are only `root: true` for a root token", async () => {
    const { call, maker } = await world();
    const { token } = await maker(["root", "web"]);
    const { data } = await call("GET", "sys/internal/ui/resultant-acl", undefined, { token });
    expect(data).toEqual({ root: true, exact_paths: {}, glob_paths: {} });
  });
});

describe("sys/policies/test", () => {
  it.each([
    [{ path: "pki/issue/web" }, true, "the rule grants update", "pki/issue/web"],
    [{ path: "/v1/pki/issue/web" }, true, "the rule grants update", "pki/issue/web"],
    [
      { path: "pki/issue/web", capability: "read" },
      false,
      "the rule does not grant read",
      "pki/issue/web",
    ],
    [{ path: "pki/roles", capability: "list" }, true, "the rule grants list", "pki/roles/"],
    [{ path: "pki/a/secret" }, false, "the rule denies the path", "pki/+/secret"],
    [{ path: "else" }, false, "no pattern matches the path, so nothing is granted", null],
    [
      { path: "pki/issue/web", parameters: {} },
      false,
      "the rule denies the parameters, or the lifetime of the wrapping token",
      "pki/issue/web",
    ],
    [
      { path: "pki/issue/web", parameters: { ttl: 1 }, wrap_ttl: "1m" },
      true,
      "the rule grants update",
      "pki/issue/web",
    ],
  ])("%j: %s, %s", async (asked, granted, reason, pattern) => {
    const { call, token, accessor } = await world();
    for (const whose of [{ policies: ["web"] }, { token }, { accessor }, { policy: web }]) {
      const { data } = await call("POST", "sys/policies/test", { ...asked, ...whose });
      const names = "policy" in whose ? ["draft"] : ["web"];
      expect(data).toMatchObject({ granted, reason, pattern, policies: names, missing: [] });
      expect(data["decided_by"]).toEqual(pattern === null ? [] : names);
      expect(data["rule"] === null).toBe(pattern === null);
    }
  });
  it("returns which policies decide together, and which do not exist", async () => {
    const { call } = await world();
    await call("PUT", "sys/policies/acl/two", {
      policy: 'path "pki/roles/" { capabilities = ["read"] }',
    });
    const body = {
      path: "pki/roles",
      capability: "list",
      policies: ["WEB", "two", "none", "ünicode"],
    };
    expect((await call("POST", "sys/policies/test", body)).data).toEqual({
      granted: true,
      reason: "the rule grants list",
      policies: ["web", "two"],
      missing: ["none", "ünicode"],
      decided_by: ["web", "two"],
      pattern: "pki/roles/",
      rule: { capabilities: ["list", "read"] },
    });
    const root = await call("POST", "sys/policies/test", { path: "x", policies: ["root"] });
    expect(root.data).toMatchObject({
      granted: true,
      reason: "the policy root allows everything",
      pattern: null,
      rule: null,
    });
  });
  it("reveals nothing about a policy that the caller may not read, and rejects invalid requests", async () => {
    const { call, maker } = await world();
    const policy =
      'path "sys/policies/test" { capabilities = ["update"] } path "sys/policies/acl/two" { capabilities = ["read"] }';
    await call("PUT", "sys/policies/acl/tester", { policy });
    const { token } = await maker(["tester"]);
    const ask = async (body: object) =>
      (await call("POST", "sys/policies/test", { path: "x", ...body }, { token })).status;
    expect(await ask({ policies: ["two"] })).toBe(200);
    expect(await ask({ policy: web })).toBe(200);
    expect(await ask({ policies: ["two", "web"] })).toBe(403);
    expect(await ask({ policies: ["WEB"] })).toBe(403);
    expect(await ask({ token })).toBe(403);
    expect(await ask({ capability: "deny" })).toBe(400);
    expect(await ask({ policy: "path" })).toBe(400);
    expect(await ask({ token: "none" })).toBe(400);
    expect(await ask({ policies: Array.from({ length: 257 }, String) })).toBe(400);
  });
});
