import { describe, expect, it } from "vitest";
import { endpoint } from "../../src/wire/endpoint.ts";
import { int, map, text } from "../../src/wire/field.ts";
import { envelope } from "../../src/wire/style.ts";
import { bench, jsonBody } from "./fixture.ts";
import { threadTime } from "../support/spent.ts";

const shared = { access: "token", style: envelope, doc: "" } as const;
const { fetch, events } = bench([
  endpoint({
    ...shared,
    id: "measure",
    at: ["POST /measure"],
    body: { a: text.default("", "") },
    reply: { length: int.required("") },
    run: async (_, { a }) => ({ length: a.length }),
  }),
  endpoint({
    ...shared,
    id: "query",
    at: ["GET /query", "DELETE /query"],
    body: {},
    rest: true,
    reply: { rest: map.required("") },
    run: async (_, input) => ({ rest: (input as { rest?: Record<string, unknown> }).rest ?? {} }),
  }),
  endpoint({
    ...shared,
    access: "open",
    id: "hello",
    at: ["GET /hello"],
    body: {},
    reply: { hello: text.required("") },
    run: async (_, __, caller) => ({ hello: caller.identity.id }),
  }),
  endpoint({
    ...shared,
    access: "open",
    id: "greet",
    at: ["POST /greet"],
    body: { a: text.default("", "") },
    reply: {},
    run: async () => ({}),
  }),
  endpoint({
    ...shared,
    id: "collect",
    at: ["POST /collect"],
    bodyLimits: { bytes: 10 * 1024 * 1024, members: 30_000 },
    body: { a: text.default("", "") },
    reply: {},
    run: async () => ({}),
  }),
]);
const mebibyte = 1024 * 1024;
const whole = (size: number) => `{"a":"${"x".repeat(size - 8)}"}`;
/** Returns a body of unknown length in chunks. */
function pieces(
  size: number,
  seen: { pulled: number } = { pulled: 0 },
): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(mebibyte).fill(0x20);
  return new ReadableStream({
    pull(controller) {
      if (seen.pulled >= size) return controller.close();
      seen.pulled += piece.length;
      controller.enqueue(piece);
    },
  });
}
/**
 * Returns the limit to expect. If the platform has no stream for request bodies, the whole body is
 * in memory before it can be measured.
 */
const maxBytes = (bytes: number): number => ("body" in Request.prototype ? bytes : Infinity);
const chunked = (body: ReadableStream<Uint8Array>) => ({ body, duplex: "half" }) as RequestInit;

