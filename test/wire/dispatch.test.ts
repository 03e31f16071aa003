import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import type { Capability } from "../../src/index.ts";
import { endpoint } from "../../src/wire/endpoint.ts";
import { flag, int, map, secret, text } from "../../src/wire/field.ts";
import { jsonapi } from "../../src/vars/jsonapi/style.ts";
import { envelope, plain, raw } from "../../src/wire/style.ts";
import { start } from "../support/authority.ts";
import { bench, jsonBody } from "./fixture.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const shared = { access: "token", style: envelope, doc: "" } as const;
const saw = { saw: map.required("") } as const;
const take = endpoint({
  ...shared,
  id: "take",
  at: ["POST /take/:name", "GET /take/:name"],
  body: { a: int.default(1, ""), b: text.optional("") },
  ignores: ["mute"],
  reply: saw,
  run: async (_, input, caller) => ({ saw: { ...input, sent: [...caller.sentFields].sort() } }),
});
const rest = endpoint({
  ...shared,
  id: "rest",
  at: ["POST /rest/:name"],
  body: { a: int.optional("") },
  rest: true,
  reply: saw,
  run: async (_, input) => ({ saw: input }),
});
const ruled = endpoint({
  ...shared,
  id: "ruled",
  at: ["POST /ruled"],
  reply: {},
  run: async () => ({}),
  body: {
    serial: text.optional(""),
    certificate: text.optional(""),
    c: text.optional(""),
    d: text.optional(""),
  },
  rules: [
    { exactlyOne: ["serial", "certificate"], many: "one of the two, please" },
    { together: ["c", "d"] },
  ],
});
const { fetch } = bench([take, rest, ruled]);

describe("handler input", () => {
  it("consists of the declared members, their defaults, and the path parameters", async () => {
    expect((await fetch("POST", "/v1/pki/take/web", jsonBody({ b: "x" }))).json["data"]).toEqual({
      saw: { a: 1, b: "x", name: "web", sent: ["b"] },
    });
    expect((await fetch("GET", "/v1/pki/take/web?a=7")).json["data"]).toEqual({
      saw: { a: 7, name: "web", sent: ["a"] },
    });
  });
  it("excludes unknown members, which one warning lists in order without the ignored ones", async () => {
    const headers = { "x-vault-request": "true" };
    const { json } = await fetch("POST", "/v1/pki/take/web", {
      ...jsonBody({ zeta: 1, mute: 1, __proto: 2, alpha: 1 }),
      headers,
    });
    expect(json["warnings"]).toEqual([
      "Endpoint ignored these unrecognized parameters: [__proto alpha zeta]",
    ]);
    const query = await fetch("GET", "/v1/pki/take/web?x=1&list=false", { headers });
    expect(query.json["warnings"]).toEqual(["Endpoint ignored these unrecognized parameters: [x]"]);
  });
  it("has the value of the path if the body has a member of the same name, with a warning", async () => {
    const { json } = await fetch("POST", "/v1/pki/take/web", jsonBody({ name: "other" }));
    expect(json).toMatchObject({
      data: { saw: { name: "web" } },
      warnings:
        "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
    });
  });
  it("has no values from the prototype of a body", async () => {
    const { json } = await fetch("POST", "/v1/pki/take/web", {
      ...jsonBody('{"__proto__":{"b":"polluted","a":9}}'),
      headers: { "x-vault-request": "true" },
    });
    expect(json).toMatchObject({
      data: { saw: { a: 1, name: "web", sent: ["__proto__"] } },
      warnings: ["Endpoint ignored these unrecognized parameters: [__proto__]"],
    });
  });
  it("includes further members unchanged and without a warning if the endpoint accepts them", async () => {
    const { json } = await fetch(
      "POST",
      "/v1/pki/rest/web",
      jsonBody('{"a":"5","name":"other","x":{"y":[1]},"__proto__":{"z":1}}'),
    );
    expect(json).toMatchObject({
      data: {
        saw: {
          a: 5,
          name: "web",
          rest: JSON.parse('{"x":{"y":[1]},"__proto__":{"z":1}}') as object,
        },
      },
      warnings: "",
    });
  });
  it("is rejected with the field name if a field has the wrong type", async () => {
    const answer = await fetch("POST", "/v1/pki/take/web", jsonBody({ a: "many" }));
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        errors: [
          "Field validation failed: error converting input for field \"a\": expected type 'int', got value 'many'",
        ],
      },
    ]);
  });
});

