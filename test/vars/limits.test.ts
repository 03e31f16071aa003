import { describe, expect, it } from "vitest";
import { limiterOf } from "../../src/vars/rate.ts";
import { service, varsDocument, withWorkspace } from "./service.ts";

const mebibyte = 1024 * 1024;

describe("limits", () => {
  it("allow 1,000 variables in one workspace, and list them in one page", async () => {
    const { call, workspace } = await withWorkspace();
    for (const half of [0, 1])
      await call("POST", `/workspaces/${workspace}/vars/bulk`, {
        data: Array.from(
          { length: 500 },
          (_, i) =>
            varsDocument({ key: `k${half}${i}`, value: "v".repeat(600), category: "env" }).data,
        ),
      });
    const { json } = await call("GET", `/workspaces/${workspace}/vars`);
    expect(json["data"]).toHaveLength(1000);
    expect((await call("GET", "/vars")).json["data"]).toHaveLength(1000);
  });
  it("allow values of exactly 256 KiB of UTF-8, whatever their characters, including sensitive ones", async () => {
    const { write, call, workspace } = await withWorkspace();
    const values = [
      "x".repeat(256 * 1024),
      "\u00e9".repeat(128 * 1024),
      "\u{1f512}".repeat(64 * 1024),
      "\u0001".repeat(256 * 1024),
    ];
    for (const [i, value] of values.entries()) {
      const made = await write({ key: `k${i}`, value });
      expect(made.status).toBe(201);
      expect(
        (await call("GET", `/workspaces/${workspace}/vars/${String(made.data["id"])}`)).data[
          "attributes"
        ]?.["value"],
      ).toBe(value);
      expect((await write({ key: `s${i}`, value, sensitive: true })).status).toBe(201);
    }
  });
  it("allow keys of 128 characters of four bytes each, and compare them in full", async () => {
    const { write } = await withWorkspace();
    const key = "\u{1f511}".repeat(127);
    expect((await write({ key: `${key}a` })).status).toBe(201);
    expect((await write({ key: `${key}b` })).status).toBe(201);
    expect((await write({ key: `${key}b` })).status).toBe(422);
  });
  it("allow at most 16 MiB of values in a workspace, for updates and bulk writes too", async () => {
    const { write, call, workspace } = await withWorkspace();
    const large = "x".repeat(256 * 1024);
    const ids = [];
    for (let i = 0; i < 64; i++)
      ids.push(String((await write({ key: `k${i}`, value: large })).data["id"]));
    const refused = await write({ key: "one", value: "x" });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('"/data/attributes/value"'),
    ]);
    expect((await write({ key: "empty" })).status).toBe(201);
    const [path, empty] = [
      `/workspaces/${workspace}/vars/${ids[0] ?? ""}`,
      `/workspaces/${workspace}/vars/bulk`,
    ];
    expect((await call("PATCH", path, varsDocument({ value: large.slice(1) }))).status).toBe(200);
    expect(
      (
        await call("POST", empty, {
          data: [varsDocument({ key: "empty", category: "terraform", value: "xx" }).data],
        })
      ).status,
    ).toBe(422);
    expect(
      (
        await call("POST", empty, {
          data: [varsDocument({ key: "empty", category: "terraform", value: "x" }).data],
        })
      ).status,
    ).toBe(200);
    expect((await call("PATCH", path, varsDocument({ value: large }))).status).toBe(422);
    expect((await call("PATCH", path, varsDocument({ description: "fits" }))).status).toBe(200);
    await call("DELETE", path);
    expect((await write({ key: "again", value: large.slice(1) })).status).toBe(201);
    const { json } = await call("GET", `/workspaces/${workspace}/vars`);
    const values = (json["data"] as unknown as { attributes: { value: string } }[]).map(
      ({ attributes }) => attributes.value.length,
    );
    expect(values.reduce((sum, length) => sum + length, 0)).toBe(16 * mebibyte);
  });
});

