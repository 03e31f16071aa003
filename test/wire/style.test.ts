import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { endpoint, type RawReply } from "../../src/wire/endpoint.ts";
import { duration, expiration, int, text } from "../../src/wire/field.ts";
import { envelope, plain, raw } from "../../src/wire/style.ts";
import { bench, jsonBody } from "./fixture.ts";

const shared = { access: "token", doc: "", body: {} } as const;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const modified = Date.UTC(2030, 0, 1, 12, 0, 0, 700);
let bytes: RawReply | undefined;

const { fetch } = bench([
  endpoint({
    ...shared,
    style: envelope,
    id: "full",
    at: ["GET /full", "POST /full"],
    body: { warnings: int.default(0, "") },
    reply: {
      ttl: duration.required(""),
      expiration: expiration.required(""),
      note: text.optional(""),
    },
    run: async (_, input, caller) => {
      if (input.warnings > 0) caller.reply.warn("first\nline");
      if (input.warnings > 1) caller.reply.warn("second");
      if (input.warnings > 2) caller.reply.warn("second");
      return { ttl: 5400, expiration: 1_900_000_000 };
    },
  }),
  endpoint({
    ...shared,
    style: envelope,
    id: "leased",
    at: ["POST /leased"],
    reply: {},
    run: async (_, __, caller) => {
      caller.reply.lease("pki/leased/1", 60);
      return {};
    },
  }),
  endpoint({
    ...shared,
    style: envelope,
    id: "nothing",
    at: ["GET /nothing", "LIST /nothing", "POST /nothing", "DELETE /nothing"],
    reply: {},
    run: async () => undefined,
  }),
  endpoint({
    ...shared,
    style: envelope,
    id: "warned",
    at: ["GET /warned", "DELETE /warned"],
    reply: {},
    run: async (_, __, caller) => {
      caller.reply.warn("mind the gap");
      return undefined;
    },
  }),
  endpoint({
    ...shared,
    style: envelope,
    hoist: true,
    id: "hoisted",
    at: ["GET /hoisted"],
    reply: {},
    run: async () => ({ "pki/": { type: "pki" } }),
  }),
  endpoint({
    ...shared,
    style: envelope,
    id: "refused",
    at: ["GET /refused/:code", "POST /refused/:code"],
    reply: {},
    run: async (_, { code }) => {
      throw new CaError(code as "not_found", code === "not_found" ? "" : `why: ${code}`);
    },
  }),
  endpoint({
    ...shared,
    style: plain,
    id: "plain",
    at: ["GET /plain", "POST /plain"],
    body: { empty: int.default(0, "") },
    reply: {},
    run: async (_, { empty }) => (empty ? undefined : { bare: true }),
  }),
  endpoint({
    ...shared,
    style: raw,
    access: "open",
    id: "raw",
    at: ["GET /raw"],
    reply: {},
    run: async () => bytes,
  }),
]);
const compat = { "x-service-token": "", "x-vault-token": "t" };

describe("the envelope style", () => {
  it("has the members that clients expect, and a unique request id", async () => {
    const answers = await Promise.all([fetch("GET", "/v1/pki/full"), fetch("GET", "/v1/pki/full")]);
    const { request_id: id, ...rest } = answers[0].json;
    expect(rest).toEqual({
      lease_id: "",
      renewable: false,
      lease_duration: 0,
      data: { ttl: "90m", expiration: "1900000000" },
      wrap_info: null,
      warnings: "",
      auth: null,
      mount_type: "pki",
    });
    expect(id).toMatch(uuid);
    expect(answers[1].json["request_id"]).not.toBe(id);
    expect([
      answers[0].status,
      answers[0].headers.get("content-type"),
      answers[0].text.endsWith("}\n"),
    ]).toEqual([200, "application/json", true]);
  });
  it("prints numbers and arrays in the compat dialect", async () => {
    expect((await fetch("GET", "/v1/pki/full", { headers: compat })).json).toMatchObject({
      data: { ttl: 5400, expiration: 1_900_000_000 },
      warnings: null,
    });
    expect(
      (await fetch("GET", "/v1/pki/full?warnings=2", { headers: compat })).json["warnings"],
    ).toEqual(["first\nline", "second"]);
  });
  it("prints warnings in the documented dialect as one text with one line each, without duplicates", async () => {
    expect((await fetch("GET", "/v1/pki/full?warnings=3")).json["warnings"]).toBe(
      "first line\nsecond",
    );
  });
  it("includes a lease", async () => {
    expect((await fetch("POST", "/v1/pki/leased")).json).toMatchObject({
      lease_id: "pki/leased/1",
      lease_duration: 60,
      renewable: false,
    });
  });
  it("has no body without data: 404 on reads, 204 on changes", async () => {
    for (const method of ["GET", "LIST"])
      expect(await fetch(method, "/v1/pki/nothing")).toMatchObject({
        status: 404,
        text: '{"errors":[]}\n',
      });
    for (const method of ["POST", "DELETE"])
      expect(await fetch(method, "/v1/pki/nothing")).toMatchObject({ status: 204, text: "" });
    const compat = { ...jsonBody({ unknown: 1 }), headers: { "x-vault-request": "true" } };
    expect(await fetch("POST", "/v1/pki/nothing", compat)).toMatchObject({ status: 204, text: "" });
  });
  it("has null as data if there is only a warning", async () => {
    for (const method of ["GET", "DELETE"])
      expect(await fetch(method, "/v1/pki/warned")).toMatchObject({
        status: 200,
        json: { data: null, warnings: "mind the gap" },
      });
  });
  it("repeats data at the top level if declared, for older clients", async () => {
    expect((await fetch("GET", "/v1/pki/hoisted")).json).toMatchObject({
      data: { "pki/": { type: "pki" } },
      "pki/": { type: "pki" },
      lease_id: "",
    });
  });
  it("has a list of errors for an error, which is empty if the error has no text", async () => {
    expect(await fetch("GET", "/v1/pki/refused/in_use")).toMatchObject({
      status: 400,
      text: '{"errors":["why: in_use"]}\n',
    });
    expect(await fetch("GET", "/v1/pki/refused/not_found")).toMatchObject({
      status: 404,
      text: '{"errors":[]}\n',
    });
  });
  it("uses different status codes for an unknown issuer or key on reads, on writes and in the compat dialect", async () => {
    const statuses = {
      unknown_issuer: [404, 400, 500],
      unknown_key: [404, 400, 500],
      unknown_app_role: [400, 400, 500],
      unusable_issuer: [400, 400, 400],
      in_use: [400, 400, 400],
    };
    for (const [code, [read, written, compatible]] of Object.entries(statuses))
      expect([
        code,
        (await fetch("GET", `/v1/pki/refused/${code}`)).status,
        (await fetch("POST", `/v1/pki/refused/${code}`)).status,
        (await fetch("GET", `/v1/pki/refused/${code}`, { headers: compat })).status,
        (await fetch("POST", `/v1/pki/refused/${code}`, { headers: compat })).status,
      ]).toEqual([code, read, written, compatible, compatible]);
  });
});