describe("a rule of an endpoint", () => {
  const errors = async (body: object) =>
    (await fetch("POST", "/v1/pki/ruled", jsonBody(body))).json["errors"];
  it("requires exactly one of several members", async () => {
    expect(await errors({})).toEqual(["set one of serial, certificate"]);
    expect(await errors({ serial: "1", certificate: "2" })).toEqual(["one of the two, please"]);
    expect(await errors({ serial: "1" })).toBeUndefined();
  });
  it("requires all or none of several members", async () => {
    expect(await errors({ serial: "1", c: "1" })).toEqual(["set all or none of c, d"]);
    expect(await errors({ serial: "1", c: "1", d: "1" })).toBeUndefined();
  });
});

describe("a temporary error", () => {
  const styles = [envelope, plain, raw, jsonapi];
  const { fetch: ask } = bench(
    styles.flatMap((style, i) =>
      (["busy", "later", "never"] as const).map((kind) =>
        endpoint({
          ...shared,
          style,
          id: `${kind}${i}`,
          at: [`GET /${kind}/${i}`],
          body: {},
          reply: {},
          refuses: ["busy", "malformed"],
          run: async () => {
            throw kind === "never"
              ? new CaError("malformed", "no")
              : new CaError("busy", "not now", kind === "later" ? { retryAfter: 10 } : {});
          },
        }),
      ),
    ),
  );
  it("has Retry-After in every style, unlike other errors", async () => {
    for (const i of styles.keys()) {
      const answers = await Promise.all(
        ["busy", "later", "never"].map((kind) => ask("GET", `/v1/pki/${kind}/${i}`)),
      );
      expect(answers.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
        [503, "1"],
        [503, "10"],
        [400, null],
      ]);
    }
  });
});

describe("a failing handler", () => {
  const defect = new Error("the canary in the cellar");
  const failing = [envelope, plain, raw, jsonapi].map((style, i) =>
    endpoint({
      ...shared,
      style,
      id: `fail${i}`,
      at: [`GET /fail/${i}`],
      body: {},
      reply: {},
      run: async (_, __, caller) => {
        caller.reply.warn("canary warning");
        caller.reply.lease("canary/lease", 5);
        throw defect;
      },
    }),
  );
  const { fetch: ask, events } = bench(failing);
  it("returns a plain 500 in every style, and the cause appears only in the log", async () => {
    for (const i of failing.keys()) {
      events.length = 0;
      const answer = await ask("GET", `/v1/pki/fail/${i}`);
      expect(answer.status).toBe(500);
      expect(answer.text).toContain("internal error");
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain("canary");
      expect(events).toEqual([
        {
          endpoint: `fail${i}`,
          status: 500,
          time: start,
          ms: 0,
          request: expect.stringMatching(uuid),
          mount: "pki",
          caller: "tester",
          cause: defect,
          fields: { method: "GET", dialect: "documented" },
        },
      ]);
    }
  });
  it("sends no part of a reply that cannot be encoded", async () => {
    const circular: Record<string, unknown> = { value: "canary" };
    circular["self"] = circular;
    const odd = bench([
      endpoint({
        ...shared,
        id: "odd",
        at: ["GET /odd"],
        body: {},
        reply: {},
        run: async () => circular,
      }),
    ]);
    const answer = await odd.fetch("GET", "/v1/pki/odd");
    expect([answer.status, answer.text]).toEqual([500, '{"errors":["internal error"]}\n']);
  });
  it("returns the same error as failing authentication", async () => {
    const { fetch: asked } = bench([take], { authenticate: () => Promise.reject(defect) });
    const answer = await asked("GET", "/v1/pki/take/a");
    expect([answer.status, answer.text]).toEqual([500, '{"errors":["internal error"]}\n']);
  });
});