describe("the rate limit", () => {
  it("counts each principal separately, resets every second, and returns the seconds until the reset", async () => {
    const { call, clock } = service({ rateLimit: 30 });
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) statuses.push((await call("GET", "/account/details")).status);
    expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
    clock.now += 250;
    const refused = await call("GET", "/organizations");
    expect(refused.text).toBe(
      '{"errors":[{"status":"429","title":"Too many requests","detail":"You have exceeded the API\'s rate limit."}]}',
    );
    expect(
      ["limit", "remaining", "reset"].map((name) => refused.headers.get(`x-ratelimit-${name}`)),
    ).toEqual(["30", "0", "0.750"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await call("GET", "/account/details", undefined, { token: "unknown" })).status).toBe(
      401,
    );
    clock.now += 750;
    const next = await call("GET", "/account/details");
    expect([
      next.status,
      next.headers.get("x-ratelimit-remaining"),
      next.headers.get("x-ratelimit-reset"),
    ]).toEqual([200, "29", "1.000"]);
  });
  it("applies to ping and to rejected requests too, by address if there is no token", async () => {
    const { call } = service({ rateLimit: 4 });
    const address = "192.0.2.1";
    for (let i = 0; i < 4; i++)
      expect(
        (await call("GET", "/ping", undefined, { token: "", address })).headers.get(
          "x-ratelimit-limit",
        ),
      ).toBe("4");
    expect((await call("GET", "/vars", undefined, { token: "", address })).status).toBe(429);
    expect(
      (
        await call("GET", "/vars", undefined, {
          token: "",
          address: "192.0.2.2",
        })
      ).status,
    ).toBe(401);
  });
  it("counts the addresses of an IPv6 /64 network together, however they are written, and each IPv4 address separately", async () => {
    const { call } = service({ rateLimit: 4 });
    const ask = async (address: string) =>
      (
        await call("GET", "/ping", undefined, {
          token: "",
          address,
        })
      ).status;
    const one = [
      "2001:db8:0:1::1",
      "2001:0DB8:0000:0001:ffff:ffff:ffff:ffff",
      "2001:db8:0:1:2::",
      "2001:db8::1:0:0:0:9",
    ];
    for (const address of one) expect([address, await ask(address)]).toEqual([address, 204]);
    expect(await ask("2001:db8:0:1::2")).toBe(429);
    for (const address of [
      "2001:db8:0:2::1",
      "2001:db8::1",
      "::1",
      "192.0.2.1",
      "::ffff:192.0.2.2",
      "::ffff:192.0.2.3",
      "unknown",
    ])
      for (let i = 0; i < 4; i++)
        expect([address, i, await ask(address)]).toEqual([address, i, 204]);
    expect(await ask("192.0.2.2")).toBe(429);
  });
  it("still counts a caller while many others call", async () => {
    const limit = limiterOf(4);
    for (let i = 0; i < 9_990; i++) limit(`early ${i}`, 0);
    for (let i = 0; i < 4; i++) limit("busy", 500);
    for (let i = 0; i < 9_000; i++) limit(`late ${i}`, 600);
    expect(limit("busy", 700).granted).toBe(false);
    for (let i = 0; i < 900; i++) limit(`later ${i}`, 1_100);
    expect(limit("busy", 1_200).granted).toBe(false);
    expect(limit("busy", 1_500)).toMatchObject({
      granted: true,
      headers: { "x-ratelimit-remaining": "3" },
    });
  });
  it("counts at most 10,000 callers at once, and drops the oldest beyond that", async () => {
    const limit = limiterOf(4);
    for (const caller of ["first", "second"]) for (let i = 0; i < 4; i++) limit(caller, 0);
    for (let i = 0; i < 9_998; i++) limit(`other ${i}`, 0);
    for (const caller of ["first", "second"]) expect(limit(caller, 1).granted).toBe(false);
    limit("one more", 1);
    expect(limit("first", 1)).toMatchObject({
      granted: true,
      headers: { "x-ratelimit-remaining": "3" },
    });
  });
  it("is at least 4, so that clients do not throttle themselves, and is off if 0", async () => {
    expect(
      (await service({ rateLimit: 1 }).call("GET", "/ping")).headers.get("x-ratelimit-limit"),
    ).toBe("4");
    expect(
      (await service({ rateLimit: 0 }).call("GET", "/ping")).headers.get("x-ratelimit-limit"),
    ).toBeNull();
  });
});
