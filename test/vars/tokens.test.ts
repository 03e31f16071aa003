import { peerOf } from "../../worker/peer.ts";
import { describe, expect, it } from "vitest";
import type { Stores } from "../../src/engine/ports.ts";
import {
  errorsOf,
  requestOf,
  service,
  withWorkspace,
  type Answer,
  type Service,
} from "./service.ts";

const sole = "/organizations/acme/authentication-token";
const secretOf = ({ data }: Answer): string => String(data["attributes"]?.["token"]);
const lastUse = async ({ call }: Service): Promise<unknown> =>
  (await call("GET", sole)).data["attributes"]?.["last-used-at"];

describe("last-used-at", () => {
  it("has one-minute precision, also for uses on another service", async () => {
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
  it("is not recorded for an expired token, and a valid token works even if it cannot be recorded", async () => {
    const one = await withWorkspace();
    const made = await one.call("POST", sole, {
      data: { attributes: { "expired-at": new Date(one.clock.now + 1000).toISOString() } },
    });
    one.clock.advance(1);
    expect(
      (await one.call("GET", "/organizations", undefined, { token: secretOf(made) })).status,
    ).toBe(401);
    expect(await lastUse(one)).toBeNull();
    const token = secretOf(await one.call("POST", sole, { data: {} }));
    const readOnly: Stores = (name) => ({
      ...one.stores(name),
      commit: () => Promise.reject(new Error("read-only")),
    });
    expect(
      (
        await service({ stores: readOnly, clock: one.clock, seed: 3 }).call(
          "GET",
          "/organizations",
          undefined,
          { token },
        )
      ).status,
    ).toBe(200);
  });
});

describe("the single token of an organization", () => {
  it.each(["GET", "POST", "DELETE"])(
    "is neither replaced nor deleted by %s for another type of token",
    async (method) => {
      const { call } = await withWorkspace();
      const token = secretOf(await call("POST", sole, { data: {} }));
      const refused = await call(
        method,
        `${sole}?token=audit-trails`,
        method === "POST" ? { data: {} } : undefined,
      );
      expect(refused.status).toBe(422);
      expect(errorsOf(refused)).toMatchObject([{ source: { parameter: "token" } }]);
      expect((await call("GET", "/organizations", undefined, { token })).status).toBe(200);
    },
  );
});

describe("a token", () => {
  it.each([
    ["no body", undefined, {}],
    ["an empty document", {}, {}],
    ["a document without data", { data: null }, {}],
    ["no body and a media type", undefined, { "content-type": "application/vnd.api+json" }],
  ])("is created by a request with %s, as clients send it", async (_, body, headers) => {
    const { call } = await withWorkspace();
    const team = await call("POST", "/organizations/acme/teams", {
      data: { type: "teams", attributes: { name: "devs" } },
    });
    for (const path of [sole, `/teams/${String(team.data["id"])}/authentication-token`]) {
      const made = await call("POST", path, body, { headers });
      expect([path, made.status, made.text]).toEqual([
        path,
        201,
        expect.stringContaining(".atlasv1."),
      ]);
    }
    expect((await call("POST", sole, { data: 5 })).status).toBe(422);
    expect(
      (await call("POST", sole, "{}", { headers: { "content-type": "text/plain" } })).status,
    ).toBe(415);
  });
  it.each([
    "foo 2099",
    "2099",
    "1 Jan 2099",
    "2099-01-01",
    "2099-01-01T00:00:00",
    "2099-13-01T00:00:00Z",
    " 2099-01-01T00:00:00Z",
  ])("is rejected with expired-at %j, which is not an RFC 3339 time", async (time) => {
    const { call } = await withWorkspace();
    const answer = await call("POST", sole, { data: { attributes: { "expired-at": time } } });
    expect(errorsOf(answer)).toMatchObject([
      { status: "422", source: { pointer: "/data/attributes/expired-at" } },
    ]);
    expect((await call("GET", sole)).status).toBe(404);
  });
  it.each([
    ["2099-01-01T00:00:00Z", "2099-01-01T00:00:00.000Z"],
    ["2099-01-01t01:00:00.123456789+01:00", "2099-01-01T00:00:00.123Z"],
  ])("accepts expired-at %j", async (time, shown) => {
    const { call } = await withWorkspace();
    expect(
      (await call("POST", sole, { data: { attributes: { "expired-at": time } } })).data[
        "attributes"
      ]?.["expired-at"],
    ).toBe(shown);
  });
  it("gets 401 with the scheme in WWW-Authenticate if it is missing or unknown", async () => {
    const { call } = service();
    for (const token of ["", "unknown"]) {
      const answer = await call("GET", "/vars", undefined, { token });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });
});

describe("an expiring token", () => {
  it("cannot create a token that never expires or expires later, for any kind of owner", async () => {
    const { call, clock } = await withWorkspace();
    const me = String((await call("GET", "/account/details")).data["id"]);
    const team = await call("POST", "/organizations/acme/teams", {
      data: { type: "teams", attributes: { name: "devs" } },
    });
    const at = (ms: number) => new Date(clock.now + ms).toISOString();
    const mine = `/users/${me}/authentication-tokens`;
    const hour = 3_600_000;
    const token = secretOf(
      await call("POST", mine, { data: { attributes: { "expired-at": at(hour) } } }),
    );
    const latest = at(hour);
    const refused = [
      {
        status: "422",
        title: "invalid attribute",
        detail: `Expired at must not be later than ${latest}, when the token of this request expires`,
        source: { pointer: "/data/attributes/expired-at" },
      },
    ];
    for (const path of [
      mine,
      sole,
      ...["authentication-token", "authentication-tokens"].map(
        (end) => `/teams/${String(team.data["id"])}/${end}`,
      ),
    ]) {
      for (const body of [
        undefined,
        { data: {} },
        { data: { attributes: { "expired-at": null } } },
        { data: { attributes: { "expired-at": at(hour + 1) } } },
      ])
        expect([path, errorsOf(await call("POST", path, body, { token }))]).toEqual([
          path,
          refused,
        ]);
      const made = await call(
        "POST",
        path,
        { data: { attributes: { "expired-at": latest } } },
        { token },
      );
      expect([path, made.status, made.data["attributes"]?.["expired-at"]]).toEqual([
        path,
        201,
        latest,
      ]);
      // the tokens created with it expire too
      if (path === mine)
        expect((await call("POST", path, { data: {} }, { token: secretOf(made) })).status).toBe(
          422,
        );
      expect(
        (await call("POST", path, { data: { attributes: { description: path } } })).status,
      ).toBe(201);
    }
  });
  it("creates users whose first token expires with it", async () => {
    const { call, clock } = service();
    const me = String((await call("GET", "/account/details")).data["id"]);
    const end = new Date(clock.now + 60_000).toISOString();
    const token = secretOf(
      await call("POST", `/users/${me}/authentication-tokens`, {
        data: { attributes: { "expired-at": end } },
      }),
    );
    const user = { data: { type: "users", attributes: { username: "u", email: "u@example.com" } } };
    const first = secretOf(await call("POST", "/admin/users", user, { token }));
    const account = () => call("GET", "/account/details", undefined, { token: first });
    expect((await account()).status).toBe(200);
    clock.advance(60);
    expect((await account()).status).toBe(401);
  });
});

it("eight tokens of one user share a rate limit, which does not affect an organization token", async () => {
  const { call, clock } = await withWorkspace({ rateLimit: 16 });
  const ask = async (token: string) => (await call("GET", "/ping", undefined, { token })).status;
  const me = String((await call("GET", "/account/details")).data["id"]);
  const tokens: string[] = [];
  for (let i = 0; i < 8; i++)
    tokens.push(secretOf(await call("POST", `/users/${me}/authentication-tokens`, { data: {} })));
  clock.advance(1);
  const team = secretOf(await call("POST", sole, { data: {} }));
  clock.advance(1);
  const statuses: number[] = [];
  for (const token of [...tokens, ...tokens, ...tokens]) statuses.push(await ask(token));
  expect(statuses).toEqual([...Array<number>(16).fill(204), ...Array<number>(8).fill(429)]);
  expect(await ask("first-token-of-the-tests")).toBe(429);
  expect(await ask(team)).toBe(204);
});
it("the client address from the local server takes precedence over a header that anyone can send", async () => {
  const { send } = service({ rateLimit: 4 });
  const ask = async (address: string, forged: string) => {
    const request = requestOf("GET", "/ping", undefined, {
      token: "",
      headers: { "cf-connecting-ip": forged },
    });
    const peer = peerOf(Object.assign(request, { cf: { clientAddress: address } }));
    return (await send(request, { peer })).status;
  };
  for (let i = 0; i < 4; i++) expect(await ask("192.0.2.1", `198.51.100.${i}`)).toBe(204);
  expect(await ask("192.0.2.1", "198.51.100.9")).toBe(429);
  expect(await ask("192.0.2.2", "198.51.100.9")).toBe(204);
});
