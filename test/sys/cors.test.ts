import { describe, expect, it } from "vitest";
import { varsApi } from "../../src/vars/index.ts";
import { authority, type Authority } from "../support/authority.ts";

const page = "https://a.example";
/** Returns the CORS headers for a browser page of `origin`. */
async function asked(
  a: Authority,
  origin: string | undefined,
  { method = "GET", path = "pki/ca_chain", ...http }: Readonly<Record<string, unknown>> = {},
) {
  const { status, headers } = await a.ca.fetch(
    new Request(`http://ca.test/v1/${String(path)}`, {
      method: String(method),
      headers: origin === undefined ? {} : { origin },
    }),
    http,
  );
  return {
    status,
    origin: headers.get("access-control-allow-origin"),
    headers: headers.get("access-control-allow-headers"),
    credentials: headers.get("access-control-allow-credentials"),
    vary: headers.get("vary"),
  };
}
const write = (a: Authority, body: object) => a.call("POST", "sys/config/cors", body);

describe("allowed CORS origins", () => {
  it("are accepted as the Go SDK sends them, with `enabled: false`", async () => {
    const a = authority();
    const sent = { allowed_origins: [page], allowed_headers: null, enabled: false };
    expect((await write(a, sent)).status).toBe(204);
    expect((await a.call("GET", "sys/config/cors")).data).toMatchObject({
      enabled: true,
      allowed_origins: [page],
    });
    expect(await asked(a, page)).toMatchObject({ origin: page });
  });

  it("are empty at first, and are written, read and deleted only with sudo", async () => {
    const a = authority();
    expect((await a.call("GET", "sys/config/cors")).data).toEqual({ enabled: false });
    expect(await asked(a, page)).toMatchObject({ origin: null, vary: null });
    expect((await write(a, { allowed_origins: page, allowed_headers: ["X-Mine"] })).status).toBe(
      204,
    );
    const told = { enabled: true, allowed_origins: [page], allowed_headers: ["X-Mine"] };
    const { json, data } = await a.call("GET", "sys/config/cors");
    expect([data, json]).toEqual([told, expect.objectContaining(told)]);
    for (const method of ["GET", "POST", "DELETE"])
      expect(
        (
          await a.call(method, "sys/config/cors", method === "POST" ? {} : undefined, {
            token: "operator",
          })
        ).status,
      ).toBe(403);
    expect(await asked(a, page)).toMatchObject({ origin: page, vary: "Origin" });
    expect(await asked(a, page, { method: "OPTIONS" })).toMatchObject({
      status: 204,
      origin: page,
      headers: expect.stringMatching(/X-Service-Token.*, X-Mine$/) as string,
    });
    expect(await asked(a, "https://b.example", { method: "OPTIONS" })).toMatchObject({
      status: 403,
      origin: null,
      vary: "Origin",
    });
    // a cache must not reuse one origin's response for another
    expect(await asked(a, undefined)).toMatchObject({ origin: null, vary: "Origin" });
    for (const end of [
      () => a.call("DELETE", "sys/config/cors"),
      () => write(a, { enabled: false }),
    ]) {
      await write(a, { allowed_origins: [page] });
      expect((await end()).status).toBe(204);
      expect(await asked(a, page)).toMatchObject({ origin: null, vary: null });
      expect((await a.call("GET", "sys/config/cors")).data).toEqual({ enabled: false });
    }
    expect(a.events.map(({ endpoint }) => endpoint)).toEqual(
      expect.arrayContaining(["readCors", "writeCors", "deleteCors"]),
    );
  });

  it("are added to the origins that the deployment configures", async () => {
    const a = authority();
    const allowedOrigins = ["https://own.example"];
    await write(a, { allowed_origins: [page] });
    for (const origin of [page, "https://own.example"])
      expect((await asked(a, origin, { allowedOrigins })).origin).toBe(origin);
    await a.call("DELETE", "sys/config/cors");
    expect((await asked(a, page, { allowedOrigins })).origin).toBeNull();
    expect((await asked(a, "https://own.example", { allowedOrigins })).origin).toBe(
      "https://own.example",
    );
  });

  it("may also call the variables API, whose preflight response lists its own methods and headers", async () => {
    const a = authority({ apis: [varsApi] });
    expect((await write(a, { allowed_origins: [page] })).status).toBe(204);
    const call = async (method: string, origin: string, path = "/api/v2/account/details") => {
      const headers = { origin, "access-control-request-method": "PATCH" };
      const { status, headers: told } = await a.ca.fetch(
        new Request(`http://ca.test${path}`, { method, headers }),
      );
      const names = ["origin", "methods", "headers", "credentials"];
      return [status, ...names.map((name) => told.get(`access-control-allow-${name}`))];
    };
    const said = [page, "GET, HEAD, POST, PATCH, DELETE", "Content-Type, Authorization", null];
    expect(await call("OPTIONS", page)).toEqual([204, ...said]);
    expect((await call("GET", page)).slice(0, 2)).toEqual([401, page]);
    expect(await call("OPTIONS", "https://b.example")).toEqual([403, null, null, null, null]);
    expect((await call("GET", "https://b.example")).slice(0, 2)).toEqual([401, null]);
  });

  it("apply on other isolates within a second", async () => {
    const a = authority();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    expect((await asked(b, page)).origin).toBeNull();
    await write(a, { allowed_origins: [page] });
    expect((await asked(a, page)).origin).toBe(page);
    a.clock.advance(1);
    expect((await asked(b, page)).origin).toBe(page);
    await a.call("DELETE", "sys/config/cors");
    a.clock.advance(1);
    expect((await asked(b, page)).origin).toBeNull();
  });

  it("security row 56: may be all, but never with browser credentials, nor if calls need no token", async () => {
    const a = authority();
    await write(a, { allowed_origins: "*" });
    for (const origin of [page, "null"]) {
      const told = await asked(a, origin);
      expect(told).toMatchObject({ origin: "*", credentials: null });
    }
    expect((await asked(a, page, { path: "pki/roles?list=true" })).status).toBe(403);
    const identity = { id: "the page", can: () => true };
    expect((await asked(a, page, { identity, path: "pki/roles?list=true" })).origin).toBeNull();
  });

  it("are rejected and not stored if they are not origins", async () => {
    const a = authority();
    for (const [body, text] of [
      [{}, "at least one origin or the wildcard must be provided"],
      [
        { allowed_origins: ["*", page] },
        "to allow all origins the '*' must be the only value for allowed_origins",
      ],
      ...[
        "a.example",
        "null",
        "https://a.example/",
        "https://A.example",
        "https://a.example\r\nx: y",
        "https://*.example",
      ].map((origin) => [
        { allowed_origins: [origin] },
        expect.stringMatching(/^invalid origin "/),
      ]),
      ...["*", "a b", "x\r\ny", ""].map((name) => [
        { allowed_origins: [page], allowed_headers: [name] },
        expect.stringMatching(/^invalid header "/),
      ]),
    ] as const) {
      const { status, errors } = await write(a, body as object);
      expect([body, status, errors]).toEqual([body, 400, [text]]);
    }
    expect((await a.call("GET", "sys/config/cors")).data).toEqual({ enabled: false });
  });

  it("are empty if the store fails, and do not delay calls", async () => {
    let broken = false;
    const made = authority();
    const a = authority({
      clock: made.clock,
      stores: (name) => {
        const store = made.stores(name);
        return {
          get: (keys) => (broken ? Promise.reject(new Error("no disk")) : store.get(keys)),
          list: (prefix, page) =>
            broken ? Promise.reject(new Error("no disk")) : store.list(prefix, page),
          commit: (batch) => store.commit(batch),
        };
      },
    });
    await write(a, { allowed_origins: [page] });
    a.clock.advance(2);
    broken = true;
    expect((await asked(a, page, { path: "sys/health" })).origin).toBeNull();
  });
});