describe("logging", () => {
  it("does not affect the response if it fails", async () => {
    const { fetch: ask } = bench([take], {
      log: () => {
        throw new Error("full");
      },
    });
    expect((await ask("GET", "/v1/pki/take/a")).status).toBe(200);
    expect((await ask("GET", "/v1/none")).status).toBe(404);
    expect((await ask("GET", "/v1//")).status).toBe(400);
  });
  it("records one event per call with allowed fields only, and never a body, token or path", async () => {
    const canary = "canary-7f3a";
    const keep = endpoint({
      ...shared,
      id: "keep",
      at: ["POST /keep/:name"],
      body: { password: secret.optional(""), a: int.optional(""), note: text.optional("") },
      reply: {},
      run: async (_, input, caller) => {
        caller.audit.note({ serial: "01" });
        if (input.note === "refuse") throw new CaError("in_use", "no");
        return undefined;
      },
    });
    const { fetch: ask, events } = bench([keep]);
    const bodies: readonly unknown[] = [
      { password: canary, note: canary },
      { password: [canary] },
      { a: canary },
      { note: "refuse", password: canary },
      { [canary]: canary },
      `{"${canary}`,
      `{"${canary}":1,"${canary}":2}`,
      [canary],
    ];
    for (const body of bodies)
      await ask("POST", `/v1/pki/keep/${canary}?help=${canary}`, {
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "x-service-token": canary, cookie: canary },
      });
    await ask("GET", `/v1/pki/${canary}`);
    await ask("GET", `/v1/${canary}`);
    await ask("GET", `/v1//${canary}`);
    expect(events).toHaveLength(bodies.length + 3);
    expect(JSON.stringify(events)).not.toContain(canary);
    const allowed = new Set(
      "endpoint status time ms request address mount caller refusal fields".split(" "),
    );
    for (const event of events)
      expect(Object.keys(event).filter((name) => !allowed.has(name))).toEqual([]);
    expect(events[0]).toEqual({
      endpoint: "keep",
      status: 204,
      time: start,
      ms: 0,
      request: expect.stringMatching(uuid),
      mount: "pki",
      caller: "tester",
      fields: { method: "POST", dialect: "documented", serial: "01" },
    });
    expect(events[3]).toMatchObject({ refusal: "in_use", status: 400 });
  });
});

describe("the request id", () => {
  it("is the same in response and log, also for errors", async () => {
    const { fetch: ask, events } = bench([take]);
    const granted = await ask("GET", "/v1/pki/take/a");
    const refused = await ask("GET", "/v1/none");
    expect([granted.json["request_id"], refused.headers.get("x-request-id")]).toEqual(
      events.map(({ request }) => request),
    );
    expect(new Set(events.map(({ request }) => request)).size).toBe(2);
  });
  it("is logged with the client address that the platform passes, and with no address from headers", async () => {
    const { fetch: ask, events } = bench([take]);
    const headers = { "cf-connecting-ip": "192.0.2.9", "x-forwarded-for": "192.0.2.9" };
    await ask("GET", "/v1/pki/take/a", { headers });
    await ask("GET", "/v1/pki/take/a", { headers, options: { peer: { address: "192.0.2.1" } } });
    expect(events.map(({ address }) => address)).toEqual([undefined, "192.0.2.1"]);
  });
});