describe("a request body", () => {
  it("has at most 8 MiB", async () => {
    expect(
      (await fetch("POST", "/v1/pki/measure", jsonBody(whole(8 * mebibyte)))).json["data"],
    ).toEqual({ length: 8 * mebibyte - 8 });
    const answer = await fetch("POST", "/v1/pki/measure", jsonBody(whole(8 * mebibyte + 1)));
    expect([answer.status, answer.json]).toEqual([
      413,
      { errors: ["http: request body too large"] },
    ]);
  });
  it("is rejected by its Content-Length before it is read", async () => {
    const seen = { pulled: 0 };
    const answer = await fetch("POST", "/v1/pki/measure", {
      ...chunked(pieces(mebibyte, seen)),
      headers: { "content-length": String(9 * mebibyte) },
    });
    expect([answer.status, seen.pulled <= mebibyte]).toEqual([413, true]);
  });
  it("of unknown length is read only up to the limit", async () => {
    const seen = { pulled: 0 };
    expect(
      (await fetch("POST", "/v1/pki/measure", chunked(pieces(100 * mebibyte, seen)))).status,
    ).toBe(413);
    expect(seen.pulled).toBeLessThan(maxBytes(12 * mebibyte));
    expect(
      (await fetch("POST", "/v1/pki/measure", chunked(pieces(8 * mebibyte)))).json["data"],
    ).toEqual({ length: 0 });
  });
  it("of an anonymous caller is read up to 64 KiB, and not at all if a token is required", async () => {
    for (const token of ["", "bad"]) {
      const seen = { pulled: 0 };
      const headers = { "x-service-token": token };
      const send = async (path: string, length: Record<string, string> = {}) => {
        const body = chunked(pieces(100 * mebibyte, seen));
        return fetch("POST", path, { ...body, headers: { ...headers, ...length } });
      };
      expect((await send("/v1/pki/measure")).status).toBe(403);
      expect((await send("/v1/pki/greet")).status).toBe(413);
      expect(seen.pulled).toBeLessThan(maxBytes(4 * mebibyte));
      const refused = await send("/v1/pki/greet", { "content-length": String(mebibyte) });
      expect([refused.status, refused.json["errors"]]).toEqual([
        413,
        ["http: request body too large: bodies above 64 KiB require a valid token"],
      ]);
      const short = { ...jsonBody(whole(60 * 1024)), headers };
      expect((await fetch("POST", "/v1/pki/greet", short)).status).toBe(200);
    }
    const own = { allowedOrigins: [], identity: { id: "page", can: () => true } };
    const sent = { ...jsonBody(whole(mebibyte)), headers: { "x-service-token": "" } };
    for (const path of ["measure", "greet"])
      expect((await fetch("POST", `/v1/pki/${path}`, { ...sent, options: own })).status).toBe(200);
    expect((await fetch("POST", "/v1/pki/greet", jsonBody(whole(mebibyte)))).status).toBe(200);
  });
  it("may be larger if the endpoint allows it", async () => {
    const large = jsonBody(whole(9 * mebibyte));
    expect((await fetch("POST", "/v1/pki/collect", large)).status).toBe(200);
    expect((await fetch("POST", "/v1/pki/measure", large)).status).toBe(413);
    const many = jsonBody(JSON.stringify({ a: Array.from({ length: 20_001 }, () => "") }));
    expect((await fetch("POST", "/v1/pki/collect", many)).text).not.toContain("20000 members");
    expect((await fetch("POST", "/v1/pki/measure", many)).text).toContain("20000 members");
  });
  it("with very many or very long unknown names is answered quickly, with only some of the names", async () => {
    const blanks = " ".repeat(500_000);
    const begun = threadTime();
    const headers = { "x-vault-request": "true" };
    const long = await fetch("POST", "/v1/pki/measure", {
      ...jsonBody(JSON.stringify({ [`${blanks}x`]: 1 })),
      headers,
    });
    const query = await fetch("GET", `/v1/pki/hello?${"+".repeat(500_000)}x=1`, { headers });
    expect([long.status, query.status]).toEqual([200, 200]);
    const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`n${i}`, 1]));
    const many = await fetch("POST", "/v1/pki/measure", {
      ...jsonBody(JSON.stringify(names)),
      headers,
    });
    const refused = await fetch("POST", "/v1/pki/measure", jsonBody(JSON.stringify(names)));
    expect([refused.status, refused.text.length < 1000]).toEqual([400, true]);
    expect(threadTime() - begun).toBeLessThan(5000);
    expect(String(many.json["warnings"])).toMatch(
      /^Endpoint ignored these unrecognized parameters: \[n0 n1 n10 .* …\]$/,
    );
    expect(long.text.length + many.text.length).toBeLessThan(4000);
  });
  it("with a false Content-Length is rejected too", async () => {
    const answer = await fetch("POST", "/v1/pki/measure", {
      ...chunked(pieces(9 * mebibyte)),
      headers: { "content-length": "5" },
    });
    expect(answer.status).toBe(413);
  });
  it("may be absent, a form, or JSON of any media type", async () => {
    expect((await fetch("POST", "/v1/pki/measure")).json["data"]).toEqual({ length: 0 });
    expect(
      (
        await fetch("POST", "/v1/pki/measure", {
          body: "a=four",
          headers: { "content-type": "application/x-www-form-urlencoded" },
        })
      ).json["data"],
    ).toEqual({ length: 4 });
    expect(
      (
        await fetch("POST", "/v1/pki/measure", {
          body: '{"a":"b"}',
          headers: { "content-type": "application/jose+json" },
        })
      ).json["data"],
    ).toEqual({
      length: 1,
    });
  });
  it("that cannot be read is rejected and logged", async () => {
    events.length = 0;
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error("torn")),
    });
    expect((await fetch("POST", "/v1/pki/measure", chunked(broken))).status).toBe(500);
    expect(events).toMatchObject([
      { endpoint: "measure", status: 500, fields: { method: "POST" } },
    ]);
  });
});