describe("the plain style", () => {
  it("returns only the document", async () => {
    expect((await fetch("GET", "/v1/pki/plain")).text).toBe('{"bare":true}\n');
    expect(await fetch("GET", "/v1/pki/plain?empty=1")).toMatchObject({
      status: 404,
      text: '{"errors":[]}\n',
    });
    expect(await fetch("POST", "/v1/pki/plain", jsonBody({ empty: 1 }))).toMatchObject({
      status: 204,
      text: "",
    });
  });
});

describe("the raw style", () => {
  const read = (headers: Record<string, string> = {}, method = "GET") =>
    fetch(method, "/v1/pki/raw", { headers });
  const lastModified = "Tue, 01 Jan 2030 12:00:00 GMT";
  it("returns bytes with their media type, or 204 without bytes", async () => {
    bytes = { type: "application/pkix-cert", bytes: Uint8Array.of(0x61, 0x62) };
    const { status, text: body, headers } = await read();
    expect([
      status,
      body,
      headers.get("content-type"),
      headers.get("cache-control"),
      headers.get("last-modified"),
      headers.get("etag"),
    ]).toEqual([200, "ab", "application/pkix-cert", "no-store", null, null]);
    bytes = undefined;
    expect(await read()).toMatchObject({ status: 204, text: "" });
  });
  it("has Last-Modified, ETag and Cache-Control, also for HEAD and 304", async () => {
    bytes = { type: "application/pkix-crl", bytes: "crl", modified, etag: '"i-7"', maxAge: 60 };
    for (const [method, status, headers] of [
      ["GET", 200, {}],
      ["HEAD", 200, {}],
      ["GET", 304, { "if-none-match": '"i-7"' }],
    ] as const) {
      const answer = await read(headers, method);
      expect([
        answer.status,
        answer.headers.get("last-modified"),
        answer.headers.get("etag"),
        answer.headers.get("cache-control"),
        answer.headers.get("x-content-type-options"),
      ]).toEqual([status, lastModified, '"i-7"', "public, max-age=60", "nosniff"]);
      expect(answer.text).toBe(method === "GET" && status === 200 ? "crl" : "");
    }
  });
  it("evaluates If-Modified-Since with a precision of a second, and ignores an invalid date", async () => {
    bytes = { type: "t/t", bytes: "x", modified };
    const since = async (value: string) => (await read({ "if-modified-since": value })).status;
    expect(await since(lastModified)).toBe(304);
    expect(await since("Tue, 01 Jan 2030 12:00:01 GMT")).toBe(304);
    expect(await since("Tue, 01 Jan 2030 11:59:59 GMT")).toBe(200);
    for (const unreadable of ["yesterday", "", "%", "-"]) expect(await since(unreadable)).toBe(200);
  });
  it("evaluates all forms of If-None-Match, and then ignores If-Modified-Since", async () => {
    bytes = { type: "t/t", bytes: "x", modified, etag: '"b"' };
    const match = async (value: string, more: Record<string, string> = {}) =>
      (await read({ "if-none-match": value, ...more })).status;
    for (const value of ['"b"', 'W/"b"', '"a", "b"', '"a",W/"b"', "*"])
      expect(await match(value)).toBe(304);
    for (const value of ['"a"', "b", '"B"', '"bb"']) expect(await match(value)).toBe(200);
    expect(await match('"a"', { "if-modified-since": lastModified })).toBe(200);
    bytes = { type: "t/t", bytes: "x", modified };
    expect(await match('"b"', { "if-modified-since": lastModified })).toBe(200);
  });
});