describe("a handler", () => {
  it("sets the status and headers of a reply, and knows whether the request is HEAD", async () => {
    const made = endpoint({
      ...shared,
      id: "made",
      at: ["GET /made"],
      status: 201,
      body: { status: int.optional("") },
      reply: { head: flag.required("") },
      run: async (_, { status }, { reply, head }) => {
        reply.respond({ headers: { location: "/v1/pki/made/1", "x-head": String(head) } });
        if (status) reply.respond({ status });
        return { head };
      },
    });
    const { fetch: ask } = bench([made]);
    const answers = [
      await ask("GET", "/v1/pki/made"),
      await ask("HEAD", "/v1/pki/made"),
      await ask("GET", "/v1/pki/made?status=202"),
    ];
    expect(
      answers.map(({ status, headers }) => [
        status,
        headers.get("location"),
        headers.get("x-head"),
      ]),
    ).toEqual([
      [201, "/v1/pki/made/1", "false"],
      [201, "/v1/pki/made/1", "true"],
      [202, "/v1/pki/made/1", "false"],
    ]);
  });
});

describe("access", () => {
  const capabilities: Readonly<Record<string, Capability>> = {
    GET: "read",
    LIST: "list",
    POST: "update",
    PUT: "update",
    PATCH: "patch",
    DELETE: "delete",
    HEAD: "read",
  };
  const at = [
    "GET /x/:name",
    "LIST /x/:name",
    "POST /x/:name",
    "PATCH /x/:name",
    "DELETE /x/:name",
  ] as const;
  const all = ["create", "read", "update", "delete", "list", "patch", "sudo"] as const;
  const ran: string[] = [];
  const guarded = (["token", "sudo", "open"] as const).map((access) =>
    endpoint({
      ...shared,
      access,
      id: access,
      at: at.map((spelled) => spelled.replace("/x", `/${access}`) as (typeof at)[number]),
      body: {},
      reply: {},
      run: async () => {
        ran.push(access);
        return {};
      },
    }),
  );
  const type = (method: string): Record<string, string> =>
    method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};

  it("requires the capability of the method on the path with the mount, and sudo if declared", async () => {
    for (const [method, needed] of Object.entries(capabilities))
      for (const granted of [
        [],
        [needed],
        [needed, "sudo"],
        ["sudo"],
        all.filter((one) => one !== needed),
        [...all],
      ]) {
        const { fetch: ask, asked } = bench(guarded, {
          can: (capability) => granted.includes(capability),
        });
        for (const access of ["token", "sudo"] as const) {
          const allowed =
            granted.includes(needed) && (access === "token" || granted.includes("sudo"));
          ran.length = asked.length = 0;
          const { status } = await ask(method, `/v1/pki/${access}/a`, { headers: type(method) });
          expect([method, access, granted, status, ran]).toEqual([
            method,
            access,
            granted,
            allowed ? 200 : 403,
            allowed ? [access] : [],
          ]);
          expect(asked[0]).toEqual([needed, `pki/${access}/a`]);
        }
      }
  });
  it("is not checked on an open endpoint", async () => {
    const { fetch: ask, asked } = bench(guarded, { can: () => false });
    for (const method of Object.keys(capabilities))
      expect((await ask(method, "/v1/pki/open/a", { headers: type(method) })).status).toBe(200);
    expect(asked).toEqual([]);
  });
  it("is checked before the body is read", async () => {
    const { fetch: ask } = bench(guarded, { can: () => false });
    expect((await ask("POST", "/v1/pki/token/a", { body: "{" })).status).toBe(403);
  });
  it("can be checked by handlers with the same identity", async () => {
    const asking = endpoint({
      ...shared,
      id: "asking",
      at: ["GET /asking"],
      body: {},
      reply: saw,
      run: async (_, __, caller) => ({
        saw: {
          id: caller.identity.id,
          list: caller.identity.can("list", "other"),
          sudo: caller.identity.can("sudo", "other"),
        },
      }),
    });
    const { fetch: ask } = bench([asking], { can: (capability) => capability !== "sudo" });
    expect((await ask("GET", "/v1/pki/asking")).json["data"]).toEqual({
      saw: { id: "tester", list: true, sudo: false },
    });
  });
});