describe("a query string", () => {
  it("provides the members of reads and deletes, with repeated names as arrays, except list and help", async () => {
    for (const method of ["GET", "DELETE"]) {
      const answer = await fetch(
        method,
        "/v1/pki/query?a=1&b=x&b=y&help=false&__proto__=z&list=false",
      );
      expect(answer.json["data"]).toEqual({
        rest: JSON.parse('{"a":"1","b":["x","y"],"__proto__":"z"}') as unknown,
      });
    }
  });
  it("is ignored on writes by clients of the API family, and rejected on other writes", async () => {
    const headers = { "x-service-token": "", "x-vault-token": "t" };
    const ignored = await fetch("POST", "/v1/pki/measure?a=abc", { headers });
    expect(ignored.json["data"]).toEqual({ length: 0 });
    expect((await fetch("POST", "/v1/pki/measure?a=abc")).json["errors"]).toEqual([
      "unknown fields: a in the query; a POST has its fields in the body",
    ]);
  });
});

describe("a token", () => {
  const none = { "x-service-token": "" };
  it("is accepted in either product header or as a bearer token", async () => {
    for (const headers of [
      { "x-service-token": "t" },
      { ...none, "x-vault-token": "t" },
      { ...none, authorization: "Bearer t" },
    ]) {
      expect((await fetch("POST", "/v1/pki/measure", { headers })).status).toBe(200);
    }
    for (const authorization of ["bearer t", "Basic t", "Bearer", "t"])
      expect(
        (await fetch("POST", "/v1/pki/measure", { headers: { ...none, authorization } })).status,
      ).toBe(403);
  });
  it("in X-Service-Token takes precedence, then one in X-Vault-Token", async () => {
    const status = async (headers: Record<string, string>) =>
      (await fetch("POST", "/v1/pki/measure", { headers })).status;
    expect(await status({ "x-service-token": "bad", "x-vault-token": "t" })).toBe(403);
    expect(
      await status({ "x-service-token": "t", "x-vault-token": "bad", authorization: "Bearer bad" }),
    ).toBe(200);
    expect(await status({ ...none, "x-vault-token": "bad", authorization: "Bearer t" })).toBe(403);
    expect(await status({ ...none, "x-vault-token": "t", authorization: "Bearer bad" })).toBe(200);
  });
  it("determines the dialect by its header", async () => {
    const dialect = async (headers: Record<string, string>) => {
      events.length = 0;
      await fetch("POST", "/v1/pki/measure", { headers });
      return events[0]?.fields?.["dialect"];
    };
    expect(await dialect({})).toBe("documented");
    expect(await dialect({ "x-vault-token": "t" })).toBe("documented");
    expect(await dialect({ ...none, "x-vault-token": "t" })).toBe("compat");
    expect(await dialect({ ...none, authorization: "Bearer t" })).toBe("compat");
    expect(await dialect(none)).toBe("compat");
  });
  it("that is missing or invalid is rejected with the texts that clients expect", async () => {
    const refused = async (headers: Record<string, string>) => {
      const { status, json } = await fetch("POST", "/v1/pki/measure", { headers });
      return [status, json["errors"]];
    };
    expect(await refused(none)).toEqual([403, ["1 error occurred:\n\t* permission denied\n\n"]]);
    expect(await refused({ "x-service-token": "bad" })).toEqual([
      403,
      ["2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"],
    ]);
  });
  it("has at most 8192 bytes", async () => {
    expect(
      (await fetch("POST", "/v1/pki/measure", { headers: { "x-service-token": "t".repeat(8192) } }))
        .status,
    ).toBe(200);
    const answer = await fetch("POST", "/v1/pki/measure", {
      headers: { "x-service-token": "t".repeat(8193) },
    });
    expect([answer.status, answer.json]).toEqual([
      431,
      { errors: ["the token is longer than 8192 bytes"] },
    ]);
  });
  it("is irrelevant on an open endpoint", async () => {
    for (const token of ["", "bad", "t", "t".repeat(9000)]) {
      const answer = await fetch("GET", "/v1/pki/hello", { headers: { "x-service-token": token } });
      expect([answer.status, answer.json["data"]]).toEqual([200, { hello: "" }]);
    }
  });
  it("takes precedence over an identity of the host", async () => {
    const options = { identity: { id: "host", can: () => true } };
    expect((await fetch("POST", "/v1/pki/measure", { options, headers: none })).status).toBe(200);
    expect(
      (await fetch("POST", "/v1/pki/measure", { options, headers: { "x-service-token": "bad" } }))
        .status,
    ).toBe(403);
  });
  it("is not read from headers that a proxy may add", async () => {
    const headers = {
      ...none,
      "x-forwarded-user": "root",
      "x-ssl-client-cert": "x",
      "cf-access-jwt-assertion": "x",
      "x-forwarded-for": "127.0.0.1",
      cookie: "token=t",
    };
    expect((await fetch("POST", "/v1/pki/measure", { headers })).status).toBe(403);
  });
});

