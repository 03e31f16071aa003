import { describe, expect, it } from "vitest";
import type { Stores } from "../../src/ports.ts";
import { errorsOf, requestOf, service, withWorkspace, type Answer, type Service } from "./service.ts";

const sole = "/organizations/acme/authentication-token";
const secretOf = ({ data }: Answer): string => String(data["attributes"]?.["token"]);
const lastUse = async ({ call }: Service): Promise<unknown> => (await call("GET", sole)).data["attributes"]?.["last-used-at"];

describe("the last use of a token", () => {
  it("is told exactly to a minute, also of a use on another service", async () => {
    const one = await withWorkspace();
    const other = service({ stores: one.stores, clock: one.clock, seed: 2 });
    const token = secretOf(await one.call("POST", sole, { data: {} }));
    expect(await lastUse(one)).toBeNull();
    const first = new Date(one.clock.now).toISOString();
    await other.call("GET", "/organizations", undefined, { token });
    expect(await lastUse(one)).toBe(first);
    one.clock.advance(59);
    await one.call("GET", "/organizations", undefined, { token });
    expect(await lastUse(one)).toBe(first);
    one.clock.advance(1);
    await other.call("GET", "/organizations", undefined, { token });
    expect(await lastUse(one)).toBe(new Date(one.clock.now).toISOString());
    await one.call("DELETE", sole);
    one.clock.advance(61);
    expect((await other.call("GET", "/organizations", undefined, { token })).status).toBe(401);
    expect((await one.call("GET", sole)).status).toBe(404);
  });
  it("is not made by an expired one, and a store that takes no writes keeps nobody from reading", async () => {
    const one = await withWorkspace();
    const made = await one.call("POST", sole, { data: { attributes: { "expired-at": new Date(one.clock.now + 1000).toISOString() } } });
    one.clock.advance(1);
    expect((await one.call("GET", "/organizations", undefined, { token: secretOf(made) })).status).toBe(401);
    expect(await lastUse(one)).toBeNull();
    const token = secretOf(await one.call("POST", sole, { data: {} }));
    const readOnly: Stores = (name) => ({ ...one.stores(name), commit: () => Promise.reject(new Error("read-only")) });
    expect((await service({ stores: readOnly, clock: one.clock, seed: 3 }).call("GET", "/organizations", undefined, { token })).status).toBe(200);
  });
});

describe("a token", () => {
  it.each([
    ["no body", undefined, {}],
    ["an empty document", {}, {}],
    ["a document without data", { data: null }, {}],
    ["no body and a media type", undefined, { "content-type": "application/vnd.api+json" }],
  ])("is made by a request with %s, as clients send it", async (_, body, headers) => {
    const { call } = await withWorkspace();
    const team = await call("POST", "/organizations/acme/teams", { data: { type: "teams", attributes: { name: "devs" } } });
    for (const path of [sole, `/teams/${String(team.data["id"])}/authentication-token`]) {
      const made = await call("POST", path, body, { headers });
      expect([path, made.status, made.text]).toEqual([path, 201, expect.stringContaining(".atlasv1.")]);
    }
    expect((await call("POST", sole, { data: 5 })).status).toBe(422);
    expect((await call("POST", sole, "{}", { headers: { "content-type": "text/plain" } })).status).toBe(415);
  });
  it.each(["foo 2099", "2099", "1 Jan 2099", "2099-01-01", "2099-01-01T00:00:00", "2099-13-01T00:00:00Z", " 2099-01-01T00:00:00Z"])(
    "does not expire at %j, which is no RFC 3339 time",
    async (time) => {
      const { call } = await withWorkspace();
      const answer = await call("POST", sole, { data: { attributes: { "expired-at": time } } });
      expect(errorsOf(answer)).toMatchObject([{ status: "422", source: { pointer: "/data/attributes/expired-at" } }]);
      expect((await call("GET", sole)).status).toBe(404);
    },
  );
  it.each([
    ["2099-01-01T00:00:00Z", "2099-01-01T00:00:00.000Z"],
    ["2099-01-01t01:00:00.123456789+01:00", "2099-01-01T00:00:00.123Z"],
  ])("expires at %j", async (time, shown) => {
    const { call } = await withWorkspace();
    expect((await call("POST", sole, { data: { attributes: { "expired-at": time } } })).data["attributes"]?.["expired-at"]).toBe(shown);
  });
  it("that is missing or unknown is asked for by its scheme", async () => {
    const { call } = service();
    for (const token of ["", "unknown"]) {
      const answer = await call("GET", "/vars", undefined, { token });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });
});

it("the local front's word on where a request came from goes before a header that anyone can send", async () => {
  const { send } = service({ rateLimit: 4 });
  const ask = async (address: string, forged: string) => {
    const request = requestOf("GET", "/ping", undefined, { token: "", headers: { "cf-connecting-ip": forged } });
    return (await send(Object.assign(request, { cf: { clientAddress: address } }))).status;
  };
  for (let i = 0; i < 4; i++) expect(await ask("192.0.2.1", `198.51.100.${i}`)).toBe(204);
  expect(await ask("192.0.2.1", "198.51.100.9")).toBe(429);
  expect(await ask("192.0.2.2", "198.51.100.9")).toBe(204);
});