describe("cross-origin requests", () => {
  const options = { allowedOrigins: ["https://app.example"] };
  const from = (origin: string, method = "GET") =>
    fetch(method, "/v1/pki/hello", { options, headers: { origin } });
  it("of an allowed origin are accepted, without credentials", async () => {
    const { status, headers } = await from("https://app.example");
    expect([
      status,
      headers.get("access-control-allow-origin"),
      headers.get("access-control-allow-credentials"),
      headers.get("vary"),
    ]).toEqual([200, "https://app.example", null, "Origin"]);
    const preflight = await from("https://app.example", "OPTIONS");
    expect([
      preflight.status,
      preflight.text,
      preflight.headers.get("access-control-allow-credentials"),
    ]).toEqual([204, "", null]);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("X-Service-Token");
  });
  it("can read the request id of an error", async () => {
    const headers = { origin: "https://app.example", "x-service-token": "bad" };
    const refused = await fetch("POST", "/v1/pki/measure", { options, headers });
    expect([refused.status, refused.headers.has("x-request-id")]).toEqual([403, true]);
    expect(refused.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
  });
  it("of other origins are rejected, even if part of the origin matches", async () => {
    for (const origin of [
      "https://other.example",
      "https://app.example.evil.example",
      "http://app.example",
      "https://APP.example",
      "null",
      "*",
    ]) {
      const { headers } = await from(origin);
      expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([
        null,
        "Origin",
      ]);
      expect((await from(origin, "OPTIONS")).status).toBe(403);
    }
  });
  it("can read errors", async () => {
    const answer = await fetch("GET", "/v1/pki//x", {
      options,
      headers: { origin: "https://app.example" },
    });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
      400,
      "https://app.example",
    ]);
  });
  it("are rejected if no origin is allowed", async () => {
    const answer = await fetch("GET", "/v1/pki/hello", {
      headers: { origin: "https://app.example" },
    });
    expect([answer.headers.get("access-control-allow-origin"), answer.headers.get("vary")]).toEqual(
      [null, null],
    );
    expect(
      (await fetch("OPTIONS", "/v1/pki/hello", { headers: { origin: "https://app.example" } }))
        .status,
    ).toBe(403);
  });
  it("are evaluated individually", async () => {
    const origins = ["https://app.example", "https://other.example", "https://app.example"];
    const answers = await Promise.all(origins.map((origin) => from(origin)));
    expect(answers.map(({ headers }) => headers.get("access-control-allow-origin"))).toEqual([
      "https://app.example",
      null,
      "https://app.example",
    ]);
  });
});

describe("a response", () => {
  it("is never cached or sniffed, and has no Strict-Transport-Security over HTTP", async () => {
    for (const path of ["/v1/pki/hello", "/v1/pki/nothing", "/v1/pki//"]) {
      const { headers } = await fetch("GET", path);
      expect([
        headers.get("cache-control"),
        headers.get("x-content-type-options"),
        headers.get("content-type"),
      ]).toEqual(["no-store", "nosniff", "application/json"]);
      expect(headers.get("strict-transport-security")).toBeNull();
    }
  });
  it("does not contain the token, nor does the log", async () => {
    const token = "canary-token-0123456789";
    for (const path of ["/v1/pki/hello", "/v1/pki/measure", "/v1/none", "/v1/pki//"]) {
      events.length = 0;
      const { text: body, headers } = await fetch("GET", path, {
        headers: { "x-service-token": token },
      });
      expect(body + JSON.stringify([...headers]) + JSON.stringify(events)).not.toContain(token);
    }
  });
});
